/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_INTERNAL_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_internal.h"
#include "metrics/float_adm/float_adm.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"

/*
 * ADM in binary32: the metric of feature/adm with more options and without the rounding of
 * fixed-point arithmetic. Geometry and most weights are the same.
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

extern const FeatureExtractor float_adm_extractor;

/* Pixels to records; the functions are those of FeatureExtractor. Whole frames only. */

/*
 * The row functions of float_adm. The scalar functions define the numbers: each operation of
 * binary32 or binary64 is rounded by itself, in the order in which it is written. Others have to
 * give the same in every case.
 *
 * Rows are indexed by absolute column, and may be accessed from FLOAT_ADM_MARGIN columns before
 * the first to as many after the last; what lies outside of the stated range may be overwritten
 * with anything. Picture rows are valid within the picture only. Rows that are written do not
 * overlap with any other.
 */

enum { FLOAT_ADM_MARGIN = 16 };

/* The sums over a row, three bands each: of the reference, of the restored signal, and of the
 * additive impairment. */
enum { FLOAT_ADM_DEN, FLOAT_ADM_NUM, FLOAT_ADM_AIM, FLOAT_ADM_QUANTITIES };

/* What the wavelet reads: even and odd columns apart, so that decimation reads neighbours in
 * memory; mirrored where they touch the ends. Index i is columns 2 i and 2 i + 1. */
typedef struct FloatAdmSplitRow {
    float *even, *odd;
} FloatAdmSplitRow;

/* Luma relative to mid grey, in 8-bit grey levels. */
typedef struct FloatAdmLumaRow {
    const void *samples;
    int size;         /* of the whole row, in samples */
    AdmRange columns; /* that are needed */
    int depth;        /* in bits */
    FloatAdmSplitRow output;
} FloatAdmLumaRow;

/* One row of wavelet output, for all four bands. */
typedef struct FloatAdmWaveletRow {
    FloatAdmSplitRow input[4];
    int size;                /* of the output row */
    AdmRange approx, detail; /* columns of band a and of the others; either may be empty */
    FloatAdmSplitRow a;
    float *bands[ADM_BANDS];
    FloatAdmSplitRow low, high; /* workspace */
    float *whole_a;
} FloatAdmWaveletRow;

/* Decoupling of one row, and its weighting. */
typedef struct FloatAdmDecouple {
    AdmRange columns;
    int size; /* of the band */
    double gain_limit;
    float weights[ADM_BANDS];
    const float *ref[ADM_BANDS], *dist[ADM_BANDS];
    /* Weighted magnitudes of what is left of the reference and of what was added. */
    float *restored[ADM_BANDS], *added[ADM_BANDS];
    /* What each adds to the visibility threshold of its neighbours; mirrored at the ends. */
    float *restored_masking[ADM_BANDS], *added_masking[ADM_BANDS];
    uint32_t *near; /* workspace */
} FloatAdmDecouple;

/* What of a signal is visible beside another one. */
typedef struct FloatAdmVisible {
    AdmRange columns;
    bool cube; /* the third power of it */
    const float *target[ADM_BANDS];
    /* The masking signal: weighted magnitudes, and masking of the rows above, here and below. */
    const float *masker[ADM_BANDS], *masking[ADM_BANDS][3];
    bool bypass; /* nothing masks: the threshold is 0, and these are not read */
    float *terms[ADM_BANDS];
    float *threshold; /* workspace */
} FloatAdmVisible;

/* Weighted magnitudes of the reference, or their third power. */
typedef struct FloatAdmReference {
    AdmRange columns;
    bool cube;
    float weights[ADM_BANDS];
    const float *ref[ADM_BANDS];
    float *terms[ADM_BANDS];
} FloatAdmReference;

typedef float *FloatAdmTerms[FLOAT_ADM_QUANTITIES][ADM_BANDS];
typedef float FloatAdmSums[FLOAT_ADM_QUANTITIES][ADM_BANDS];

typedef struct FloatAdmKernels {
    void (*luma8)(const FloatAdmLumaRow *row);
    void (*luma16)(const FloatAdmLumaRow *row);
    void (*wavelet)(const FloatAdmWaveletRow *row);
    void (*decouple)(const FloatAdmDecouple *row);
    void (*visible)(const FloatAdmVisible *row);
    void (*reference)(const FloatAdmReference *row);
    /* Sums from left to right. */
    void (*sum)(FloatAdmTerms terms, AdmRange columns, FloatAdmSums sums);
} FloatAdmKernels;

/* The fastest functions for a processor with these CPU_* flags. */
void float_adm_kernels_init(FloatAdmKernels *kernels, unsigned cpu_flags);

/* The parts of the table, for each instruction set. */
ISA_DECLARE_INIT(FloatAdmKernels, float_adm_kernels_fill);

#endif
