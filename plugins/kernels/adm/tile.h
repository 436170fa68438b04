/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_ADM_TILE_H
#define KERNELS_ADM_TILE_H

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

/* Whether a position lies in the window of evaluation, and whether some of the tile do. */
#define IS_EVALUATED(x, y)                                                                         \
    ((x) >= p.window_x0 && (x) < p.window_x1 && (y) >= p.window_y0 && (y) < p.window_y1)
#define TILE_IS_EVALUATED                                                                          \
    (TILE_X < p.window_x1 && TILE_X + TILE_COLUMNS > p.window_x0 && TILE_Y < p.window_y1 &&        \
     TILE_Y + TILE_ROWS > p.window_y0)

/* The sums of a lane wait for the row's others in one column of the pool; one element more between
 * columns keeps the lanes of a row in different banks. */
#define ROW_SUMS   (ADM_SUMS * TILE_ROWS)
#define SUMS_PITCH (ROW_SUMS + 1)
#define SUMS_SIZE  (WX * SUMS_PITCH)

/* The position whose contribution counts in the place of x, of n. */
FN i32 mirrored_position(i32 x, i32 n)
{
    return x < 0 ? 1 : min_i32(x, n - 1);
}

#endif
