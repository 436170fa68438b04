/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Broken for any distance but 0: reads that many elements beyond its own. */
#define WX 8
#define WY 1
#include "dialect/kernel.h"
#include "broken_args.h"

KERNEL_BEGIN
KERNEL_IN(0, u32, src)
KERNEL_OUT(1, u32, dst)
KERNEL_ARGS(2, broken_args, p)
KERNEL_BODY
    FIRST
    {
        i32 i = GX * WX + LX;
        AT(dst, i) = AT(src, i + p.distance);
    }
KERNEL_END
