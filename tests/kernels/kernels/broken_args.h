/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_BROKEN_ARGS_H
#define TESTS_KERNELS_BROKEN_ARGS_H

#include "dialect/types.h"

/* Arguments of the kernels that break a rule on purpose. */
struct broken_args {
    i32 distance;
};
KERNEL_STRUCT(broken_args)

#endif
