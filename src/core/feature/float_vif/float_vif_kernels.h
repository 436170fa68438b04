/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_KERNELS_H
#define CORE_FEATURE_FLOAT_VIF_FLOAT_VIF_KERNELS_H

/*
 * The inner loops of float_vif, one row at a time. Every operation is rounded to binary32 by itself
 * and sums are made in the order of their terms, for each sample alone.
 */

#include "support/isa_twin.h"

/* A row of the five filtered images, and their statistics. */
typedef struct FloatVifMoments {
    const float *mean_ref, *mean_dist;
    const float *ref_ref, *dist_dist, *ref_dist; /* filtered products */
} FloatVifMoments;

typedef struct FloatVifParameters {
    float gain_limit;
    double noise_variance;
    float flat_factor; /* what a variance below the noise counts */
} FloatVifParameters;

typedef struct FloatVifKernels {
    /* out[x] = sum of tap[k] * rows[k][x] over k = 0 .. n_taps - 1. */
    void (*weighted_sum)(const float *const *rows, const float *taps, int n_taps, float *out,
                         unsigned w);
    /* Products of two rows: a a, b b, a b. */
    void (*products)(const float *a, const float *b, float *aa, float *bb, float *ab, unsigned w);
    /* Contributions of each pixel to numerator and denominator. */
    void (*information)(const FloatVifMoments *moments, const FloatVifParameters *parameters,
                        float *num, float *den, unsigned w);
} FloatVifKernels;

/* The same functions for each instruction set. */
ISA_DECLARE(FloatVifKernels, float_vif_kernels);

#endif
