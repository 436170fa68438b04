/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_PLAN_H
#define METRICS_VIF_VIF_PLAN_H

/*
 * What VIF keeps for a stream (plan) and for a worker (scratch), and the reduction of a plane to
 * a record.
 */

#include "metrics/framework/extractor.h"
#include "metrics/vif/vif_log_table.h"
#include "metrics/vif/vif_pairs.h"

typedef struct VifVariant {
    double gain_limit;
    bool skip_scale0;
} VifVariant;

typedef struct VifPlan {
    VifKernels kernels;
    const VifPairKernels *pairs; /* NULL: row by row */
    bool keeps_reference;        /* for further distorted pictures */
    unsigned depth;
    unsigned w[VIF_SCALES], h[VIF_SCALES];
    uint32_t log_bows[VIF_LOG_STEPS];
    unsigned n_variants;
    VifVariant variants[];
} VifPlan;

/* Rows of the reference that are kept for further distorted pictures, at scale 0. */
enum { VIF_SHARED_ROWS = 128 };

/* What is kept of one scale: rows, from one on. */
typedef struct VifKept {
    int32_t *rows;
    unsigned first;
    int64_t log_den;
} VifKept;

typedef struct VifScratch {
    void *memory;                    /* all of the following */
    uint16_t *image[2][VIF_SCALES];  /* reference and distorted; scale 0 is the picture itself */
    size_t image_stride[VIF_SCALES]; /* in samples */
    uint16_t *decimated_columns;
    double *limits;        /* of the variants that are measured at this scale */
    int64_t *log_num;      /* their sums */
    int64_t *step_log_num; /* those of a row, or a pair of rows */

    /* For rows one by one. */
    uint8_t *products[VIF_MOMENTS]; /* ring of VIF_MAX_TAPS rows */
    size_t product_stride;          /* in bytes */
    VifColumnMoments columns;
    VifVariances variances;

    /* For rows in pairs. */
    int16_t *joined;      /* ring of VIF_MAX_PAIRS joined rows */
    size_t joined_stride; /* in samples */
    VifColumnMoments pair_columns[2];
    void *kept_memory; /* made when first needed; NULL: nothing can be kept */
    VifKept kept[VIF_SCALES];
} VifScratch;

/* Plane-agnostic: a picture pair is two planes of equal size. */
typedef struct VifPlane {
    const void *data;
    ptrdiff_t stride; /* in bytes */
} VifPlane;

int vif_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags);
int vif_scratch_create(void **scratch, const void *plan);
void vif_scratch_destroy(void *scratch);

/* Adds rows of a plane pair to the records (VmafRecordVif) of the variants; see extractor.h. */
void vif_accumulate(const VifPlan *plan, VifScratch *scratch, const VifPlane planes[2],
                    RowBand band, void *const records[]);
/* The same for a band of at most VIF_SHARED_ROWS rows; see accumulate_shared there. */
void vif_accumulate_shared(const VifPlan *plan, VifScratch *scratch, const VifPlane planes[2],
                           RowBand band, void *const records[], ReferenceUse use);
/* Makes room for what is kept; without memory nothing is, and `use` makes no difference. */
void vif_scratch_make_kept(VifScratch *scratch, const VifPlan *plan);

#endif
