/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_INTERNAL_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_INTERNAL_H

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_internal.h"
#include "metrics/float_adm/float_adm.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

typedef struct FloatAdmFunctions {
    void (*luma8)(const FloatAdmLumaRow *row);
    void (*luma16)(const FloatAdmLumaRow *row);
    void (*wavelet)(const FloatAdmWaveletRow *row);
    void (*decouple)(const FloatAdmDecouple *row);
    void (*visible)(const FloatAdmVisible *row);
    void (*reference)(const FloatAdmReference *row);
    /* Sums from left to right. */
    void (*sum)(FloatAdmTerms terms, AdmRange columns, FloatAdmSums sums);
} FloatAdmFunctions;

/* The fastest functions for a processor with these CPU_* flags. */
void float_adm_functions_init(FloatAdmFunctions *functions, unsigned cpu_flags);

/* The parts of the table, for each instruction set. */
ISA_DECLARE_INIT(FloatAdmFunctions, float_adm_functions_fill);

/*
 * The reciprocal that the definition of float_adm contains: the estimate that the instruction
 * RCPSS of Intel processors gives, refined by one Newton step. Processors of others have other
 * tables, and so other last digits; here it is computed, and is the same everywhere.
 */

#define FLOAT_ADM_SIGN     0x80000000U
#define FLOAT_ADM_EXPONENT 0x7F800000U

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/*
 * With m the upper 11 bits of the fraction of x, the significand of the estimate is
 * 8192 / (1 + (m + 1/2) / 2048), rounded to the nearest integer n, 4096 <= n < 8192. What it has
 * above 4096 is the integer part of (16775168 - 8191 m) / (4097 + 2 m). Numerator and denominator
 * are exact in binary32, and the quotient is never so close below an integer that rounding would
 * reach it.
 *
 * For normal numbers below 2^126; coefficients of pictures are not larger than 2^14.
 */
static inline float float_adm_reciprocal_estimate(float x)
{
    const uint32_t bits = bits_of_float(x);
    const float m = (float)(int32_t)(bits >> 12 & 2047);
    const int32_t fraction = (int32_t)((16775168.0F - 8191.0F * m) / (4097.0F + 2.0F * m));
    const uint32_t exponent = (253U << 23) - (bits & FLOAT_ADM_EXPONENT);
    return float_of_bits((bits & FLOAT_ADM_SIGN) | (exponent + ((uint32_t)fraction << 11)));
}

static inline float float_adm_reciprocal(float x)
{
    const float y = float_adm_reciprocal_estimate(x);
    return y + y * (1.0F - x * y);
}

#endif
