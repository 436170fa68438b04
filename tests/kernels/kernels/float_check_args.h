/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FLOAT_CHECK_ARGS_H
#define TESTS_KERNELS_FLOAT_CHECK_ARGS_H

#include "dialect/types.h"

/* Of each pair or triple of operands; float_results.h lists them. */
#define FLOAT_RESULTS  28
#define DOUBLE_RESULTS 18

struct float_check_args {
    i32 n; /* pairs or triples */
};
KERNEL_STRUCT(float_check_args)

#endif
