/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ciede/ciede_formula.h"

#include <math.h>

#include "metrics/ciede/ciede_constants.h"
#include "metrics/common/math/math_functions.h"

CiedeRange ciede_range(unsigned bpc)
{
    const double q = 1u << (bpc - 8);
    return (CiedeRange){
        .luma_offset = 16 * q,
        .luma_scale = 1 / (219 * q),
        .chroma_offset = 128 * q,
        .chroma_scale = 1 / (224 * q),
    };
}

/* Components out of gamut are not clipped. */
static double linear_light(double c)
{
    if (c > CIEDE_GAMMA_THRESHOLD)
        return math_pow((c + CIEDE_GAMMA_OFFSET) * CIEDE_GAMMA_SCALE, CIEDE_GAMMA);
    return c * CIEDE_GAMMA_SLOPE;
}

static float lightness(double c)
{
    if (c > CIEDE_LIGHTNESS_THRESHOLD)
        return (float)math_pow(c, 1.0 / 3);
    return (float)((CIEDE_LIGHTNESS_SLOPE * c + CIEDE_LIGHTNESS_OFFSET) * CIEDE_LIGHTNESS_SCALE);
}

CiedeLab ciede_lab(const CiedeRange *range, unsigned y_code, unsigned u_code, unsigned v_code)
{
    const double y = (y_code - range->luma_offset) * range->luma_scale;
    const double u = (u_code - range->chroma_offset) * range->chroma_scale;
    const double v = (v_code - range->chroma_offset) * range->chroma_scale;
    const double r = linear_light(y + CIEDE_R_OF_V * v);
    const double g = linear_light(y - CIEDE_G_OF_U * u - CIEDE_G_OF_V * v);
    const double b = linear_light(y + CIEDE_B_OF_U * u);
    const double fx =
        lightness((r * CIEDE_X_OF_R + g * CIEDE_X_OF_G + b * CIEDE_X_OF_B) * CIEDE_WHITE_X);
    const double fy = lightness(r * CIEDE_Y_OF_R + g * CIEDE_Y_OF_G + b * CIEDE_Y_OF_B);
    const double fz =
        lightness((r * CIEDE_Z_OF_R + g * CIEDE_Z_OF_G + b * CIEDE_Z_OF_B) * CIEDE_WHITE_Z);
    return (CiedeLab){
        .l = (float)(116 * fy - 16),
        .a = (float)(500 * (fx - fy)),
        .b = (float)(200 * (fy - fz)),
    };
}

static double square(double x)
{
    return x * x;
}

static float length(float a, float b)
{
    return (float)sqrt(square(a) + square(b));
}

/* 0 to 2 pi. */
static float hue(float b, float a)
{
    if (b == 0 && a == 0)
        return 0;
    const float angle = (float)math_atan2(b, a);
    return angle < 0 ? (float)(angle + 2 * CIEDE_PI) : angle;
}

static float hue_difference(float h1, float h2, float c1, float c2)
{
    const float d = h2 - h1;
    if (c1 == 0 || c2 == 0)
        return 0;
    if (fabsf(h1 - h2) <= CIEDE_PI)
        return d;
    return (float)(h2 <= h1 ? d + 2 * CIEDE_PI : d - 2 * CIEDE_PI);
}

/* Not reduced to 2 pi. */
static float mean_hue(float h1, float h2)
{
    const float sum = h1 + h2;
    return (float)((fabsf(h1 - h2) > CIEDE_PI ? sum + 2 * CIEDE_PI : (double)sum) / 2);
}

/* Weight of differences of hue that depends on the hue. */
static float hue_weight(double h)
{
    return (float)(1 - 0.17 * math_cos(h - CIEDE_PI / 6) + 0.24 * math_cos(2 * h) +
                   0.32 * math_cos(3 * h + CIEDE_PI / 30) -
                   0.20 * math_cos(4 * h - 7 * CIEDE_PI / 20));
}

/* Interaction of chroma and hue in the blue. */
static float rotation(float mean_h, float mean_c)
{
    const float degrees = (float)(mean_h * (180 / CIEDE_PI));
    const float e = (float)((degrees - 275.0) * (1.0 / 25));
    const float angle = (float)(60 * math_exp(-(e * e)));
    const float radians = (float)(angle * (CIEDE_PI / 180));
    /* Not pow: powf is not always the rounded value of it. */
    const float c7 = math_powf(mean_c, 7);
    return (float)(-2 * sqrt(c7 / (c7 + CIEDE_25_TO_7F)) * math_sin(radians));
}

float ciede_delta_e(CiedeLab ref, CiedeLab dist)
{
    const float c1 = length(ref.a, ref.b), c2 = length(dist.a, dist.b);
    const double c7 = math_pow((c1 + c2) / 2, 7);
    const double gain = 1 - sqrt(c7 / (c7 + CIEDE_25_TO_7));
    const float a1 = (float)(ref.a + ref.a / 2 * gain);
    const float a2 = (float)(dist.a + dist.a / 2 * gain);
    const float d1 = length(a1, ref.b), d2 = length(a2, dist.b);
    const float h1 = hue(ref.b, a1), h2 = hue(dist.b, a2);

    const float mean_c = (d1 + d2) / 2, mean_h = mean_hue(h1, h2);
    const double z2 = square((ref.l + dist.l) / 2 - 50);
    const float weight_l = (float)(1 + 0.015 * z2 / sqrt(20 + z2));
    const float weight_c = (float)(1 + 0.045 * mean_c);
    const float weight_h = (float)(1 + 0.015 * mean_c * hue_weight(mean_h));

    const float d_h = (float)(2 * sqrt(d1 * d2) * math_sin(hue_difference(h1, h2, c1, c2) / 2));
    const float l = (dist.l - ref.l) / (CIEDE_K_L * weight_l);
    const float c = (d2 - d1) / (CIEDE_K_C * weight_c);
    const float h = d_h / (CIEDE_K_H * weight_h);
    const float cross = rotation(mean_h, mean_c) * c * h;
    return (float)sqrt(square(l) + square(c) + square(h) + cross);
}
