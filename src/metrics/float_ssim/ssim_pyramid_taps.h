/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_PYRAMID_TAPS_H
#define METRICS_FLOAT_SSIM_SSIM_PYRAMID_TAPS_H

#include "metrics/float_ssim/ssim_constants.h"

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
