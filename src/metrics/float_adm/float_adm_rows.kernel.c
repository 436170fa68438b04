/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The sums of rows of terms, from left to right in binary32: a lane for each row. A group copies
 * tiles of terms to its memory, so that loads are of neighbours; the next tile is on its way while
 * one is added.
 *
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "dialect/binary32.h"

#include "metrics/float_adm/float_adm_kernel.h"

#define TILE_COLUMNS 32
#define LOADS        (FLOAT_ADM_ROWS / WY)
#define TILE_PITCH   (TILE_COLUMNS + 1) /* rows begin in different banks */

KERNEL_BEGIN
KERNEL_IN(0, f32, terms)
KERNEL_OUT(1, f32, sums)
KERNEL_ARGS(2, float_adm_rows_args, p)
GROUP_MEMORY(f32, tile, FLOAT_ADM_ROWS *TILE_PITCH)
LANE_STATE_ARRAY(f32, next, LOADS)
LANE_STATE(f32, sum)
KERNEL_BODY
    FIRST
    {
        MINE(sum) = F32(0u);
        UNROLL
        for (i32 k = 0; k < LOADS; ++k) {
            i32 row = GX * FLOAT_ADM_ROWS + k * WY + LY;
            MINE(next)[k] = F32(0u);
            if (row < p.rows && LX < p.columns) {
                MINE(next)[k] = AT(terms, U32(row * p.stride + LX));
            }
        }
    }
    for (i32 first = 0; first < p.columns; first += TILE_COLUMNS) {
        THEN
        {
            UNROLL
            for (i32 k = 0; k < LOADS; ++k) {
                i32 row = GX * FLOAT_ADM_ROWS + k * WY + LY;
                i32 column = first + TILE_COLUMNS + LX;
                AT(tile, (k * WY + LY) * TILE_PITCH + LX) = MINE(next)[k];
                if (row < p.rows && column < p.columns) {
                    MINE(next)[k] = AT(terms, U32(row * p.stride + column));
                }
            }
        }
        THEN
        {
            if (LANE < FLOAT_ADM_ROWS) {
                i32 columns = min_i32(p.columns - first, TILE_COLUMNS);
                for (i32 k = 0; k < columns; ++k) {
                    MINE(sum) = add_f32(MINE(sum), AT(tile, LANE * TILE_PITCH + k));
                }
            }
        }
    }
    THEN
    {
        i32 row = GX * FLOAT_ADM_ROWS + LANE;
        if (LANE < FLOAT_ADM_ROWS && row < p.rows) {
            AT(sums, U32(p.first + row / p.term_rows * p.sum_stride + row % p.term_rows)) =
                MINE(sum);
        }
    }
KERNEL_END
