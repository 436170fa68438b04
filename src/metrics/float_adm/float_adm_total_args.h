/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_TOTAL_ARGS_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_TOTAL_ARGS_H

#include "dialect/types.h"

/* Sums of rows that make a member of the record. */
struct float_adm_column {
    i32 first, rows;
};
KERNEL_STRUCT(float_adm_column)

struct float_adm_total_args {
    i32 members;
};
KERNEL_STRUCT(float_adm_total_args)

#endif
