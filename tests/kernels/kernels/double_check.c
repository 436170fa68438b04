/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Every operation of binary64 on given operands; test_dialect_floats.c knows the results. */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "float_check_args.h"
#include "float_results.h"

KERNEL_BEGIN
KERNEL_IN(0, f64, first)
KERNEL_IN(1, f64, second)
KERNEL_OUT(2, u64, results)
KERNEL_ARGS(3, float_check_args, p)
KERNEL_BODY
    FIRST
    {
        i32 i = GX * LANES + LANE;
        if (i < p.n) {
            f64 a = AT(first, i), b = AT(second, i);
#define STORE(number, bits) AT(results, i *DOUBLE_RESULTS + number) = bits;
            DOUBLE_RESULTS_OF(STORE)
        }
    }
KERNEL_END
