/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_SUM_PARTIALS_ARGS_H
#define KERNELS_REDUCE_SUM_PARTIALS_ARGS_H

#include "dialect/types.h"

/*
 * One sum of sum_partials: of `rows` rows, each of them the sum of `columns` partial sums, divided
 * by 2^shift and rounded to nearest (halves up) before it is added. Positions and strides count
 * elements of the buffer of partial sums. Everything is modulo 2^64.
 */
struct partial_sum {
    u32 first;
    u32 rows, row_stride;
    u32 columns, column_stride;
    u32 shift;
    u32 is_unsigned; /* whether the division by 2^shift is unsigned */
    u32 result;      /* where the sum goes, in elements of the results */
};
KERNEL_STRUCT(partial_sum)

struct sum_partials_args {
    u32 first_sum; /* of this dispatch; group GX does sum first_sum + GX */
};
KERNEL_STRUCT(sum_partials_args)

#endif
