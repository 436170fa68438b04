/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_INTERNAL_H
#define METRICS_SSIM_SSIM_INTERNAL_H

#include "metrics/framework/extractor.h"
#include "metrics/ssim/ssim.h"
#include "metrics/ssim/ssim_kernel.h"

/*
 * Structural similarity of luma from integer sums. Unlike float_ssim it never reduces pictures, and
 * at the border it uses the part of the window that lies inside.
 */
extern const FeatureExtractor ssim_extractor;

/*
 * The inner loops of `ssim`, one row of w columns at a time: local sums of samples, of their
 * squares and of their products under a Gaussian window with integer taps. They are integers below
 * 2^48, held exactly in binary64. Inputs and outputs do not overlap.
 */

enum { SSIM_TAPS = 2 * INTEGER_SSIM_RADIUS + 1 };

static const double ssim_taps[INTEGER_SSIM_RADIUS + 1] = {INTEGER_SSIM_WINDOW};

/* What is summed: samples, squares, products. */
enum {
    SSIM_SUM_REF,
    SSIM_SUM_DIST,
    SSIM_SUM_REF_REF,
    SSIM_SUM_DIST_DIST,
    SSIM_SUM_REF_DIST,
    SSIM_SUMS
};

typedef struct IntegerSsimFunctions {
    void (*multiply_bytes)(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w);
    void (*multiply_words)(double *const out[SSIM_SUMS], const void *ref, const void *dist,
                           unsigned w);
    void (*filter_columns)(double *out, const double *const rows[SSIM_TAPS], unsigned w);
    /* Reads INTEGER_SSIM_RADIUS columns on both sides of the row. */
    void (*filter_row)(double *out, const double *in, unsigned w);
    /* Similarity of each pixel times its weight, which is weights[x] * row_weight. */
    void (*similarity)(double *out, const double *const sums[SSIM_SUMS], const double *weights,
                       double row_weight, const SsimConstants *constants, unsigned w);
} IntegerSsimFunctions;

/* The functions for the instruction sets in `cpu_flags`. */
void integer_ssim_functions_init(IntegerSsimFunctions *functions, unsigned cpu_flags);

#endif
