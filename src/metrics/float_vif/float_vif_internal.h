/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_INTERNAL_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_INTERNAL_H

#include "libvmaf/backend_records.h"
#include "metrics/common/resample.h"
#include "metrics/float_vif/float_vif.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"

/* Visual information fidelity at four scales, in floating point. */
extern const FeatureExtractor float_vif_extractor;

/*
 * The inner loops of float_vif, one row at a time. Every operation is rounded to binary32 by itself
 * and sums are made in the order of their terms, for each sample alone.
 *
 * Rows may be read and written for up to FLOAT_VIF_PADDING samples beyond their end.
 */

enum { FLOAT_VIF_PADDING = 15 };

/* Rows that are filtered vertically at a time, so that what they share is read once. */
enum { FLOAT_VIF_GROUP = 4 };

/* A row of the five filtered images, and their statistics. */
typedef struct FloatVifMoments {
    const float *mean_ref, *mean_dist;
    const float *ref_ref, *dist_dist, *ref_dist; /* filtered products */
} FloatVifMoments;

/* Numerator and denominator. */
typedef struct FloatVifSums {
    float num, den;
} FloatVifSums;

typedef struct FloatVifFunctions {
    /* out[x] = sum of taps[k] * rows[k][x] over k = 0 .. n_taps - 1. */
    void (*weighted_sum)(const float *const *rows, const float *taps, int n_taps, float *out,
                         unsigned w);
    /* The same for successive rows: out[i] begins at rows[i]. At least 3 taps. */
    void (*weighted_sums)(const float *const *rows, const float *taps, int n_taps,
                          float *const out[FLOAT_VIF_GROUP], unsigned w);
    /* Products of two rows: a a, b b, a b. */
    void (*products)(const float *a, const float *b, float *aa, float *bb, float *ab, unsigned w);
    /* Sums over the pixels of each of n_rows rows, up to FLOAT_VIF_GROUP, from left to right. */
    void (*information)(const FloatVifMoments *moments, int n_rows,
                        const FloatVifParameters *parameters, unsigned w, FloatVifSums *sums);
} FloatVifFunctions;

/* The fastest functions for a processor with these CPU_* flags. */
void float_vif_functions_init(FloatVifFunctions *functions, unsigned cpu_flags);
ISA_DECLARE_INIT(FloatVifFunctions, float_vif_functions_fill);

#endif
