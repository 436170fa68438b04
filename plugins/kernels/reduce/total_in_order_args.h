/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_TOTAL_IN_ORDER_ARGS_H
#define KERNELS_REDUCE_TOTAL_IN_ORDER_ARGS_H

#include "dialect/types.h"

struct total_in_order_args {
    u32 first, count; /* terms */
};
KERNEL_STRUCT(total_in_order_args)

#endif
