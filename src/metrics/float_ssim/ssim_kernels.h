/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_KERNELS_H
#define METRICS_FLOAT_SSIM_SSIM_KERNELS_H

/*
 * The inner loops of SSIM, one row at a time.
 *
 * A filtered sample is defined as follows: each product of a sample and a tap is rounded to
 * binary32, the products are added in binary64 in the order of the taps, and the sum is rounded to
 * binary32 once.
 *
 * Rows may be read and written for SSIM_PADDING elements beyond their end. Inputs and outputs do
 * not overlap.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/float_ssim/ssim_constants.h"
#include "support/isa_variant.h"

enum { SSIM_PADDING = 16 };

/* Outputs of a column or lane whose first products have been added, and not the last. */
enum { SSIM_IN_PROGRESS = SSIM_TAPS - 1 };

/* Rows of a smaller picture that are computed at a time, at most one of them finished by every pair
 * of rows. Columns likewise, so that intermediate results stay in the first-level cache. */
enum { SSIM_PYRAMID_BAND = 5, SSIM_PYRAMID_BLOCK = 64 };

/* Samples before and after rows of pictures. */
enum { SSIM_PYRAMID_MARGIN = 64 };

/* Images whose local means make up the index. */
enum { SSIM_REF, SSIM_DIST, SSIM_REF_REF, SSIM_DIST_DIST, SSIM_REF_DIST, SSIM_MOMENTS };

/* Similarity of luminance, contrast and structure at the pixels of a row. */
typedef struct SsimSimilarity {
    double *luminance; /* NULL: not wanted */
    double *contrast;
    float *structure;
} SsimSimilarity;

/*
 * A row whose columns are separated into even and odd ones: column 2 i is even[i], column 2 i + 1
 * is odd[i]. Both hold mirrored samples for i = -2 and -1, and beyond the end.
 */
typedef struct SsimSplitRow {
    float *even, *odd;
} SsimSplitRow;

/*
 * Rows are filtered with their columns dealt to `lanes` lanes: lane l of vector i is column
 * l segment + i, where a segment is what each lane has to compute. The next columns of all lanes
 * are thus in the next vector. Filters work on whole turns of SSIM_TAPS vectors, and write vector
 * i + SSIM_IN_PROGRESS where they would write output i: those before it are of no use.
 *
 * is_signed is whether samples may be negative; taps are positive.
 */
typedef struct SsimKernels {
    unsigned lanes;
    /* The row's samples times a power of two. */
    void (*load_bytes)(float *out, const void *in, unsigned w, float factor);
    void (*load_words)(float *out, const void *in, unsigned w, float factor);
    /* n vectors of dealt samples, in a form that the filters share with this function and that
     * needs 64 bits or less for a sample; n may be rounded up to fours. */
    void (*deal)(uint64_t *out, const float *in, size_t segment, size_t n);
    /* Filters a dealt row, or the product of two: n vectors, a multiple of SSIM_TAPS. */
    void (*filter_row)(float *out, const uint64_t *in, size_t n, bool is_signed);
    void (*filter_product)(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed);
    /* Filters n columns of vectors through the next SSIM_TAPS rows and puts in their place the
     * rows of output finished by them. SSIM_IN_PROGRESS sums of each column are kept between
     * calls. */
    void (*filter_columns)(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed);
    void (*similarity)(const SsimSimilarity *out, const float *const means[SSIM_MOMENTS], size_t w);
    /* A row of the next scale, w outputs. */
    void (*pyramid_row)(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w);
    /* The same for pictures, in bands: SSIM_PYRAMID_BAND rows of w outputs, those that are finished
     * by 2 SSIM_PYRAMID_BAND rows of samples. Rows begin with SSIM_PYRAMID_RADIUS mirrored samples
     * before their address, end with as many, and may be read for SSIM_PYRAMID_MARGIN. Sums in
     * progress are kept between calls, ssim_pyramid_in_progress(w) of them. */
    void (*picture_pyramid)(float *const out[SSIM_PYRAMID_BAND],
                            const float *const rows[2 * SSIM_PYRAMID_BAND], double *in_progress,
                            unsigned w);
} SsimKernels;

static inline size_t ssim_pyramid_in_progress(size_t w)
{
    const size_t n_columns = SSIM_PYRAMID_BLOCK + SSIM_PADDING;
    const size_t n_blocks = w / SSIM_PYRAMID_BLOCK + 1;
    return n_blocks * n_columns * (SSIM_PYRAMID_RADIUS + 1) * (SSIM_PYRAMID_BAND - 1);
}

/* The fastest functions for a processor with these CPU_* flags. */
void ssim_kernels_init(SsimKernels *kernels, unsigned cpu_flags);
ISA_DECLARE_INIT_NEON(SsimKernels, ssim_kernels_fill_filter);
ISA_DECLARE_INIT(SsimKernels, ssim_kernels_fill_rows);
ISA_DECLARE_INIT(SsimKernels, ssim_kernels_fill_pyramid);
ISA_DECLARE_INIT_NEON(SsimKernels, ssim_kernels_fill_picture_pyramid);

#endif
