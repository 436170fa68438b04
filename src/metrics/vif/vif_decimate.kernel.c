/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Makes scale 1 of both pictures if the statistics of scale 0 are not wanted. SAMPLE is u8 or u16.
 * A lane walks down a column of the group's 112 x 8 pixels; per pixel, two or four bytes are read
 * from device memory and one is written.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 */
#define WX 16
#define WY 8
#include "dialect/kernel.h"
#include "metrics/vif/vif_kernel.h"
#include "metrics/vif/window.kernel.h"

#define SCALE 0
#define REACH 4

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_OUT(2, u16, next)
KERNEL_ARGS(3, vif_scale_args, p)
GROUP_MEMORY(u32, smaller, SMALLER_ROWS *SMALLER_PITCH)
KERNEL_BODY
    FIRST
    {
        if (LANE < SMALLER_PITCH) {
            i32 x = mirrored(GX * VIF_TILE_COLUMNS + LANE - REACH, p.w);
            SMALLER_BEGIN(p.depth)
            UNROLL
            for (i32 i = 0; i < VIF_TILE_ROWS - 1 + 2 * REACH; ++i) {
                i32 y = mirrored(GY * VIF_TILE_ROWS + i - REACH, p.h);
                u32 r = U32(AT(ref, y * p.stride + x));
                u32 d = U32(AT(dist, y * p.stride + x));
                SMALLER_ADD(i, r, d)
            }
            SMALLER_END(LANE, p.depth)
        }
    }
    THEN{SMALLER_WRITE}
KERNEL_END
