/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_PLAN_H
#define METRICS_CAMBI_CAMBI_PLAN_H

/*
 * What CAMBI keeps for a stream (plan) and for a worker (scratch).
 */

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_geometry.h"
#include "metrics/cambi/cambi_kernels.h"
#include "metrics/cambi/cambi_visibility.h"

/* The samples of a picture that a resized one takes; NULL: all. */
typedef struct CambiSampling {
    uint32_t *columns, *rows;
} CambiSampling;

/* One request: its options, worked out. */
typedef struct CambiVariant {
    CambiGeometry geometry[CAMBI_PICTURES];
    CambiSampling sampling[CAMBI_PICTURES];
    size_t pooled[CAMBI_PICTURES][CAMBI_SCALES]; /* pixels; see cambi_pooled_pixels */
    bool full_ref;
    bool smooth;          /* against dithering */
    double heat_map_gain; /* 0: no heat maps */
    CambiBand band;
    uint16_t *trapezium[CAMBI_PICTURES]; /* see CambiCounts */
    size_t trapezium_stride[CAMBI_PICTURES];
} CambiVariant;

typedef struct CambiPlan {
    CambiKernels kernels;
    PictureFormat format;
    float *reciprocals;
    /* The largest of all variants and pictures. */
    unsigned max_w, max_h, max_radius, max_count_rows;
    unsigned n_variants;
    CambiVariant variants[];
} CambiPlan;

/* A plane of codes and which of its pixels are not masked out; rows have the same stride. */
typedef struct CambiImage {
    uint16_t *codes;
    uint8_t *mask;
} CambiImage;

/* A ring that holds the rows under the window of flatness and one more. */
enum { CAMBI_FLAT_ROWS = 8 };

typedef struct CambiScratch {
    size_t stride;       /* of images and rows, in elements */
    CambiImage image[2]; /* scales alternate; the second is of half size */
    uint16_t *rows;      /* ring of three rows of codes */
    uint8_t *flat;       /* a row of zeros, and a ring of CAMBI_FLAT_ROWS */
    uint8_t *flat_sums;  /* one row, with a margin on both sides */
    void *samples;       /* one row, of the picture */
    uint16_t *band;      /* one row */
    uint32_t *begins;    /* one row */
    CambiRun *runs;      /* ring of as many rows as the window has */
    unsigned *n_runs;
    uint16_t *counts;
    size_t counts_stride;
    unsigned counts_margin;
    float *contrasts; /* of all pixels of a scale that are not masked out */
} CambiScratch;

int cambi_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags);
void cambi_plan_destroy(void *plan);
int cambi_scratch_create(void **scratch, const void *plan);
void cambi_scratch_destroy(void *scratch);
int cambi_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[]);

#endif
