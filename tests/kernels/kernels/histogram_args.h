/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_HISTOGRAM_ARGS_H
#define TESTS_KERNELS_HISTOGRAM_ARGS_H

#include "dialect/types.h"

#define HISTOGRAM_BINS 256

struct histogram_args {
    i32 n; /* values */
};
KERNEL_STRUCT(histogram_args)

#endif
