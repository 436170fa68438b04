/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_TILE_KERNEL_H
#define METRICS_FLOAT_ADM_TILE_KERNEL_H

#include "metrics/float_adm/float_adm_kernel.h"

/*
 * What a work-group covers: a tile of positions, one for each lane, with a border of one position
 * around it for masking. SAMPLE_AT(picture, row, column), which the kernel defines, is a binary32
 * number of the wavelet's input.
 *
 * Group memory is used twice. First it holds the vertical pass, low and high, of even and of odd
 * columns, so that lanes side by side read elements side by side; columns begin with 2 TILE_X - 3.
 * Then, for one variant after the other, weighted magnitudes of both signals and what they add to
 * the thresholds around them.
 */
#define TILE_COLUMNS FLOAT_ADM_TILE_COLUMNS
#define TILE_ROWS    FLOAT_ADM_TILE_ROWS
#define TILE_X       (p.first_x + GX * TILE_COLUMNS)
#define TILE_Y       (p.first_y + GY * TILE_ROWS)

#define BORDERED_COLUMNS (TILE_COLUMNS + 2)
#define BORDERED_ROWS    (TILE_ROWS + 2)
#define BORDERED         (BORDERED_COLUMNS * BORDERED_ROWS)

#define PAIRS    (TILE_COLUMNS + 3)
#define COLUMNS  (2 * PAIRS)
#define SEGMENTS 2 /* of the rows of a column, which lanes make one after the other */
#define ROWS     (BORDERED_ROWS / SEGMENTS)

#define LOW  0
#define HIGH 1
#define COLUMN_AT(picture, pass, row, column)                                                      \
    AT(pool, (((picture)*2 + (pass)) * BORDERED_ROWS + (row)) * COLUMNS + ((column)&1) * PAIRS +   \
                 ((column) >> 1))
#define COLUMNS_END (4 * BORDERED_ROWS * COLUMNS)

/* Bands h, v, d of a position. */
#define BAND_H                    0
#define BAND_V                    1
#define BAND_D                    2
#define BAND_AT(picture, band, i) AT(bands, ((picture)*FLOAT_ADM_BANDS + (band)) * BORDERED + (i))

#define RESTORED                      0
#define ADDED                         1
#define MASKING_AT(signal, band, i)   AT(pool, ((signal)*FLOAT_ADM_BANDS + (band)) * BORDERED + (i))
#define MAGNITUDE_AT(signal, band, i) MASKING_AT(2 + (signal), band, i)
#define MAGNITUDES_END                (4 * FLOAT_ADM_BANDS * BORDERED)

#define POOL_SIZE (COLUMNS_END > MAGNITUDES_END ? COLUMNS_END : MAGNITUDES_END)

/* True if a position lies in the window of evaluation, and if some of the tile do. */
#define IS_EVALUATED(x, y)                                                                         \
    ((x) >= p.window_x0 && (x) < p.window_x1 && (y) >= p.window_y0 && (y) < p.window_y1)
#define TILE_IS_EVALUATED                                                                          \
    (TILE_X < p.window_x1 && TILE_X + TILE_COLUMNS > p.window_x0 && TILE_Y < p.window_y1 &&        \
     TILE_Y + TILE_ROWS > p.window_y0)
#define TERM_OF(plane, x, y)                                                                       \
    U32(((plane)*p.term_rows + (y)-p.window_y0) * p.term_stride + (x)-p.window_x0)

/* The position, of n, whose contribution counts in place of x. */
FN i32 mirrored_position(i32 x, i32 n)
{
    return x < 0 ? 1 : min_i32(x, n - 1);
}

FN f32 cubed(f32 x, u32 flags)
{
    return (flags & FLOAT_ADM_NO_CUBES) != 0u ? x : mul_f32(mul_f32(x, x), x);
}

/* -- the wavelet transform in binary32, with decimation by two -- */

#define LOW0 F32(FLOAT_ADM_LOW0_BITS)
#define LOW1 F32(FLOAT_ADM_LOW1_BITS)
#define LOW2 F32(FLOAT_ADM_LOW2_BITS)
#define LOW3 F32(FLOAT_ADM_LOW3_BITS)

/*
 * The sample of n that stands for sample i: whole-sample symmetric at the beginning, half-sample
 * symmetric at the end. Any i gives some sample; those for i farther outside are not used.
 */
FN i32 mirrored_sample(i32 i, i32 n)
{
    i32 inside = abs_i32(i);
    return max_i32(min_i32(inside, 2 * n - 1 - inside), 0);
}

FN f32 low_pass(f32 x0, f32 x1, f32 x2, f32 x3)
{
    f32 sum = add_f32(mul_f32(LOW0, x0), mul_f32(LOW1, x1));
    sum = add_f32(sum, mul_f32(LOW2, x2));
    return add_f32(sum, mul_f32(LOW3, x3));
}

/* The taps are those of the low-pass backwards, every other negated. */
FN f32 high_pass(f32 x0, f32 x1, f32 x2, f32 x3)
{
    f32 sum = sub_f32(mul_f32(LOW3, x0), mul_f32(LOW2, x1));
    sum = add_f32(sum, mul_f32(LOW1, x2));
    return sub_f32(sum, mul_f32(LOW0, x3));
}

#endif
