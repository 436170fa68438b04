/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_DIALECT_CHECK_ARGS_H
#define TESTS_KERNELS_DIALECT_CHECK_ARGS_H

#include "dialect/types.h"

/* Results for each element. */
#define DIALECT_RESULTS 15

struct dialect_check_args {
    i64 wide; /* 64-bit members stand at multiples of 8 */
    i32 n;    /* elements of the input */
    u32 mask;
};
KERNEL_STRUCT(dialect_check_args)

#endif
