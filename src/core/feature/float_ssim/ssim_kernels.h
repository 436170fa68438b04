/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_SSIM_KERNELS_H
#define CORE_FEATURE_FLOAT_SSIM_SSIM_KERNELS_H

/*
 * The inner loops of SSIM, one row at a time.
 *
 * A filtered sample is defined as follows: each product of a sample and a tap is rounded to
 * binary32, the products are added in binary64 in the order of the taps, and the sum is rounded to
 * binary32 once.
 *
 * Rows may be read and written for SSIM_PADDING elements beyond their end. Inputs and outputs do
 * not overlap.
 */

#include "support/isa_twin.h"

enum { SSIM_PADDING = 16 };

/* A Gaussian window, standard deviation 1.5 samples. */
enum { SSIM_TAPS = 11 };

/* The low-pass filter between the scales of MS-SSIM. */
enum { SSIM_PYRAMID_RADIUS = 4, SSIM_PYRAMID_TAPS = 2 * SSIM_PYRAMID_RADIUS + 1 };

/* Images whose local means make up the index. */
enum { SSIM_REF, SSIM_DIST, SSIM_REF_REF, SSIM_DIST_DIST, SSIM_REF_DIST, SSIM_MOMENTS };

/* Similarity of luminance, contrast and structure at the pixels of a row. */
typedef struct SsimSimilarity {
    double *luminance; /* NULL: not wanted */
    double *contrast;
    float *structure;
} SsimSimilarity;

/*
 * A row whose columns are separated into even and odd ones: column 2 i is even[i], column 2 i + 1
 * is odd[i]. Both hold mirrored samples for i = -2 and -1, and beyond the end.
 */
typedef struct SsimSplitRow {
    float *even, *odd;
} SsimSplitRow;

typedef struct SsimKernels {
    /* The row's samples times a power of two. */
    void (*load_bytes)(float *out, const void *in, unsigned w, float factor);
    void (*load_words)(float *out, const void *in, unsigned w, float factor);
    void (*multiply)(float *out, const float *a, const float *b, unsigned w);
    /* w outputs from w + SSIM_TAPS - 1 samples of a row, or from SSIM_TAPS rows. */
    void (*filter_row)(float *out, const float *in, unsigned w);
    void (*filter_columns)(float *out, const float *const rows[SSIM_TAPS], unsigned w);
    void (*similarity)(const SsimSimilarity *out, const float *const means[SSIM_MOMENTS],
                       unsigned w);
    /* A row of the next scale, w outputs. */
    void (*pyramid_row)(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w);
    /* The same for samples of pictures, up to 16 bits. Their products are multiples of 2^-43 and
     * the sums of their magnitudes are below 2^9: binary64 is exact, the order does not matter. */
    void (*picture_pyramid_row)(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w);
} SsimKernels;

/* The same functions for each instruction set. */
ISA_DECLARE(SsimKernels, ssim_kernels);

#endif
