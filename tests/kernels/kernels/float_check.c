/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Every operation of binary32 on given operands; test_dialect_floats.c knows the results. */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "float_check_args.h"
#include "float_results.h"

KERNEL_BEGIN
KERNEL_IN(0, f32, first)
KERNEL_IN(1, f32, second)
KERNEL_IN(2, f32, third)
KERNEL_OUT(3, u32, results)
KERNEL_ARGS(4, float_check_args, p)
KERNEL_BODY
    FIRST
    {
        i32 i = GX * LANES + LANE;
        if (i < p.n) {
            f32 a = AT(first, i), b = AT(second, i), c = AT(third, i);
#define STORE(number, bits) AT(results, i *FLOAT_RESULTS + number) = bits;
            FLOAT_RESULTS_OF(STORE)
        }
    }
KERNEL_END
