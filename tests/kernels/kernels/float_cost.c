/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* STEPS of one operation, each of the result of the one before, for float_operations.c to count. */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "float_cost_args.h"

#if defined(OF_F64)
#define NUMBER       f64
#define NUMBER_OF(x) f64_of_f32(x)
#define BITS_OF(x)   bits_of_f64(x)
#else
#define NUMBER       f32
#define NUMBER_OF(x) x
#define BITS_OF(x)   U64(bits_of_f32(x))
#endif

KERNEL_BEGIN
KERNEL_IN(0, f32, first)
KERNEL_IN(1, f32, second)
KERNEL_OUT(2, u64, results)
KERNEL_ARGS(3, float_cost_args, p)
KERNEL_BODY
    FIRST
    {
        i32 i = GX * LANES + LANE;
        if (i < p.n) {
            NUMBER a = NUMBER_OF(AT(first, i)), b = NUMBER_OF(AT(second, i));
            UNROLL
            for (i32 step = 0; step < STEPS; ++step)
                a = OPERATION;
            AT(results, i) = BITS_OF(a);
        }
    }
KERNEL_END
