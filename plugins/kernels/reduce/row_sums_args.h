/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_ROW_SUMS_ARGS_H
#define KERNELS_REDUCE_ROW_SUMS_ARGS_H

#include "dialect/types.h"

#define ROW_SUMS_ROWS    32 /* that a group adds up, one for each lane */
#define ROW_SUMS_COLUMNS 32 /* that it loads at a time */

/* Positions and strides count terms. */
struct row_sums_args {
    u32 rows, columns, stride;
    u32 first; /* where the first row's sum goes */
};
KERNEL_STRUCT(row_sums_args)

#endif
