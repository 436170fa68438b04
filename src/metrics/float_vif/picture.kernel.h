/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_PICTURE_KERNEL_H
#define METRICS_FLOAT_VIF_PICTURE_KERNEL_H

/*
 * Samples of a scale: SAMPLE is u8 or u16, and SAMPLE_BITS its width, in the pictures themselves;
 * f32, and 32, of the scales that were made of them.
 */
#include "dialect/binary32.h"

/* In the range of 8-bit samples around 0, which is exact: the difference has 17 bits. */
#if SAMPLE_BITS == 8
#define LOADED(buffer, at, depth) f32_of_i32(I32(AT(buffer, at)) - 128)
#elif SAMPLE_BITS == 16
#define LOADED(buffer, at, depth)                                                                  \
    scale_f32(f32_of_i32(I32(AT(buffer, at)) - (1 << ((depth)-1))), 8 - (depth))
#else
#define LOADED(buffer, at, depth) AT(buffer, at)
#endif

/* Mirrored at the border samples. Windows are smaller than pictures; what lies farther out is not
 * used, only kept inside. */
FN i32 mirrored(i32 i, i32 n)
{
    i32 k = abs_i32(i);
    k = k >= n ? 2 * n - 2 - k : k;
    return clamp_i32(k, 0, n - 1);
}

#endif
