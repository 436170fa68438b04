/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/ciede/ciede_approx.h"
#include "metrics/ciede/ciede_internal.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/ordered_sum.h"
#include "support/cpu.h"

/*
 * The formulas of ciede.c in loops over the pixels of a batch, with approximations in place
 * of the functions of the definition. Wherever a result of those is rounded to binary32, `doubt`
 * notes whether both surely agree; the few pixels where one does not are computed by the
 * definition, so that results are always those of the definition.
 */

enum {
    N = CIEDE_BATCH,
    ACCURACY = 41,      /* bits that approximations surely have in common with the definition */
    ROOT_ACCURACY = 48, /* likewise of square roots */
    GAIN_ACCURACY = 48, /* likewise of a after the adjustment to greys */
    DARK_ACCURACY = 38, /* likewise of lightness, where it is beyond 1/128 */
    POWF_ACCURACY = 31, /* likewise of powf */
};

typedef struct Work {
    uint64_t doubt[N];                /* highest bit set: compute the pixel by the definition */
    double red[N], green[N], blue[N]; /* linear light in one picture */
    float l[2][N], a[2][N], b[2][N];
    float chroma[2][N], hue[2][N]; /* of a after its adjustment */
    float grey[N];                 /* the lesser chroma, not adjusted: 0 for greys */
    float mean_chroma[N], mean_chroma_to_7[N];
    float hue_difference[N], hue_weight[N], rotation[N];
} Work;

static inline double linear_light(double c)
{
    const double x = (c + CIEDE_GAMMA_OFFSET) * CIEDE_GAMMA_SCALE;
    const double power = ciede_gamma(x > 0.0625 ? x : 0.0625);
    return c > CIEDE_GAMMA_THRESHOLD ? power : c * CIEDE_GAMMA_SLOPE;
}

static inline double lightness(double c)
{
    const double root =
        ciede_cube_root(c > CIEDE_LIGHTNESS_THRESHOLD ? c : CIEDE_LIGHTNESS_THRESHOLD);
    const double line =
        (CIEDE_LIGHTNESS_SLOPE * c + CIEDE_LIGHTNESS_OFFSET) * CIEDE_LIGHTNESS_SCALE;
    return c > CIEDE_LIGHTNESS_THRESHOLD ? root : line;
}

/* Out of gamut a lightness can be a small difference of large terms. */
static inline uint64_t lightness_doubt(double f)
{
    return ciede_doubt(f, DARK_ACCURACY) | ciede_bits(fabs(f) - 1.0 / 128);
}

static void fill_tables(CiedeTables *tables, const CiedeRange *range)
{
    for (int chroma = 0; chroma < 256; chroma++) {
        const double c = (chroma - range->chroma_offset) * range->chroma_scale;
        for (int luma = 0; luma < 256; luma++) {
            const double y = (luma - range->luma_offset) * range->luma_scale;
            tables->red[chroma][luma] = linear_light(y + CIEDE_R_OF_V * c);
            tables->blue[chroma][luma] = linear_light(y + CIEDE_B_OF_U * c);
        }
    }
}

static void linear_rgb(const CiedeRange *range, const CiedeTables *tables,
                       const uint16_t samples[3][N], Work *restrict w)
{
    const double luma_offset = range->luma_offset, luma_scale = range->luma_scale;
    const double chroma_offset = range->chroma_offset, chroma_scale = range->chroma_scale;
    for (int i = 0; i < N; i++) {
        const double y = (samples[0][i] - luma_offset) * luma_scale;
        const double u = (samples[1][i] - chroma_offset) * chroma_scale;
        const double v = (samples[2][i] - chroma_offset) * chroma_scale;
        w->green[i] = linear_light(y - CIEDE_G_OF_U * u - CIEDE_G_OF_V * v);
    }
    if (tables) {
        for (int i = 0; i < N; i++) {
            w->red[i] = tables->red[samples[2][i]][samples[0][i]];
            w->blue[i] = tables->blue[samples[1][i]][samples[0][i]];
        }
        return;
    }
    for (int i = 0; i < N; i++) {
        const double y = (samples[0][i] - luma_offset) * luma_scale;
        const double u = (samples[1][i] - chroma_offset) * chroma_scale;
        const double v = (samples[2][i] - chroma_offset) * chroma_scale;
        w->red[i] = linear_light(y + CIEDE_R_OF_V * v);
        w->blue[i] = linear_light(y + CIEDE_B_OF_U * u);
    }
}

