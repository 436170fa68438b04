/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_SSIM_H
#define METRICS_FLOAT_SSIM_FLOAT_SSIM_H

#include "metrics/float_ssim/float_ssim_kernel.h"
#include "metrics/framework/option.h"

/* Options of float_ssim and float_ms_ssim. */

typedef struct FloatSsimOptions {
    bool enable_lcs;
    bool enable_db;
    bool clip_db;
    int scale; /* factor of reduction; 0: depends on the size of the pictures */
} FloatSsimOptions;

typedef struct FloatMsSsimOptions {
    bool enable_lcs;
    bool enable_db;
    bool clip_db;
} FloatMsSsimOptions;

/* Each ends with an empty entry. */
extern const OptionSpec float_ssim_option_specs[];
extern const OptionSpec float_ms_ssim_option_specs[];

/* Sizes of pictures, and the means over them. */

/* The factor by which float_ssim reduces luma of w x h samples: at most 10, or, if it depends on
 * the size, a 256th of the shorter side. */
unsigned float_ssim_factor(const FloatSsimOptions *options, unsigned w, unsigned h);

/* Size after reduction by a factor. The oddness of n counts, not the remainder. */
static inline unsigned ssim_reduced_size(unsigned n, unsigned factor)
{
    return factor == 1 ? n : n / factor + n % 2;
}

/* What a sample is multiplied with when factor^2 of them are averaged. */
static inline float ssim_reduction_share(unsigned factor)
{
    return 1.0f / (float)(factor * factor);
}

/* float_ms_ssim. The smallest scale, sizes rounded down, must still hold the window. */
enum { MS_SSIM_SCALES = 5, MS_SSIM_MINIMUM_SIZE = SSIM_TAPS << (MS_SSIM_SCALES - 1) };

/* Size of the next scale: odd sizes round up. */
static inline unsigned ssim_pyramid_size(unsigned n)
{
    return n / 2 + n % 2;
}

/* Positions in each direction at which the window lies inside n samples. */
static inline unsigned ssim_positions(unsigned n)
{
    return n - (SSIM_TAPS - 1);
}

/* The mean over the positions in an image of w x h samples, of their sum in binary64. */
static inline float ssim_mean(double sum, unsigned w, unsigned h)
{
    return (float)(sum / ((double)ssim_positions(w) * (double)ssim_positions(h)));
}

/* Outer product of the low-pass filter of the 9/7 biorthogonal wavelet with itself, its entries
 * rounded to six decimals, which makes it not quite separable. One quadrant with the centre. */
static const float ssim_pyramid_taps[SSIM_PYRAMID_RADIUS + 1][SSIM_PYRAMID_RADIUS + 1] = {
    {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
    {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
    {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
    {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
    {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f},
};

#endif
