/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_TILE_KERNEL_H
#define METRICS_ADM_TILE_KERNEL_H

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

#endif
