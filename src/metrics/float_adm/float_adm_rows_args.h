/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_ROWS_ARGS_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_ROWS_ARGS_H

#include "dialect/types.h"

#define FLOAT_ADM_ROWS 32 /* that a work-group adds up */

/* Rows of terms, planes of term_rows each; the sum of row r of plane k is the number
 * first + k * sum_stride + r of the sums. */
struct float_adm_rows_args {
    i32 rows; /* of all planes */
    i32 columns, stride;
    i32 term_rows;
    i32 first, sum_stride;
};
KERNEL_STRUCT(float_adm_rows_args)

#endif
