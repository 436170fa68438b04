/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_WINDOW_KERNEL_H
#define METRICS_VIF_WINDOW_KERNEL_H

#include "metrics/vif/vif_constants.h"

/* The table serves unrolled loops only, in which its elements become constants. */
KERNEL_TABLE(u32, window_taps, 19) = {
    VIF_WINDOW_0, /* 9 */
    VIF_WINDOW_1, /* 5 */
    VIF_WINDOW_2, /* 3 */
    VIF_WINDOW_3, /* 2 */
};

FN u32 tap(i32 scale, i32 distance)
{
    i32 first = scale == 0 ? 0 : scale == 1 ? 9 : scale == 2 ? 14 : 17;
    return window_taps[first + distance];
}

/* Mirrored at the border samples, until the index is one of 0 .. n - 1: three times are enough for
 * the windows of pictures of 8 x 8 and more. What lies farther out is not used, only kept inside.
 */
FN i32 mirrored(i32 i, i32 n)
{
    i32 k = abs_i32(i);
    k = abs_i32(k >= n ? 2 * n - 2 - k : k);
    return min_i32(k, n - 1);
}

#endif
