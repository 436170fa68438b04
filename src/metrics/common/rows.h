/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ROWS_H
#define METRICS_COMMON_ROWS_H

/* Rows of pictures: where they begin, what lies beyond their borders, and their samples. */

#include "picture/picture.h"

#include <stdbool.h>
#include <stdint.h>

/* Row of a plane at which a band begins or ends, from the row of luma. Bands that partition luma
 * partition every plane, even if an odd luma height leaves a row without chroma. */
static inline unsigned plane_row(const PictureFormat *format, unsigned plane, unsigned luma_row)
{
    return (unsigned)((uint64_t)luma_row * format->h[plane] / format->h[0]);
}

/*
 * The sample, of 0 to n - 1, that a filter finds at position i beyond the border of a picture.
 * Metrics differ in that, and their scores depend on it:
 *
 *     position                 -3 -2 -1   0 1 ... n-1   n   n+1  n+2
 *     mirror_whole_sample       3  2  1   0 1 ... n-1  n-2  n-3  n-4   VIF, motion, SpEED
 *     mirror_half_sample        2  1  0   0 1 ... n-1  n-1  n-2  n-3   SSIM
 *     mirror_whole_and_half     3  2  1   0 1 ... n-1  n-1  n-2  n-3   ADM, ANSNR
 */

/* The axis is the border sample, which is not repeated. Any position: what lies beyond the other
 * border is mirrored again. A single sample is everywhere. */
static inline unsigned mirror_whole_sample(int i, unsigned n)
{
    const int last = (int)n - 1;
    if (last == 0)
        return 0;
    while ((unsigned)i >= n)
        i = i < 0 ? -i : 2 * last - i;
    return (unsigned)i;
}

/* The axis is the edge of the border sample, which is repeated. At most n beyond the border. */
static inline unsigned mirror_half_sample(int i, unsigned n)
{
    if (i < 0)
        return (unsigned)(-1 - i);
    return (unsigned)i < n ? (unsigned)i : 2 * n - 1 - (unsigned)i;
}

/* The one at the beginning, the other at the end: at most n - 1 and n beyond the border. */
static inline unsigned mirror_whole_and_half(int i, unsigned n)
{
    return i < 0 ? mirror_whole_sample(i, n) : mirror_half_sample(i, n);
}

/*
 * out[x] = samples[x] factor - 128, which is exact: samples in the range of 8-bit video, centred on
 * 0. `deep`: samples are words; bytes have the factor 1. For files compiled per instruction set.
 */
static inline void load_centred_samples(const void *samples, bool deep, float factor,
                                        float *restrict out, unsigned w)
{
    if (deep) {
        const uint16_t *row = samples;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] * factor - 128;
    } else {
        const uint8_t *row = samples;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] - 128;
    }
}

enum { ROW_SUMS = 8 };

/*
 * sums[i] = rows[i][0] + rows[i][1] + ..., from left to right, for metrics in which that order is
 * part of the definition. Each addition waits for the one before it in its row, so several rows at
 * once take as long as one.
 */
void row_sums_f32(const float *const rows[ROW_SUMS], unsigned w, float sums[ROW_SUMS]);

#endif
