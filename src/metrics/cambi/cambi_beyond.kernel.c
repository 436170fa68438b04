/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Counts the samples that do not fit the bit depth: one partial sum for each work-group. */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"

KERNEL_BEGIN
KERNEL_IN(0, u16, luma)
KERNEL_OUT(1, u64, partials)
KERNEL_ARGS(2, cambi_beyond_args, p)
GROUP_MEMORY(u32, sums, LANES)
KERNEL_BODY
    FIRST
    {
        i32 end = min_i32((GX + 1) * CAMBI_BEYOND_COLUMNS, p.w);
        i32 end_row = min_i32((GY + 1) * CAMBI_BEYOND_ROWS, p.h);
        u32 sum = 0u;
        for (i32 y = GY * CAMBI_BEYOND_ROWS; y < end_row; ++y) {
            for (i32 x = GX * CAMBI_BEYOND_COLUMNS + LANE; x < end; x += LANES) {
                sum += (U32(AT(luma, y * p.stride + x)) >> p.depth) != 0u ? 1u : 0u;
            }
        }
        AT(sums, LANE) = sum;
    }
    GROUP_SUMS(sums, 1)
    THEN
    {
        if (LANE == 0) {
            AT(partials, GY * NGX + GX) = U64(AT(sums, 0));
        }
    }
KERNEL_END