static void lab(Work *restrict w, int picture)
{
    float *restrict out_l = w->l[picture], *restrict out_a = w->a[picture];
    float *restrict out_b = w->b[picture];
    for (int i = 0; i < N; i++) {
        const double r = w->red[i], g = w->green[i], b = w->blue[i];
        const double x =
            lightness((r * CIEDE_X_OF_R + g * CIEDE_X_OF_G + b * CIEDE_X_OF_B) * CIEDE_WHITE_X);
        const double l = lightness(r * CIEDE_Y_OF_R + g * CIEDE_Y_OF_G + b * CIEDE_Y_OF_B);
        const double z =
            lightness((r * CIEDE_Z_OF_R + g * CIEDE_Z_OF_G + b * CIEDE_Z_OF_B) * CIEDE_WHITE_Z);
        const double fx = ciede_round(x), fy = ciede_round(l), fz = ciede_round(z);
        w->doubt[i] |= lightness_doubt(x) | lightness_doubt(l) | lightness_doubt(z);
        out_l[i] = (float)(116 * fy - 16);
        out_a[i] = (float)(500 * (fx - fy));
        out_b[i] = (float)(200 * (fy - fz));
    }
}

static inline double square(double x)
{
    return x * x;
}

static inline double square_of_length(double a, double b)
{
    return square(a) + square(b);
}

static inline float hue(float b, float a, double angle)
{
    const float rounded = (float)angle, positive = (float)(rounded + 2 * CIEDE_PI);
    const float turned = rounded < 0 ? positive : rounded;
    return fabsf(a) + fabsf(b) > 0 ? turned : 0;
}

/* Near greys, a is stretched. */
static void adjust_a(Work *restrict w)
{
    double c1[N], c2[N], c7[N], loss[N];
    for (int i = 0; i < N; i++) {
        c1[i] = square_of_length(w->a[0][i], w->b[0][i]);
        c2[i] = square_of_length(w->a[1][i], w->b[1][i]);
    }
    ciede_roots(c1, N);
    ciede_roots(c2, N);
    for (int i = 0; i < N; i++) {
        const float chroma1 = (float)c1[i], chroma2 = (float)c2[i];
        w->doubt[i] |= ciede_doubt(c1[i], ROOT_ACCURACY) | ciede_doubt(c2[i], ROOT_ACCURACY);
        w->grey[i] = chroma1 < chroma2 ? chroma1 : chroma2;
        c7[i] = ciede_to_7((chroma1 + chroma2) / 2);
        loss[i] = c7[i] * (c7[i] + CIEDE_25_TO_7);
    }
    ciede_inverse_roots(loss, N);
    for (int i = 0; i < N; i++) {
        const double a1 = w->a[0][i], a2 = w->a[1][i], l = c7[i] * loss[i], gain = 1 - l;
        const double adjusted1 = ciede_fma(a1 / 2, gain, a1);
        const double adjusted2 = ciede_fma(a2 / 2, gain, a2);
        /* For greys the gain is 1 in any case, and 1.5 a exactly in the middle of two numbers. */
        w->doubt[i] |=
            (ciede_doubt(adjusted1, GAIN_ACCURACY) | ciede_doubt(adjusted2, GAIN_ACCURACY)) &
            ciede_bits(0x1p-55 - l);
        w->a[0][i] = (float)adjusted1;
        w->a[1][i] = (float)adjusted2;
    }
}

