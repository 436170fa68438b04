/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The sum of few binary32 terms, one after the other: a lane adds what all have loaded. */
/* NATIVE */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "reduce/reduce_args.h"

KERNEL_BEGIN
KERNEL_IN(0, f32, terms)
KERNEL_OUT(1, u64, result) /* the bits of the sum */
KERNEL_ARGS(2, total_in_order_args, p)
GROUP_MEMORY(f32, tile, LANES)
GROUP_MEMORY(f32, sum, 1)
KERNEL_BODY
    FIRST
    {
        if (LANE == 0) {
            AT(sum, 0) = F32(0u);
        }
    }
    for (u32 at = 0u; at < p.count; at += U32(LANES)) {
        THEN
        {
            if (at + U32(LANE) < p.count) {
                AT(tile, LANE) = AT(terms, p.first + at + U32(LANE));
            }
        }
        THEN
        {
            if (LANE == 0) {
                u32 left = p.count - at;
                i32 n = left < U32(LANES) ? I32(left) : LANES;
                f32 s = AT(sum, 0);
                for (i32 k = 0; k < n; ++k) {
                    s = add_f32(s, AT(tile, k));
                }
                AT(sum, 0) = s;
            }
        }
    }
    THEN
    {
        if (LANE == 0) {
            AT(result, 0) = U64(bits_of_f32(AT(sum, 0)));
        }
    }
KERNEL_END
