/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_PAIRS_H
#define METRICS_VIF_VIF_PAIRS_H

/*
 * VIF in pairs of rows: the vector kernels of x86.
 *
 * These processors multiply 16-bit integers in pairs and add the two products. So rows 2j and
 * 2j + 1 of a picture are joined, sample by sample, when they enter the window. One instruction
 * then filters two rows vertically, and the joined rows under the windows of two neighbouring rows
 * are the same, which halves what is loaded. Products of samples are made on the way: that is less
 * work than to keep them.
 *
 * `measure` is all of multiply, filter_columns, local_variances and gain (vif_kernels.h) for two
 * rows, `decimate` both steps of decimation. They give the same integers.
 */

#include <stdbool.h>

#include "metrics/vif/vif_kernels.h"

enum { VIF_MAX_PAIRS = VIF_MAX_RADIUS + 1 };

/* Pairs above and below one, under the windows of its rows. */
static inline unsigned vif_pair_reach(unsigned scale)
{
    return (vif_filters[scale].radius + 1) / 2;
}

/* Joined rows from top to bottom: 2 reach + 1. Each holds both pictures, in an order that is up to
 * the kernels. */
typedef struct VifPairWindow {
    const int16_t *pairs[VIF_MAX_PAIRS];
} VifPairWindow;

/*
 * What is kept of a row of the reference, for further distorted pictures: vertically filtered
 * samples, as the sums that they are rounded from, and means and variances under the windows. Each
 * has vif_kept_stride() integers.
 */
enum { VIF_KEPT_SUMS, VIF_KEPT_MEANS, VIF_KEPT_VARIANCES, VIF_KEPT };

static inline size_t vif_kept_stride(unsigned w)
{
    enum { LARGEST_BLOCK = 32 };
    return (w + (size_t)LARGEST_BLOCK - 1) & ~(size_t)(LARGEST_BLOCK - 1);
}

/* Bytes of what is kept of a row. */
static inline size_t vif_kept_row(unsigned w)
{
    return VIF_KEPT * vif_kept_stride(w) * sizeof(int32_t);
}

/* A pair of rows to measure. */
typedef struct VifPairTask {
    VifPairWindow window;
    const void *next[2][2];      /* rows of both pictures that are joined next: for the cache */
    VifColumnMoments columns[2]; /* memory for vertically filtered rows, padded on both sides */
    unsigned w, depth;
    bool measured[2]; /* the upper and the lower row */
    VifGain gain;
    int32_t *kept[2]; /* of the upper and the lower row; for measure_and_keep and measure_again */
} VifPairTask;

/* Bytes of a joined row, with both pictures. */
static inline size_t vif_joined_size(unsigned w)
{
    enum { LARGEST_BLOCK = 32 };
    return 4 * sizeof(int16_t) * ((w + (size_t)LARGEST_BLOCK - 1) & ~(size_t)(LARGEST_BLOCK - 1));
}

/* By sample type: bytes if depth is 8, else words. Images have at least 16 rows and columns at
 * scale 0. */
enum { VIF_PAIRS_OF_BYTES, VIF_PAIRS_OF_WORDS, VIF_PAIR_TYPES };

typedef struct VifPairKernels {
    /* The upper and the lower row of both pictures, of w samples. */
    void (*join[VIF_PAIR_TYPES])(int16_t *out, const void *const rows[2][2], unsigned w);
    /* By scale; bytes occur at scale 0 only. Adds the rows to the sums. */
    void (*measure[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    /* The same, which keeps what the second one takes from there instead of from the reference.
     * That one leaves log_den alone. */
    void (*measure_and_keep[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    void (*measure_again[VIF_PAIR_TYPES][VIF_SCALES])(VifSums *sums, const VifPairTask *task);
    /* By destination scale, from 1; w counts columns of the source. The window is that of the
     * destination, around the source row, of which one picture counts; `columns` is a padded row.
     */
    void (*decimate[VIF_PAIR_TYPES][VIF_SCALES])(uint16_t *out, uint16_t *columns,
                                                 const VifPairWindow *window, int picture,
                                                 unsigned w, unsigned depth);
} VifPairKernels;

static inline int vif_pair_type(unsigned depth)
{
    return depth == 8 ? VIF_PAIRS_OF_BYTES : VIF_PAIRS_OF_WORDS;
}

#endif
