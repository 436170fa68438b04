/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The next scale of both pictures: low-pass filtered with the window of that scale, every second
 * row and column. REACH, 8 or 32, is the largest radius of the window; SAMPLE_BITS is explained in
 * picture.h.
 *
 * A group makes REACH == 8 ? 56 : 32 by 8 samples of each picture. Lanes walk down the columns that
 * it sees, then along its rows. Per pixel of this scale and picture that is half a vertical sum of
 * products and a quarter of a horizontal one.
 *
 * VARIANT 8 SAMPLE=u8 SAMPLE_BITS=8 REACH=8
 * VARIANT 16 SAMPLE=u16 SAMPLE_BITS=16 REACH=8
 * VARIANT 32 SAMPLE=f32 SAMPLE_BITS=32 REACH=8
 * VARIANT 8_wide SAMPLE=u8 SAMPLE_BITS=8 REACH=32
 * VARIANT 16_wide SAMPLE=u16 SAMPLE_BITS=16 REACH=32
 * VARIANT 32_wide SAMPLE=f32 SAMPLE_BITS=32 REACH=32
 * NATIVE
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "metrics/float_vif/picture.kernel.h"

#define COLUMNS FLOAT_VIF_NEXT_COLUMNS(REACH)
#define ROWS    FLOAT_VIF_NEXT_ROWS
#define SEEN    (2 * ROWS - 1 + 2 * REACH) /* rows */

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, u32, constants)
KERNEL_OUT(3, f32, next)
KERNEL_ARGS(4, float_vif_reduce_args, p)
GROUP_MEMORY(i32, rows, SEEN)
GROUP_MEMORY(f32, taps, 2 * REACH + 1)
GROUP_MEMORY(f32, filtered, 2 * ROWS * LANES)
KERNEL_BODY
    FIRST
    {
        if (LANE < 2 * ROWS - 1 + 2 * p.radius) {
            AT(rows, LANE) = mirrored(2 * GY * ROWS + LANE - p.radius, p.h) * p.stride;
        }
        if (LANE <= 2 * p.radius) {
            AT(taps, LANE) = f32_of_bits(AT(constants, LANE));
        }
    }
    THEN
    {
        i32 x = mirrored(2 * GX * COLUMNS + LANE - p.radius, p.w);
        if (LANE < 2 * COLUMNS - 1 + 2 * p.radius) {
            for (i32 y = 0; y < 2 * ROWS; ++y) {
                f32 sum = F32(0u);
                for (i32 k = 0; k <= 2 * p.radius; ++k) {
                    i32 at = AT(rows, 2 * (y % ROWS) + k) + x;
                    f32 loaded;
                    if (y < ROWS) {
                        loaded = LOADED(ref, at, p.depth);
                    } else {
                        loaded = LOADED(dist, p.dist + at, p.depth);
                    }
                    sum = add_f32(sum, mul_f32(AT(taps, k), loaded));
                }
                AT(filtered, y * LANES + LANE) = sum;
            }
        }
    }
    THEN
    {
        for (i32 i = LANE; i < 2 * ROWS * COLUMNS; i += LANES) {
            i32 row = i / COLUMNS;
            i32 x = GX * COLUMNS + i % COLUMNS;
            i32 y = GY * ROWS + row % ROWS;
            if (x < p.next_w && y < p.next_h) {
                f32 sum = F32(0u);
                for (i32 k = 0; k <= 2 * p.radius; ++k) {
                    f32 value = AT(filtered, row * LANES + 2 * (i % COLUMNS) + k);
                    sum = add_f32(sum, mul_f32(AT(taps, k), value));
                }
                AT(next, (row < ROWS ? 0 : p.next_dist) + y * p.next_w + x) = sum;
            }
        }
    }
KERNEL_END
