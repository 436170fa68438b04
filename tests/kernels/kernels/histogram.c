/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * How often each value occurs: a group counts in its own memory, and adds what it has to the counts
 * of all.
 */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "histogram_args.h"

KERNEL_BEGIN
KERNEL_IN(0, u8, values)
KERNEL_OUT(1, u32, counts)
KERNEL_ARGS(2, histogram_args, p)
GROUP_MEMORY(u32, bins, HISTOGRAM_BINS)
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < HISTOGRAM_BINS; i += LANES)
            AT(bins, i) = 0u;
    }
    THEN
    {
        for (i32 i = GX * LANES + LANE; i < p.n; i += NGX * LANES)
            ATOMIC_ADD(bins, I32(AT(values, i)), 1u);
    }
    THEN
    {
        for (i32 i = LANE; i < HISTOGRAM_BINS; i += LANES) {
            if (AT(bins, i) != 0u)
                ATOMIC_ADD(counts, i, AT(bins, i));
        }
    }
KERNEL_END
