/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Absolute differences between two low-pass filtered pictures, in binary32: each picture is
 * filtered down the columns, then along the rows, and each value is a sum in the order of its taps.
 * SAMPLE, u8 or u16, is how samples are stored.
 *
 * Everything is in units of a code value: float_motion itself divides samples by 2^(depth - 8)
 * first, which would only scale all that follows (docs/metrics/float_motion.md).
 *
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

#define KEEP(to, a, b)

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, earlier)
KERNEL_IN(1, SAMPLE, ref)
KERNEL_OUT(2, f32, differences)
KERNEL_ARGS(3, float_motion_rows_args, p)
GROUP_MEMORY(i32, rows, SPAN)
GROUP_MEMORY(f32, columns, 2 * TILE) /* of the earlier picture, then of the other */
KERNEL_BODY
#include "metrics/float_motion/filter_blocks.kernel.h"
KERNEL_END