static void chroma_and_hue(Work *restrict w)
{
    double length[2][N];
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < N; i++) {
            const float a = w->a[p][i], b = w->b[p][i];
            const double angle = ciede_atan2(b, a);
            w->doubt[i] |= ciede_doubt(angle, ACCURACY);
            w->hue[p][i] = hue(b, a, angle);
            length[p][i] = square_of_length(a, b);
        }
        ciede_roots(length[p], N);
    }
    for (int i = 0; i < N; i++) {
        w->doubt[i] |=
            ciede_doubt(length[0][i], ROOT_ACCURACY) | ciede_doubt(length[1][i], ROOT_ACCURACY);
        w->chroma[0][i] = (float)length[0][i];
        w->chroma[1][i] = (float)length[1][i];
        w->mean_chroma[i] = (w->chroma[0][i] + w->chroma[1][i]) / 2;
    }
}

/* powf, which is not always the rounded power but within 2^-9 of a unit in the last place of that
 * (glibc and musl, all arguments up to 512). */
static void power_of_chroma(Work *w)
{
    uint64_t doubt[N];
    for (int i = 0; i < N; i++) {
        const double power = ciede_to_7(w->mean_chroma[i]);
        w->mean_chroma_to_7[i] = (float)power;
        doubt[i] = ciede_doubt(power, POWF_ACCURACY);
    }
    for (int i = 0; i < N; i++) {
        if (doubt[i] >> 63)
            w->mean_chroma_to_7[i] = math_powf(w->mean_chroma[i], 7);
    }
}

static void functions_of_hue(Work *restrict w)
{
    /* of the phases pi/6, pi/30 and 7 pi/20 */
    const double cos_30 = 0.8660254037844387, sin_30 = 0.49999999999999994;
    const double cos_6 = 0.9945218953682733, sin_6 = 0.10452846326765346;
    const double cos_63 = 0.4539904997395468, sin_63 = 0.8910065241883678;
    for (int i = 0; i < N; i++) {
        const float h1 = w->hue[0][i], h2 = w->hue[1][i];
        const float difference = h2 - h1, sum = h1 + h2;
        const double turn = h2 <= h1 ? 2 * CIEDE_PI : -2 * CIEDE_PI;
        const double apart = fabsf(difference);
        const float turned = (float)(apart <= CIEDE_PI ? difference : difference + turn);
        w->hue_difference[i] = w->grey[i] > 0 ? turned : 0;
        const float h = (float)((apart > CIEDE_PI ? sum + 2 * CIEDE_PI : sum) / 2);

        /* Less a multiple of pi, which changes signs. */
        const double shifted = ciede_fma(h, 1 / CIEDE_PI, CIEDE_INTEGER);
        const double reduced = ciede_fma(CIEDE_INTEGER - shifted, CIEDE_PI, h);
        const uint64_t sign = ciede_bits(shifted) << 63;
        const double sin1 = ciede_from_bits(ciede_bits(ciede_sin(reduced)) ^ sign);
        const double cos1 = ciede_from_bits(ciede_bits(ciede_cos(reduced)) ^ sign);
        const double sin2 = 2 * sin1 * cos1, cos2 = ciede_fma(2 * cos1, cos1, -1);
        const double sin3 = ciede_fma(sin2, cos1, cos2 * sin1);
        const double cos3 = ciede_fma(cos2, cos1, -sin2 * sin1);
        const double sin4 = 2 * sin2 * cos2, cos4 = ciede_fma(2 * cos2, cos2, -1);
        double weight = ciede_fma(cos1, -0.17 * cos_30, 1);
        weight = ciede_fma(sin1, -0.17 * sin_30, weight);
        weight = ciede_fma(cos2, 0.24, weight);
        weight = ciede_fma(cos3, 0.32 * cos_6, weight);
        weight = ciede_fma(sin3, -0.32 * sin_6, weight);
        weight = ciede_fma(cos4, -0.20 * cos_63, weight);
        weight = ciede_fma(sin4, -0.20 * sin_63, weight);
        w->hue_weight[i] = (float)weight;

        const float degrees = (float)(h * (180 / CIEDE_PI));
        const float e = (float)((degrees - 275.0) * (1.0 / 25));
        /* A rotation below 2^-55 is lost in the sum. The floor keeps it out of slow subnormals. */
        const double angle = 60 * ciede_exp_minus(e * e) + 1e-30;
        w->rotation[i] = (float)((float)angle * (CIEDE_PI / 180));
        w->doubt[i] |= ciede_doubt(weight, ACCURACY) | ciede_doubt(angle, ACCURACY);
    }
}

