/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_INTERNAL_H
#define METRICS_CIEDE_CIEDE_INTERNAL_H

#include <stdint.h>

#include "metrics/ciede/ciede_formula.h"
#include "metrics/framework/extractor.h"

/* Mean CIEDE2000 colour difference, as a score in decibels. */
extern const FeatureExtractor ciede_extractor;

/* Sum of the colour differences of a frame, from left to right and from top to bottom. The order of
 * its additions is part of the metric, so it always covers a whole frame. */
typedef struct CiedeRecord {
    double sum;
} CiedeRecord;

/* So many that the working memory of a batch stays in the first-level cache. */
enum { CIEDE_BATCH = 64 };

enum { CIEDE_REF, CIEDE_DIST, CIEDE_PICTURES };

/* Pixels in both pictures: code values of Y, Cb and Cr. */
typedef struct CiedeBatch {
    uint16_t samples[CIEDE_PICTURES][3][CIEDE_BATCH];
} CiedeBatch;

/* Linear light of 8-bit pixels, of which red depends on Y and Cr only, and blue on Y and Cb. */
typedef struct CiedeTables {
    double red[256][256], blue[256][256]; /* chroma, luma */
} CiedeTables;

typedef struct CiedeKernels {
    void (*fill_tables)(CiedeTables *tables, const CiedeRange *range);
    /* The difference of each pixel of a batch, equal to ciede_delta_e of its colours. Tables only
     * if all samples are less than 256, else NULL. */
    void (*delta_e)(const CiedeRange *range, const CiedeTables *tables, const CiedeBatch *batch,
                    float result[CIEDE_BATCH]);
    /* Adds the first n results to the sum, in order. */
    void (*add)(const float result[CIEDE_BATCH], unsigned n, double *sum);
} CiedeKernels;

/* Kernels of the widest vectors that the flags, CPU_*, allow. */
void ciede_kernels_init(CiedeKernels *kernels, unsigned cpu_flags);

#endif
