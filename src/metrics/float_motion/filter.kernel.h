/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FILTER_KERNEL_H
#define METRICS_FLOAT_MOTION_FILTER_KERNEL_H

#include "metrics/motion/reflect.kernel.h"

#define RADIUS 2 /* of the longest filter */
#define SPAN   (FLOAT_MOTION_ROWS + 2 * RADIUS)
#define TILE   (LANES * FLOAT_MOTION_ROWS)

FN f32 filtered(f32 x0, f32 x1, f32 x2, f32 x3, f32 x4, f32 tap0, f32 tap1, f32 tap2)
{
    f32 sum = add_f32(mul_f32(x0, tap0), mul_f32(x1, tap1));
    sum = add_f32(sum, mul_f32(x2, tap2));
    sum = add_f32(sum, mul_f32(x3, tap1));
    return add_f32(sum, mul_f32(x4, tap0));
}

#endif
