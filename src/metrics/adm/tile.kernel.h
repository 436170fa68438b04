/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_TILE_KERNEL_H
#define METRICS_ADM_TILE_KERNEL_H

#include "metrics/adm/adm_kernel.h"

/*
 * What a work-group covers: a tile of positions, with a border of one position around it for
 * masking. A lane works on LANE_COLUMNS positions of the tile, WX columns apart; some lanes also
 * on one of the border.
 */
#define TILE_COLUMNS ADM_TILE_COLUMNS
#define TILE_ROWS    WY
#define LANE_COLUMNS (TILE_COLUMNS / WX)

#define BORDERED_COLUMNS (TILE_COLUMNS + 2)
#define BORDERED_ROWS    (TILE_ROWS + 2)
#define BORDER           (2 * BORDERED_COLUMNS + 2 * TILE_ROWS)

/* The first position of the tile. */
#define TILE_X (p.first_x + GX * TILE_COLUMNS)
#define TILE_Y (p.first_y + GY * TILE_ROWS)

/* True if a position lies in the window of evaluation, and if some of the tile do. */
#define IS_EVALUATED(x, y)                                                                         \
    ((x) >= p.window_x0 && (x) < p.window_x1 && (y) >= p.window_y0 && (y) < p.window_y1)
#define TILE_IS_EVALUATED                                                                          \
    (TILE_X < p.window_x1 && TILE_X + TILE_COLUMNS > p.window_x0 && TILE_Y < p.window_y1 &&        \
     TILE_Y + TILE_ROWS > p.window_y0)

/* What each position adds to the thresholds around it, for each variant; a kernel says with
 * NEIGHBOURS where in its pool they begin. */
#define NEIGHBOUR_AT(variant, row, column)                                                         \
    AT(pool, NEIGHBOURS + ((variant)*BORDERED_ROWS + (row)) * BORDERED_COLUMNS + (column))
#define NEIGHBOURS_END (NEIGHBOURS + VARIANTS * BORDERED_ROWS * BORDERED_COLUMNS)

/* Each lane keeps its sums in one column of the pool until its row is summed, one variant after the
 * other; one spare element between columns keeps the lanes of a row in different banks. */
#define ROW_SUMS   (ADM_SUMS(1) * TILE_ROWS)
#define SUMS_PITCH (ROW_SUMS + 1)
#define SUMS_SIZE  (WX * SUMS_PITCH)
#define POOL_SIZE  (SUMS_SIZE > NEIGHBOURS_END ? SUMS_SIZE : NEIGHBOURS_END)

/* Where the sums of a variant begin, and how many there are; denominators go with the first. */
#define FIRST_SUM(variant) ((variant) == 0 ? 0 : ADM_SUMS(variant))
#define SUMS_OF(variant)   ((variant) == 0 ? ADM_SUMS(1) : ADM_VARIANT_SUMS)

/* The position, of n, whose contribution counts in place of x. */
FN i32 mirrored_position(i32 x, i32 n)
{
    return x < 0 ? 1 : min_i32(x, n - 1);
}

/* -- the wavelet transform, with decimation by two -- */

/* A position of the four bands. Letters: h is vertical high and horizontal low, v the reverse. */
struct adm_position {
    i32 a, h, v, d;
};
KERNEL_STRUCT(adm_position)

/*
 * The sample of n that stands for sample i: whole-sample symmetric at the beginning, half-sample
 * symmetric at the end. Any i gives some sample; those for i farther outside are not used.
 */
FN i32 mirrored_sample(i32 i, i32 n)
{
    i32 inside = abs_i32(i);
    return max_i32(min_i32(inside, 2 * n - 1 - inside), 0);
}

/* -- 32-bit sums, for inputs of 16 bits -- */

FN i32 low_pass(i32 x0, i32 x1, i32 x2, i32 x3)
{
    return x0 * ADM_LOW0 + x1 * ADM_LOW1 + x2 * ADM_LOW2 + x3 * ADM_LOW3;
}

FN i32 high_pass(i32 x0, i32 x1, i32 x2, i32 x3)
{
    return x0 * ADM_HIGH0 + x1 * ADM_HIGH1 + x2 * ADM_HIGH2 + x3 * ADM_HIGH3;
}

/* Two signed 16-bit numbers in a word. */
FN i32 lower_i16(u32 word)
{
    return I32(word << 16) >> 16;
}

FN i32 upper_i16(u32 word)
{
    return I32(word) >> 16;
}

FN u32 packed_i16(i32 lower, i32 upper)
{
    return (U32(lower) & 0xFFFFu) | U32(upper) << 16;
}

/* Words with low-pass (lower half) and high-pass results of the columns 2 x - 1 to 2 x + 2. */
FN adm_position horizontal_16(u32 x0, u32 x1, u32 x2, u32 x3)
{
    i32 half_unit = 1 << 15;
    i32 low0 = lower_i16(x0), low1 = lower_i16(x1), low2 = lower_i16(x2), low3 = lower_i16(x3);
    i32 high0 = upper_i16(x0), high1 = upper_i16(x1), high2 = upper_i16(x2), high3 = upper_i16(x3);
    adm_position at;
    at.a = (low_pass(low0, low1, low2, low3) + half_unit) >> 16;
    at.v = (high_pass(low0, low1, low2, low3) + half_unit) >> 16;
    at.h = (low_pass(high0, high1, high2, high3) + half_unit) >> 16;
    at.d = (high_pass(high0, high1, high2, high3) + half_unit) >> 16;
    return at;
}

/* -- 64-bit sums -- */

FN i32 low_pass_wide(i32 x0, i32 x1, i32 x2, i32 x3, i32 shift)
{
    i64 sum = I64(x0) * I64(ADM_LOW0) + I64(x1) * I64(ADM_LOW1) + I64(x2) * I64(ADM_LOW2) +
              I64(x3) * I64(ADM_LOW3);
    return I32(round_shift_i64(sum, shift));
}

FN i32 high_pass_wide(i32 x0, i32 x1, i32 x2, i32 x3, i32 shift)
{
    i64 sum = I64(x0) * I64(ADM_HIGH0) + I64(x1) * I64(ADM_HIGH1) + I64(x2) * I64(ADM_HIGH2) +
              I64(x3) * I64(ADM_HIGH3);
    return I32(round_shift_i64(sum, shift));
}

/* As horizontal_16, with results of 32 bits. */
FN adm_position horizontal_32(u64 x0, u64 x1, u64 x2, u64 x3, i32 shift)
{
    i32 low0 = I32(U32(x0)), low1 = I32(U32(x1)), low2 = I32(U32(x2)), low3 = I32(U32(x3));
    i32 high0 = I32(U32(x0 >> 32)), high1 = I32(U32(x1 >> 32));
    i32 high2 = I32(U32(x2 >> 32)), high3 = I32(U32(x3 >> 32));
    adm_position at;
    at.a = low_pass_wide(low0, low1, low2, low3, shift);
    at.v = high_pass_wide(low0, low1, low2, low3, shift);
    at.h = low_pass_wide(high0, high1, high2, high3, shift);
    at.d = high_pass_wide(high0, high1, high2, high3, shift);
    return at;
}

#endif
