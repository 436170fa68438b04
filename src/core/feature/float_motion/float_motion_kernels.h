/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_MOTION_FLOAT_MOTION_KERNELS_H
#define CORE_FEATURE_FLOAT_MOTION_FLOAT_MOTION_KERNELS_H

/*
 * The rows of float_motion. All instruction sets give the same bits: sums have the order that is
 * written here.
 */

#include <stdbool.h>

typedef struct FloatMotionKernels {
    /* out[x] = samples[x] factor - 128. `deep`: words; bytes have the factor 1. */
    void (*load)(const void *samples, bool deep, float factor, float *out, unsigned w);
    /* out[x] = taps[0] rows[0][x] + taps[1] rows[1][x] + ..., added in this order; 3 or 5 taps. */
    void (*filter_columns)(const float *const rows[], const float taps[], int n_taps, float *out,
                           unsigned w);
    /* out[x] = taps[0] row[x - n_taps / 2] + ..., added in this order; 3 or 5 taps. */
    void (*filter_row)(const float *row, const float taps[], int n_taps, float *out, unsigned w);
    /* out[x] = |a[x] - b[x]| */
    void (*differences)(const float *a, const float *b, float *out, unsigned w);
} FloatMotionKernels;

/* Those for the instruction sets in `cpu_flags`. */
const FloatMotionKernels *float_motion_kernels(unsigned cpu_flags);

#endif
