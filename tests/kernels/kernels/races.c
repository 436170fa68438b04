/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Broken for any distance but 0: reads what another lane writes in the same block. */
#define WX 8
#define WY 1
#include "dialect/kernel.h"
#include "broken_args.h"

KERNEL_BEGIN
KERNEL_IN(0, u32, src)
KERNEL_OUT(1, u32, dst)
KERNEL_ARGS(2, broken_args, p)
GROUP_MEMORY(u32, tile, LANES)
KERNEL_BODY
    FIRST
    {
        AT(tile, LANE) = AT(src, LANE);
        AT(dst, LANE) = AT(tile, (LANE + p.distance) % LANES);
    }
KERNEL_END
