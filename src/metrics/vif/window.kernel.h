/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_WINDOW_KERNEL_H
#define METRICS_VIF_WINDOW_KERNEL_H

#include "metrics/vif/vif_kernel.h"

/*
 * The windows of all scales, and samples of the next scale from the rows and columns of a tile.
 *
 * The table serves unrolled loops only, in which its elements become constants.
 */
KERNEL_TABLE(u32, window_taps, 19) = {
    VIF_WINDOW_0, /* 9 */
    VIF_WINDOW_1, /* 5 */
    VIF_WINDOW_2, /* 3 */
    VIF_WINDOW_3, /* 2 */
};

FN u32 tap(i32 scale, i32 distance)
{
    i32 first = scale == 0 ? 0 : scale == 1 ? 9 : scale == 2 ? 14 : 17;
    return window_taps[first + distance];
}

/* Mirrored at the border samples, until the index is one of 0 .. n - 1: three times are enough for
 * the windows of pictures of 8 x 8 and more. What lies farther out is not used, only kept inside.
 */
FN i32 mirrored(i32 i, i32 n)
{
    i32 k = abs_i32(i);
    k = abs_i32(k >= n ? 2 * n - 2 - k : k);
    return min_i32(k, n - 1);
}

/*
 * Parts of the blocks of vif_scale and vif_decimate: samples of the next scale from the rows and
 * columns of a tile, of which only the even ones are filtered. REACH is how far the tile reaches
 * beyond its pixels; p are the arguments.
 *
 * In group memory, `smaller` holds vertically filtered samples, the distorted one above the 16 bits
 * of the reference.
 */
#define SMALLER_COLUMNS (VIF_TILE_COLUMNS / 2)
#define SMALLER_ROWS    (VIF_TILE_ROWS / 2)
#define SMALLER_PITCH   (VIF_TILE_COLUMNS + 2 * REACH)
#define SMALLER_RADIUS  VIF_RADIUS(SCALE + 1)

/* A lane's column: sums for each row of the next scale ... */
#define SMALLER_BEGIN(depth)                                                                       \
    u32 smaller_ref[SMALLER_ROWS];                                                                 \
    u32 smaller_dist[SMALLER_ROWS];                                                                \
    UNROLL                                                                                         \
    for (i32 j = 0; j < SMALLER_ROWS; ++j) {                                                       \
        smaller_ref[j] = 1u << ((depth)-1);                                                        \
        smaller_dist[j] = 1u << ((depth)-1);                                                       \
    }

/* ... to which row i of the tile adds samples r and d ... */
#define SMALLER_ADD(i, r, d)                                                                       \
    UNROLL                                                                                         \
    for (i32 j = 0; j < SMALLER_ROWS; ++j) {                                                       \
        i32 distance = abs_i32((i)-2 * j - REACH);                                                 \
        if (distance <= SMALLER_RADIUS) {                                                          \
            u32 weight = tap(SCALE + 1, distance);                                                 \
            smaller_ref[j] += weight * (r);                                                        \
            smaller_dist[j] += weight * (d);                                                       \
        }                                                                                          \
    }

/* ... and which are rounded to 16 bits in the end. */
#define SMALLER_END(column, depth)                                                                 \
    UNROLL                                                                                         \
    for (i32 j = 0; j < SMALLER_ROWS; ++j) {                                                       \
        u32 r = smaller_ref[j] >> (depth);                                                         \
        u32 d = smaller_dist[j] >> (depth);                                                        \
        AT(smaller, j *SMALLER_PITCH + (column)) = r | d << 16;                                    \
    }

/* In the next block: filters rows, and writes the samples that lie in the picture. */
#define SMALLER_WRITE                                                                              \
    for (i32 i = LANE; i < SMALLER_ROWS * SMALLER_COLUMNS; i += LANES) {                           \
        i32 row = i / SMALLER_COLUMNS;                                                             \
        i32 column = i % SMALLER_COLUMNS;                                                          \
        i32 x = GX * SMALLER_COLUMNS + column;                                                     \
        i32 y = GY * SMALLER_ROWS + row;                                                           \
        if (x < p.next_w && y < p.next_h) {                                                        \
            i32 first = row * SMALLER_PITCH + 2 * column + REACH - SMALLER_RADIUS;                 \
            u32 r = 32768u, d = 32768u;                                                            \
            UNROLL                                                                                 \
            for (i32 k = 0; k <= 2 * SMALLER_RADIUS; ++k) {                                        \
                u32 weight = tap(SCALE + 1, abs_i32(k - SMALLER_RADIUS));                          \
                u32 both = AT(smaller, first + k);                                                 \
                r += weight * (both & 0xFFFFu);                                                    \
                d += weight * (both >> 16);                                                        \
            }                                                                                      \
            AT(next, y *p.next_stride + x) = U16(r >> 16);                                         \
            AT(next, y *p.next_stride + x + p.next_dist) = U16(d >> 16);                           \
        }                                                                                          \
    }

#endif
