/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_PLAN_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_PLAN_H

/*
 * What SSIMULACRA 2 keeps for a stream (plan) and for a worker (scratch), and the reduction of a
 * frame to a record.
 */

#include "metrics/framework/extractor.h"
#include "metrics/ssimulacra2/ssimulacra2_kernels.h"

typedef struct Ssimulacra2Plan {
    Ssimulacra2Kernels kernels;
    PictureFormat format;
    Ssimulacra2Sizes sizes;
    Ssimulacra2Work work[SSIMULACRA2_COMPONENTS][SSIMULACRA2_SCALES];
    Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE];
    uint32_t *chroma_columns; /* by column of luma */
    unsigned n_variants;
    Ssimulacra2Conversion variants[];
} Ssimulacra2Plan;

/* Rows of XYB that are needed at a time: maps are made SSIMULACRA2_BLUR_AHEAD rows late. */
enum { SSIMULACRA2_XYB_ROWS = SSIMULACRA2_BLUR_AHEAD + SSIMULACRA2_LANES };

/* What a scale keeps for the rows below. First index of pictures: 0 for the reference. */
typedef struct Ssimulacra2Rows {
    size_t stride;                         /* of all of them, in floats */
    float *rgb[2][3];                      /* two rows of linear R, G, B */
    float *xyb[2][SSIMULACRA2_COMPONENTS]; /* rings */
    /* Rings of SSIMULACRA2_BLUR_REACH rows that were blurred along x, followed by the sections of
     * the columns. */
    float *columns[SSIMULACRA2_COMPONENTS][SSIMULACRA2_MOMENTS];
    size_t columns_size; /* bytes of one component and moment */
    unsigned n_rows;     /* that have come in */
    unsigned n_blurred;  /* that went into the columns */
} Ssimulacra2Rows;

typedef struct Ssimulacra2Scratch {
    void *memory; /* all of the following */
    Ssimulacra2Rows scales[SSIMULACRA2_SCALES];
    float *chroma[2][2]; /* rows of U and V, by picture */
    float *tiles[2];     /* by picture; preceded by SSIMULACRA2_BLUR_REACH columns of zeros */
    float *moments[SSIMULACRA2_MOMENTS]; /* a band of rows */
    size_t moments_stride;
    float *zeros;                       /* a row below the picture */
    double *maps[SSIMULACRA2_MAP_ROWS]; /* rows */
} Ssimulacra2Scratch;

int ssimulacra2_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                            unsigned n_variants, unsigned cpu_flags);
void ssimulacra2_plan_destroy(void *plan);
int ssimulacra2_scratch_create(void **scratch, const void *plan);
void ssimulacra2_scratch_destroy(void *scratch);

/* Adds a pair of pictures to the records (VmafRecordSsimulacra2) of the variants; see extractor.h.
 */
void ssimulacra2_accumulate(const Ssimulacra2Plan *plan, Ssimulacra2Scratch *scratch,
                            const VmafPicture *const pictures[2], void *const records[]);

#endif