static void combine(Work *restrict w, float *restrict result)
{
    double inverse_l[N], product[N], saturation[N], sum[N];
    for (int i = 0; i < N; i++) {
        const float c7 = w->mean_chroma_to_7[i];
        inverse_l[i] = 20 + square((w->l[0][i] + w->l[1][i]) / 2 - 50);
        product[i] = w->chroma[0][i] * w->chroma[1][i];
        saturation[i] = c7 / (c7 + CIEDE_25_TO_7F);
    }
    ciede_inverse_roots(inverse_l, N);
    ciede_roots(product, N);
    ciede_roots(saturation, N);
    for (int i = 0; i < N; i++) {
        const float d1 = w->chroma[0][i], d2 = w->chroma[1][i], mean = w->mean_chroma[i];
        const double z2 = square((w->l[0][i] + w->l[1][i]) / 2 - 50);
        const double dark_or_bright = ciede_fma(0.015 * z2, inverse_l[i], 1);
        const float weight_l = (float)dark_or_bright;
        const float weight_c = (float)(1 + 0.045 * mean);
        const float weight_h = (float)(1 + 0.015 * mean * w->hue_weight[i]);
        const double d_h = 2 * product[i] * ciede_sin(w->hue_difference[i] / 2);
        const double rotation = -2 * saturation[i] * ciede_sin(w->rotation[i]);
        w->doubt[i] |= ciede_doubt(dark_or_bright, ACCURACY) | ciede_doubt(d_h, ACCURACY) |
                       ciede_doubt(rotation, ACCURACY);
        const float l = (w->l[1][i] - w->l[0][i]) / (CIEDE_K_L * weight_l);
        const float c = (d2 - d1) / (CIEDE_K_C * weight_c);
        const float h = (float)d_h / (CIEDE_K_H * weight_h);
        const float cross = (float)rotation * c * h;
        sum[i] = square(l) + square(c) + square(h) + cross;
    }
    ciede_roots(sum, N);
    for (int i = 0; i < N; i++) {
        const uint64_t is_tiny = ciede_bits(sum[i] - CIEDE_LEAST_ROOT) & ciede_bits(0 - sum[i]);
        w->doubt[i] |= ciede_doubt(sum[i], ROOT_ACCURACY) | is_tiny;
        result[i] = (float)sum[i];
    }
}

static float by_definition(const CiedeRange *range, const CiedeBatch *batch, int i)
{
    CiedeLab colour[CIEDE_PICTURES];
    for (int p = 0; p < CIEDE_PICTURES; p++)
        colour[p] = ciede_lab(range, batch->samples[p][0][i], batch->samples[p][1][i],
                              batch->samples[p][2][i]);
    return ciede_delta_e(colour[CIEDE_REF], colour[CIEDE_DIST]);
}

static void delta_e(const CiedeRange *range, const CiedeTables *tables, const CiedeBatch *batch,
                    float result[CIEDE_BATCH])
{
    Work w;
    memset(w.doubt, 0, sizeof(w.doubt));
    for (int p = 0; p < CIEDE_PICTURES; p++) {
        linear_rgb(range, tables, batch->samples[p], &w);
        lab(&w, p);
    }
    adjust_a(&w);
    chroma_and_hue(&w);
    power_of_chroma(&w);
    functions_of_hue(&w);
    combine(&w, result);
    for (int i = 0; i < N; i++) {
        if (w.doubt[i] >> 63)
            result[i] = by_definition(range, batch, i);
    }
}

static void add(const float result[CIEDE_BATCH], unsigned n, double *sum)
{
    double terms[N];
    for (int i = 0; i < N; i++)
        terms[i] = result[i];
    if (n == N && ordered_sum_f64(sum, terms, N))
        return;
    double in_order = *sum;
    for (unsigned i = 0; i < n; i++)
        in_order += terms[i];
    *sum = in_order;
}

const CiedeFunctions ISA_VARIANT(ciede_functions) = {
    .fill_tables = fill_tables,
    .delta_e = delta_e,
    .add = add,
};
