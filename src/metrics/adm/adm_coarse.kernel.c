/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * ADM, scales 1 to 3: from the approximations of the scale before, i16 or i32 (APPROX), to the next
 * ones and the sums of the scale, in one pass, for one or more variants of decoupling (VARIANTS).
 *
 * A group covers 32 x 8 positions and reads 70 x 22 numbers of each picture: 24 bytes per position
 * at scale 1 and 48 at the others, a third of which its neighbours read too. It writes 8 bytes of
 * approximation and 2.3 of partial sums. About 1200 instructions per position, 250 of them
 * multiplications; a scale has a quarter of the positions of the one before. A second variant costs
 * about 500 instructions, and 1.5 bytes of partial sums.
 *
 * VARIANT 16 APPROX_BITS=16 APPROX=i16 VARIANTS=1
 * VARIANT 32 APPROX_BITS=32 APPROX=i32 VARIANTS=1
 * VARIANT 16_x2 APPROX_BITS=16 APPROX=i16 VARIANTS=2
 * VARIANT 32_x2 APPROX_BITS=32 APPROX=i32 VARIANTS=2
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"

#define COEFFICIENT_BITS 32
#include "metrics/adm/adm_kernel.h"
#include "metrics/adm/decouple.kernel.h"
#include "metrics/adm/masking.kernel.h"
#include "metrics/adm/tile.kernel.h"

/*
 * A group's results of the vertical pass: low in the lower half of an element, high in the upper.
 * Columns begin with 2 TILE_X - 3; even and odd ones lie apart, so that lanes side by side read
 * elements side by side.
 */
#define PAIRS   (TILE_COLUMNS + 3)
#define COLUMNS (2 * PAIRS)
#define SPAN    (2 * BORDERED_ROWS + 2) /* rows that a group reads */

#if APPROX_BITS == 16
#define VERTICAL_PASS(filter, x0, x1, x2, x3) filter(x0, x1, x2, x3) /* fits without a shift */
#else
#define VERTICAL_PASS(filter, x0, x1, x2, x3) filter##_wide(x0, x1, x2, x3, p.vertical)
#endif

#define COLUMN_AT(picture, row, column)                                                            \
    AT(pool, (((picture)*BORDERED_ROWS + (row)) * 2 + ((column)&1)) * PAIRS + ((column) >> 1))
#define POSITION_AT(picture, row, column)                                                          \
    horizontal_32(COLUMN_AT(picture, row, 2 * (column)),                                           \
                  COLUMN_AT(picture, row, 2 * (column) + 1),                                       \
                  COLUMN_AT(picture, row, 2 * (column) + 2),                                       \
                  COLUMN_AT(picture, row, 2 * (column) + 3), p.horizontal)
#define NEIGHBOURS (2 * BORDERED_ROWS * COLUMNS) /* where they begin in the pool */

KERNEL_BEGIN
KERNEL_IN(0, APPROX, source)
KERNEL_OUT(1, i32, approx)
KERNEL_OUT(2, u64, partials)
KERNEL_ARGS(3, adm_scale_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(u64, pool, POOL_SIZE)
LANE_STATE_ARRAY(u32, weighted, 6 * VARIANTS * LANE_COLUMNS)
LANE_STATE_ARRAY(u32, centre, 2 * VARIANTS * LANE_COLUMNS)
LANE_STATE_ARRAY(u64, sums, ADM_SUMS(VARIANTS))
KERNEL_BODY
    FIRST
    {
        if (LANE < SPAN) {
            AT(rows, LANE) = mirrored_sample(2 * TILE_Y - 3 + LANE, p.h) * p.ref_stride;
        }
    }
    THEN
    {
        i32 picture = LANE / COLUMNS;
        i32 column = LANE % COLUMNS;
        if (picture < 2) {
            i32 first = (picture == 0 ? 0 : p.dist) + mirrored_sample(2 * TILE_X - 3 + column, p.w);
            i32 x[SPAN];
            UNROLL
            for (i32 k = 0; k < SPAN; ++k) {
                x[k] = I32(AT(source, U32(first + AT(rows, k))));
            }
            UNROLL
            for (i32 k = 0; k < BORDERED_ROWS; ++k) {
                i32 low =
                    VERTICAL_PASS(low_pass, x[2 * k], x[2 * k + 1], x[2 * k + 2], x[2 * k + 3]);
                i32 high =
                    VERTICAL_PASS(high_pass, x[2 * k], x[2 * k + 1], x[2 * k + 2], x[2 * k + 3]);
                COLUMN_AT(picture, k, column) = U64(U32(low)) | U64(U32(high)) << 32;
            }
        }
    }
#define APPROX_TYPE I32
#include "metrics/adm/tile_blocks.kernel.h"
KERNEL_END
