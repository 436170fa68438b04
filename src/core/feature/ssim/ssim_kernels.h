/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SSIM_SSIM_KERNELS_H
#define CORE_FEATURE_SSIM_SSIM_KERNELS_H

/*
 * The inner loops of `ssim`, one row of w columns at a time: local sums of samples, of their
 * squares and of their products under a Gaussian window with integer taps. They are integers below
 * 2^48, held exactly in binary64. Inputs and outputs do not overlap.
 */

enum { SSIM_SUM_RADIUS = 4, SSIM_SUM_TAPS = 2 * SSIM_SUM_RADIUS + 1 };

/* 256 times a Gaussian of standard deviation 1.5, by distance from the centre. */
static const double ssim_sum_taps[SSIM_SUM_RADIUS + 1] = {68, 55, 28, 9, 2};

/* What is summed: samples, squares, products. */
enum {
    SSIM_SUM_REF,
    SSIM_SUM_DIST,
    SSIM_SUM_REF_REF,
    SSIM_SUM_DIST_DIST,
    SSIM_SUM_REF_DIST,
    SSIM_SUMS
};

/* The constants of the paper, (0.01 L)^2 and (0.03 L)^2 for a peak of L. */
typedef struct SsimConstants {
    double c1, c2;
} SsimConstants;

typedef struct IntegerSsimKernels {
    void (*multiply_bytes)(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w);
    void (*multiply_words)(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w);
    void (*filter_columns)(double *out, const double *const rows[SSIM_SUM_TAPS], unsigned w);
    /* Reads SSIM_SUM_RADIUS columns on both sides of the row. */
    void (*filter_row)(double *out, const double *in, unsigned w);
    /* Similarity of each pixel times its weight, which is weights[x] * row_weight. */
    void (*similarity)(double *out, const double *const sums[SSIM_SUMS], const double *weights,
                       double row_weight, const SsimConstants *constants, unsigned w);
} IntegerSsimKernels;

/* Those for the instruction sets in `cpu_flags`. */
void integer_ssim_kernels_init(IntegerSsimKernels *kernels, unsigned cpu_flags);

#endif
