/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_KERNELS_H
#define METRICS_SPEED_SPEED_KERNELS_H

/*
 * The inner loops of SpEED that see many samples. The scalar functions define the numbers; others
 * have to give the same in every bit, so sums keep their order.
 */

#include <stdbool.h>
#include <stddef.h>

#include "metrics/speed/speed_view.h"

/* Rows of 25 numbers are padded with zeros to this. */
enum { SPEED_PADDED_SAMPLES = 32 };

typedef struct SpeedKernels {
    /* Samples, or the differences of those of two rows, times the factor, in the range of 8-bit
     * video about 0; exact. `deep`: words; bytes have the factor 1. */
    void (*load_samples)(const void *samples, bool deep, float factor, float *out, unsigned w);
    void (*load_differences)(const void *samples, const void *subtracted, bool deep, float factor,
                             float *out, unsigned w);
    /* out[x] = taps[0] rows[0][x] + taps[1] rows[1][x] + ..., added in this order. Rows can be
     * read, and out can be written, up to the next multiple of 16 columns. */
    void (*weigh_rows)(const float *const rows[], const float taps[], int n_taps, float *out,
                       unsigned w);
    /* For each sample of a 5x5 window, the sum over window_w x window_h places in raster order. */
    void (*window_sums)(const float *plane, size_t stride, const SpeedGeometry *geometry,
                        float sums[SPEED_BLOCK][8]);
    /* sums[a][b] += deviations[i][a] deviations[i][b] for i = 0, 1, ..., n - 1 in this order and
     * b <= a; the rest of the sums may be overwritten with anything. */
    void (*add_products)(double (*deviations)[SPEED_PADDED_SAMPLES], unsigned n,
                         double (*sums)[SPEED_PADDED_SAMPLES]);
} SpeedKernels;

void speed_kernels_init(SpeedKernels *kernels, unsigned cpu_flags);

#endif
