/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The same as float_motion_rows, which also leaves the filtered pictures. */

/*
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 * NATIVE
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "metrics/float_motion/filter.kernel.h"
#include "metrics/float_motion/float_motion_kernel.h"

#define KEEP(to, a, b)                                                                             \
    AT(kept_earlier, to) = a;                                                                      \
    AT(kept_ref, to) = b;

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, earlier)
KERNEL_IN(1, SAMPLE, ref)
KERNEL_OUT(2, f32, differences)
KERNEL_OUT(3, f32, kept_earlier)
KERNEL_OUT(4, f32, kept_ref)
KERNEL_ARGS(5, float_motion_rows_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(f32, columns, 2 * TILE) /* of the earlier picture, then of the other */
KERNEL_BODY
#include "metrics/float_motion/filter_blocks.kernel.h"
KERNEL_END
