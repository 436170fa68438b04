/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_KERNELS_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_KERNELS_H

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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/ssimulacra2/ssimulacra2_colour.h"
#include "metrics/ssimulacra2/ssimulacra2_weights.h"
#include "support/isa_variant.h"

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

typedef struct Ssimulacra2Kernels {
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
} Ssimulacra2Kernels;

/* The fastest kernels for a processor, from its CPU_* flags. */
void ssimulacra2_kernels_init(Ssimulacra2Kernels *kernels, unsigned cpu_flags);

/* By subject. */
ISA_DECLARE_INIT(Ssimulacra2Kernels, ssimulacra2_init_colour);
ISA_DECLARE_INIT(Ssimulacra2Kernels, ssimulacra2_init_blur);
ISA_DECLARE_INIT(Ssimulacra2Kernels, ssimulacra2_init_maps);

#endif
