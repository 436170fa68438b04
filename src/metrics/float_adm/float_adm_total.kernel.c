/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The record of a request: for each of its members, the sums of rows from top to bottom in
 * binary32. A lane for each member. */
/* NATIVE */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"

#include "metrics/float_adm/float_adm_kernel.h"

KERNEL_BEGIN
KERNEL_IN(0, f32, sums)
KERNEL_IN(1, float_adm_column, columns)
KERNEL_OUT(2, f32, record)
KERNEL_ARGS(3, float_adm_total_args, p)
KERNEL_BODY
    FIRST
    {
        if (LANE < p.members) {
            i32 first = AT(columns, LANE).first, rows = AT(columns, LANE).rows;
            f32 total = F32(0u);
            for (i32 row = 0; row < rows; ++row) {
                total = add_f32(total, AT(sums, first + row));
            }
            AT(record, LANE) = total;
        }
    }
KERNEL_END
