/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sums of rows of binary32 terms, from left to right: a lane adds up a row. A tile of the rows is
 * loaded at a time, along the rows.
 *
 * NATIVE
 */
#define WX 32
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "reduce/reduce_args.h"

/* Rows of the tile are an element longer, so that lanes walk down different banks. */
#define TILE_STRIDE (ROW_SUMS_COLUMNS + 1)

KERNEL_BEGIN
KERNEL_IN(0, f32, terms)
KERNEL_OUT(1, f32, sums)
KERNEL_ARGS(2, row_sums_args, p)
GROUP_MEMORY(f32, tile, ROW_SUMS_ROWS *TILE_STRIDE)
LANE_STATE(f32, sum)
KERNEL_BODY
    FIRST
    {
        MINE(sum) = F32(0u);
    }
    for (u32 x = 0u; x < p.columns; x += U32(ROW_SUMS_COLUMNS)) {
        THEN
        {
            UNROLL
            for (i32 row = 0; row < ROW_SUMS_ROWS; ++row) {
                u32 y = U32(GX * ROW_SUMS_ROWS + row);
                if (y < p.rows && x + U32(LANE) < p.columns) {
                    AT(tile, row * TILE_STRIDE + LANE) = AT(terms, y * p.stride + x + U32(LANE));
                }
            }
        }
        THEN
        {
            u32 left = p.columns - x;
            i32 n = left < U32(ROW_SUMS_COLUMNS) ? I32(left) : ROW_SUMS_COLUMNS;
            if (U32(GX * ROW_SUMS_ROWS + LANE) < p.rows) {
                f32 s = MINE(sum);
                for (i32 k = 0; k < n; ++k) {
                    s = add_f32(s, AT(tile, LANE * TILE_STRIDE + k));
                }
                MINE(sum) = s;
            }
        }
    }
    THEN
    {
        u32 y = U32(GX * ROW_SUMS_ROWS + LANE);
        if (y < p.rows) {
            AT(sums, p.first + y) = MINE(sum);
        }
    }
KERNEL_END
