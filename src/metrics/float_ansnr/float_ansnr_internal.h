/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ANSNR_FLOAT_ANSNR_INTERNAL_H
#define METRICS_FLOAT_ANSNR_FLOAT_ANSNR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/float_ansnr/float_ansnr_filter.h"
#include "metrics/framework/extractor.h"

/* "Anchored" signal-to-noise ratios of low-pass filtered luma. */
extern const FeatureExtractor float_ansnr_extractor;

/* The rows of float_ansnr, in the order of operations that is the definition. */

/* Samples are words if `deep`, else bytes. */
typedef struct AnsnrFunctions {
    /* out[x] = samples[x] factor - 128, which is exact. Bytes have the factor 1. */
    void (*load)(const void *samples, bool deep, float factor, float *out, unsigned w);
    /* out[x] = taps[0] row[x - 2] + taps[1] row[x - 1] + ..., added in this order. */
    void (*sum_taps)(const float *row, const float taps[ANSNR_TAPS], float *out, unsigned w);
    /* out[x] = above[x] + 2 here[x] + below[x] */
    void (*sum_columns)(const void *above, const void *here, const void *below, bool deep,
                        int32_t *out, unsigned w);
    /*
     * With ref = factor (columns[x - 1] + 2 columns[x] + columns[x + 1]) - 128 and dist the sum of
     * the five rows from first to last: signal[x] = ref^2, noise[x] = (ref - dist)^2.
     */
    void (*squares)(const int32_t *columns, float factor, const float *const rows[ANSNR_TAPS],
                    float *signal, float *noise, unsigned w);
} AnsnrFunctions;

/* The functions for the instruction sets in `cpu_flags`. */
const AnsnrFunctions *ansnr_functions(unsigned cpu_flags);

#endif
