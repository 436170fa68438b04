/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_ROWS_H
#define METRICS_ADM_ADM_ROWS_H

/* The plan of a stream, and the rows that a worker keeps: for adm_accumulate.c. */

#include "metrics/adm/adm_internal.h"
#include "metrics/framework/extractor.h"

enum {
    REFERENCE,
    DISTORTED,
    PICTURES,

    RESTORED = 0, /* signals that decoupling gives */
    ADDED,
    SIGNALS,

    APPROX_RING = 4,
    NEIGHBOUR_RING = 3,
    SIGNAL_RING = 2,
};

/* What depends on the options. */
typedef struct AdmVariant {
    double gain_limit;
    bool skip_aim, skip_scale0;
    uint32_t weights[ADM_SCALES][ADM_BANDS];
} AdmVariant;

typedef struct AdmPlan {
    unsigned bpc;
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    AdmExtent column_cone[ADM_SCALES];
    AdmShifts shifts[ADM_SCALES];
    AdmKernels kernels;
    unsigned n_variants;
    AdmVariant variants[];
} AdmPlan;

/* Rows around the one in work, of one variant at one scale. Coefficients are int16_t at scale 0. */
typedef struct MaskingRows {
    void *signal[SIGNALS][SIGNAL_RING][ADM_BANDS];
    int32_t *neighbours[SIGNALS][NEIGHBOUR_RING];
    int32_t *centre[SIGNALS][SIGNAL_RING];
    /* Sums without the row that was evaluated last; noted where the next one may repeat it. */
    uint64_t before[SIGNALS][ADM_BANDS];
} MaskingRows;

typedef struct ScaleRows {
    AdmExtent extent;
    int next; /* row to be made */
    AdmRepetition repetition;
    uint64_t den_before[ADM_BANDS]; /* as in MaskingRows */
    void *approx[PICTURES][APPROX_RING];
    MaskingRows *masking; /* of each variant */
} ScaleRows;

/* What is kept of the reference at one scale for further distorted pictures: rows of detail from
 * one on, and the denominators. */
typedef struct KeptScale {
    uint8_t *rows[ADM_BANDS];
    size_t stride; /* bytes from row to row */
    int first;
    uint64_t den[ADM_BANDS];
} KeptScale;

typedef struct AdmScratch {
    ScaleRows scale[ADM_SCALES];
    void *detail[PICTURES][ADM_BANDS];
    void *wavelet_workspace;
    int32_t *masking_workspace;
    /* Set for the accumulation in progress: */
    const AdmPlan *plan;
    const FrameInput *input;
    void *const *records;
    ReferenceUse use;
    void *memory;
    void *kept_memory; /* made when first needed; NULL: nothing can be kept */
    KeptScale kept[ADM_SCALES];
} AdmScratch;

static inline size_t coefficient_size(int scale)
{
    return scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
}

/* Memory for what is kept of the reference, unless there is some. If there is none to be had,
 * nothing is kept. */
void adm_make_kept(AdmScratch *scratch, const AdmPlan *plan);

#endif
