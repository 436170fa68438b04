/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_WAVELET_KERNEL_H
#define METRICS_FLOAT_ADM_WAVELET_KERNEL_H

#include "metrics/float_adm/float_adm_constants.h"

/* The wavelet transform in binary32, with decimation by two. */

#define LOW0 F32(FLOAT_ADM_LOW0_BITS)
#define LOW1 F32(FLOAT_ADM_LOW1_BITS)
#define LOW2 F32(FLOAT_ADM_LOW2_BITS)
#define LOW3 F32(FLOAT_ADM_LOW3_BITS)

/*
 * The sample of n that stands for sample i: whole-sample symmetric at the beginning, half-sample
 * symmetric at the end. Any i gives some sample; those for i farther outside are not used.
 */
FN i32 mirrored_sample(i32 i, i32 n)
{
    i32 inside = abs_i32(i);
    return max_i32(min_i32(inside, 2 * n - 1 - inside), 0);
}

FN f32 low_pass(f32 x0, f32 x1, f32 x2, f32 x3)
{
    f32 sum = add_f32(mul_f32(LOW0, x0), mul_f32(LOW1, x1));
    sum = add_f32(sum, mul_f32(LOW2, x2));
    return add_f32(sum, mul_f32(LOW3, x3));
}

/* The taps are those of the low-pass backwards, every other negated. */
FN f32 high_pass(f32 x0, f32 x1, f32 x2, f32 x3)
{
    f32 sum = sub_f32(mul_f32(LOW3, x0), mul_f32(LOW2, x1));
    sum = add_f32(sum, mul_f32(LOW1, x2));
    return sub_f32(sum, mul_f32(LOW0, x3));
}

#endif
