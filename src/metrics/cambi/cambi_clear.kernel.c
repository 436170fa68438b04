/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Sets the counters of a frame to zero. */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "metrics/cambi/cambi_kernel.h"

KERNEL_BEGIN
KERNEL_OUT(0, u32, counters)
KERNEL_ARGS(1, cambi_clear_args, p)
KERNEL_BODY
    FIRST
    {
        i32 end = min_i32((GX + 1) * CAMBI_CLEAR_WORDS, p.n);
        for (i32 i = GX * CAMBI_CLEAR_WORDS + LANE; i < end; i += LANES) {
            AT(counters, i) = 0u;
        }
    }
KERNEL_END
