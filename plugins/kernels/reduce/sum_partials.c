/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The last step of every reduction: adds up partial sums, one work-group for each result, all
 * results of a frame in one dispatch. Which partial sums make a result is data, made once for a
 * plan.
 */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "reduce/reduce_args.h"

KERNEL_BEGIN
KERNEL_IN(0, partial_sum, sums)
KERNEL_IN(1, u64, partials)
KERNEL_OUT(2, u64, results)
KERNEL_ARGS(3, sum_partials_args, p)
GROUP_MEMORY(u64, totals, LANES)
KERNEL_BODY
    FIRST
    {
        u32 job = p.first_sum + U32(GX);
        u32 rows = AT(sums, job).rows;
        u32 columns = AT(sums, job).columns;
        u32 column_stride = AT(sums, job).column_stride;
        i32 shift = I32(AT(sums, job).shift);
        u64 total = U64(0);
        for (u32 row = U32(LANE); row < rows; row += U32(LANES)) {
            u32 at = AT(sums, job).first + row * AT(sums, job).row_stride;
            u64 sum = U64(0);
            for (u32 column = 0u; column < columns; ++column) {
                sum += AT(partials, at + column * column_stride);
            }
            total += AT(sums, job).is_unsigned != 0u ? round_shift_u64(sum, shift)
                                                     : U64(round_shift_i64(I64(sum), shift));
        }
        AT(totals, LANE) = total;
    }
    GROUP_SUMS(totals, 1)
    THEN
    {
        if (LANE == 0) {
            AT(results, AT(sums, p.first_sum + U32(GX)).result) = AT(totals, 0);
        }
    }
KERNEL_END
