/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "adm_csf.h"

#include <math.h>
#include <stddef.h>

/*
 * Formulas with a defined rounding at every step: binary32 where the type is float, binary64 where
 * it is double. Each shows in the scores.
 */

enum { SCALES = 4, HV = 0, DIAGONAL = 1, ORIENTATIONS };

static float pixels_per_degree(const VmafAdmOptions *options)
{
    const double pi = 3.14159265358979323846;
    return (float)(options->norm_view_dist * options->ref_display_height * pi / 180.0);
}

/* A. B. Watson et al., "Visibility of Wavelet Quantization Noise", 1997: equation 9, luma. */
static float watson(const VmafAdmOptions *options, int scale, int orientation)
{
    static const float amplitude[ORIENTATIONS][SCALES] = {
        {0.67234F, 0.41317F, 0.22727F, 0.11792F},
        {0.72709F, 0.49428F, 0.28688F, 0.15214F},
    };
    static const float frequency_gain[ORIENTATIONS] = {1.0F, 0.534F};
    const float a = 0.495F, k = 0.466F, f0 = 0.401F;
    const double frequency = ldexp(f0, scale + 1) * frequency_gain[orientation];
    const float u = (float)log10(frequency / (double)pixels_per_degree(options));
    const float ku = k * u;
    const float exponent = ku * u;
    const float quantum =
        (float)(2.0 * a * pow(10.0, exponent) / (double)amplitude[orientation][scale]);
    return 1.0F / quantum;
}

/* A parameter known at 20 and at 150 cd/m2, at 100 cd/m2: linear in the logarithm. */
static float at_100_cd(float at_20, float at_150)
{
    const float x0 = (float)log10(20.0), x1 = (float)log10(150.0);
    const float rise = at_150 - at_20, run = x1 - x0, x = 2.0F - x0;
    const float slope = rise / run;
    const float step = slope * x;
    return at_20 + step;
}

/* R. Mantiuk et al., "HDR-VDP-2", 2011, parameters of version 2.2.1. */
static float barten(const VmafAdmOptions *options, int scale)
{
    static const float gain[4] = {0.424838596301290F, 0.572435103936480F, 0.000167576239164937F,
                                  0.00255872352306433F};
    static const float decay[4] = {0.028F, 0.37F, 37.0F, 360.0F};
    const float frequency = (float)ldexp(pixels_per_degree(options), -(scale + 1));
    const float p0 = at_100_cd(0.334278F, 0.394533F), p1 = at_100_cd(3.79542F, 2.7755F);
    const float p2 = at_100_cd(1.07327F, 1.16577F), p3 = at_100_cd(6.4635F, 7.45665F);

    const float scaled = p0 * frequency, seventh = frequency / 7.0F;
    const float alpha = (float)(1.0 + pow(scaled, p1));
    const float beta = (float)(1.0 / pow(1.0 - exp(-pow(seventh, 2.0)), p2));
    const float both = alpha * beta;
    const float neural = (float)(p3 / pow(both, 0.5));

    float optics = 0.0F;
    for (int i = 0; i < 4; i++) {
        const float exponent = -decay[i] * frequency;
        optics = (float)(optics + gain[i] * exp(exponent));
    }

    const float relative = 4.0627F / 100.0F;
    const float luminance = (float)(30.162F * pow(pow(relative, 1.6596F) + 1.0, -0.2712F));
    const float detected = neural * optics;
    return detected * luminance;
}

/* Blends of both, tabulated for some viewing conditions. */
static const struct {
    int height;
    double distance;
    float blend[ORIENTATIONS][SCALES], blend_mae[ORIENTATIONS][SCALES];
} table[] = {
    {1080,
     3.0,
     {{0.01183F, 0.025026F, 0.04295F, 0.058621F}, {0.004302F, 0.011778F, 0.023918F, 0.035901F}},
     {{0.011249F, 0.022606F, 0.035930F, 0.045673F}, {0.004097F, 0.010921F, 0.021430F, 0.031313F}}},
    {2160,
     1.5, /* as many lines for each degree as the one before */
     {{0.01183F, 0.025026F, 0.04295F, 0.058621F}, {0.004302F, 0.011778F, 0.023918F, 0.035901F}},
     {{0.011249F, 0.022606F, 0.035930F, 0.045673F}, {0.004097F, 0.010921F, 0.021430F, 0.031313F}}},
    {1080,
     5.0,
     {{0.004212F, 0.014809F, 0.029642F, 0.047464F}, {0.000984F, 0.005852F, 0.0146F, 0.027574F}},
     {{0.004052F, 0.013939F, 0.026298F, 0.038833F}, {0.000927F, 0.005544F, 0.013415F, 0.024515F}}},
    {2160,
     3.0,
     {{0.00226F, 0.01183F, 0.025026F, 0.04295F}, {0.000479F, 0.004302F, 0.011778F, 0.023918F}},
     {{0.002166F, 0.011249F, 0.022606F, 0.035930F}, {0.000447F, 0.004097F, 0.010921F, 0.021430F}}},
    {2160,
     5.0,
     {{0.000092F, 0.004212F, 0.014809F, 0.029642F}, {0.000050F, 0.000984F, 0.005852F, 0.0146F}},
     {{0.000077F, 0.004052F, 0.013939F, 0.026298F}, {0.000045F, 0.000927F, 0.005544F, 0.013415F}}},
    {720,
     5.0,
     {{0.010144F, 0.022561F, 0.040309F, 0.05672F}, {0.003463F, 0.010282F, 0.021839F, 0.034641F}},
     {{0.009689F, 0.020577F, 0.034162F, 0.044523F}, {0.003302F, 0.009579F, 0.019661F, 0.030318F}}},
};

static float tabulated(const VmafAdmOptions *options, int scale, int orientation)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].height == options->ref_display_height &&
            table[i].distance == options->norm_view_dist) {
            return options->csf_mode == 2 ? table[i].blend[orientation][scale]
                                          : table[i].blend_mae[orientation][scale];
        }
    }
    return 0.0F; /* a condition that is not listed has no fixed-point weight */
}

static double weight_of(const VmafAdmOptions *options, int scale, int orientation)
{
    switch (options->csf_mode) {
    case 1:
        return (float)(barten(options, scale) *
                       (orientation == DIAGONAL ? options->csf_diag_scale : options->csf_scale));
    case 2:
    case 3:
        return tabulated(options, scale, orientation);
    default:
        return watson(options, scale, orientation);
    }
}

/* Weights that do not fit lose their upper bits, as in the numbers that others publish. */
static uint32_t fixed_point(double weight, int bits, int width)
{
    const double scaled = ldexp(weight, bits);
    if (width == 16) {
        return scaled < 0x1p31 ? (uint32_t)scaled & 0xFFFF : 0;
    }
    return scaled < 0x1p63 ? (uint32_t)(uint64_t)scaled : 0;
}

VmafAdmWeights vmaf_adm_weights(const VmafAdmOptions *options, int scale)
{
    const double hv = weight_of(options, scale, HV), d = weight_of(options, scale, DIAGONAL);
    if (scale > 0) {
        return (VmafAdmWeights){fixed_point(hv, 32, 32), fixed_point(d, 32, 32)};
    }
    const double lines = options->norm_view_dist * options->ref_display_height;
    if (options->csf_mode == 0 && fabs(lines - 3.0 * 1080.0) < 1e-8) {
        /* Once computed with less precision for the usual condition, and kept. */
        return (VmafAdmWeights){36453, 49417};
    }
    return (VmafAdmWeights){fixed_point(hv, 21, 16), fixed_point(d, 23, 16)};
}
