/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_INTERNAL_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "metrics/ssimulacra2/ssimulacra2.h"
#include "support/cpu.h"

/*
 * SSIMULACRA 2: structural similarity and edge maps of three perceptual components (XYB) at six
 * scales, pooled by weights that were fitted to opinions about compressed photographs.
 *
 * J. Sneyers, "SSIMULACRA 2 - Structural SIMilarity Unveiling Local And Compression Related
 * Artifacts", Cloudinary, 2022; revision 2.1, 2023.
 */

extern const FeatureExtractor ssimulacra2_extractor;

/*
 * The inner loops of SSIMULACRA 2. Every operation is one rounded binary32 (maps: binary64)
 * operation, in the order that the scalar code has: other kernels give the same bits.
 *
 * The blur is recursive: it cannot be cut along a line, and its rounding errors never fade, so
 * they are part of the score. Along columns, the lanes of a vector are neighbouring columns. Along
 * rows, they are neighbouring rows: a band of SSIMULACRA2_LANES rows is transposed to a tile,
 * which holds the rows of its first column, then those of its second, and so on.
 *
 * Rows and tiles other than those of pictures are aligned to 64 bytes, and padded up to a multiple
 * of 64 bytes that may be read and written. Inputs and outputs do not overlap.
 */

enum { SSIMULACRA2_LANES = 16 };

/* Recursions of second order whose sum is the blur. */
enum { SSIMULACRA2_BLUR_SECTIONS = 3 };

/* Samples are bytes (8 bits deep) or words (9 to 16): which kernel reads them. */
enum { SSIMULACRA2_BYTES, SSIMULACRA2_WORDS, SSIMULACRA2_SAMPLE_TYPES };

/*
 * A moment in a band of rows. It is blurred along the rows of the tiles, which are preceded by
 * SSIMULACRA2_BLUR_REACH and followed by SSIMULACRA2_BLUR_AHEAD columns of zeros, then goes down
 * the columns. Rows that are output lie SSIMULACRA2_BLUR_AHEAD above those of the band.
 */
typedef struct Ssimulacra2Blur {
    const float *factors[2]; /* tiles; the second one for products */
    /* A ring of the last SSIMULACRA2_BLUR_REACH rows that went down the columns, followed by the
     * last row, and the one before, of each section. */
    float *columns;
    float *out;
} Ssimulacra2Blur;

typedef struct Ssimulacra2Band {
    unsigned w;
    size_t stride, out_stride;      /* of `columns` and `out` */
    size_t ring[SSIMULACRA2_LANES]; /* places of the rows in the rings */
} Ssimulacra2Band;

/* Rows of both pictures, and their means. */
typedef struct Ssimulacra2Edges {
    const float *ref, *dist, *ref_mean, *dist_mean;
} Ssimulacra2Edges;

enum { SSIMULACRA2_MAP_ROWS = 2 };

typedef struct Ssimulacra2Functions {
    /* A row of chroma, stretched: column x of the output is column columns[x] of the input. */
    void (*chroma[SSIMULACRA2_SAMPLE_TYPES])(float *out, const void *row, const uint32_t *columns,
                                             unsigned w, const Ssimulacra2Conversion *conversion);
    /* u and v from `chroma`. */
    void (*linear_rgb[SSIMULACRA2_SAMPLE_TYPES])(float *const rgb[3], const void *luma,
                                                 const float *u, const float *v, unsigned w,
                                                 const Ssimulacra2Conversion *conversion,
                                                 const Ssimulacra2Segment *transfer);
    void (*xyb)(float *const xyb[3], float *const rgb[3], unsigned w);
    /* Means of 2x2; w counts columns of the input, of which an odd last one counts twice. */
    void (*halve)(float *out, const float *top, const float *bottom, unsigned w);

    /* Rows to tile. Columns up to the next multiple of 16 take what the padding of the rows holds.
     */
    void (*gather)(float *tile, const float *const rows[SSIMULACRA2_LANES], unsigned w);
    /* Blur n moments: tiles, or products of two. */
    void (*blur_means)(const Ssimulacra2Blur blurs[], unsigned n, const Ssimulacra2Band *band);
    void (*blur_products)(const Ssimulacra2Blur blurs[], unsigned n, const Ssimulacra2Band *band);

    /* Add a row of maps to those sums that are wanted, a set of 1 << norm; sums are indexed by
     * norm: those of structural dissimilarity, and those of added and of lost edges. Rows of at
     * least w values are there to work with. */
    void (*add_ssim)(double *sums, unsigned wanted, const float *const moments[SSIMULACRA2_MOMENTS],
                     unsigned w, double *const rows[SSIMULACRA2_MAP_ROWS]);
    void (*add_edges)(double *sums, unsigned wanted, const Ssimulacra2Edges *edges, unsigned w,
                      double *const rows[SSIMULACRA2_MAP_ROWS]);
} Ssimulacra2Functions;

/* The fastest functions for a processor, from its CPU_* flags. */
void ssimulacra2_functions_init(Ssimulacra2Functions *functions, unsigned cpu_flags);

/* By subject. */
ISA_DECLARE_INIT(Ssimulacra2Functions, ssimulacra2_init_colour);
ISA_DECLARE_INIT(Ssimulacra2Functions, ssimulacra2_init_blur);
ISA_DECLARE_INIT(Ssimulacra2Functions, ssimulacra2_init_maps);

/*
 * What SSIMULACRA 2 keeps for a stream (params) and for a worker (scratch), and the reduction of a
 * frame to a record.
 */

typedef struct Ssimulacra2Params {
    Ssimulacra2Functions functions;
    PictureFormat format;
    Ssimulacra2Sizes sizes;
    Ssimulacra2Work work[SSIMULACRA2_COMPONENTS][SSIMULACRA2_SCALES];
    Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE];
    uint32_t *chroma_columns; /* by column of luma */
    unsigned n_variants;
    Ssimulacra2Conversion variants[];
} Ssimulacra2Params;

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

int ssimulacra2_plan_create(void **params, const PictureFormat *format,
                            const void *const variants[], unsigned n_variants, unsigned cpu_flags);
void ssimulacra2_plan_destroy(void *params);

/* From sums over pixels to the score: norms, their weights, and the final curve. */

/* Not finite if a sum with a weight is not. */
double ssimulacra2_weighted_norms(const VmafRecordSsimulacra2 *record,
                                  const Ssimulacra2Sizes *sizes);

/* 100 for no error; not bounded below. */
double ssimulacra2_score(double weighted_norms);

#endif
