/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FLOAT_COST_ARGS_H
#define TESTS_KERNELS_FLOAT_COST_ARGS_H

#include "dialect/types.h"

struct float_cost_args {
    i32 n;
};
KERNEL_STRUCT(float_cost_args)

#endif
