/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_DECOUPLE_KERNEL_H
#define METRICS_FLOAT_ADM_DECOUPLE_KERNEL_H

#include "metrics/float_adm/float_adm_constants.h"
#include "metrics/float_adm/widened.kernel.h"

/*
 * Decoupling of detail loss and additive impairment: what is left of a reference coefficient o in
 * the distorted coefficient t (docs/metrics/float_adm.md).
 */
#define ONE F32(0x3F800000u)

/* Intel's estimate of the reciprocal, refined by a step of Newton; |x| from 2^-126 to 2^126, or 0.
 * With m the upper 11 bits of the fraction, the estimate's fraction is, above 4096 units of 2^-12,
 * the integer part of (16775168 - 8191 m) / (4097 + 2 m). */
FN f32 reciprocal(f32 x)
{
    u32 bits = binary32_bits(x);
    u32 m = (bits >> 12) & 2047u;
    u32 fraction = (16775168u - 8191u * m) / (4097u + 2u * m);
    u32 exponent = (253u << 23) - (bits & 0x7F800000u);
    f32 y = f32_of_bits((bits & 0x80000000u) | (exponent + (fraction << 11)));
    return add_f32(y, mul_f32(y, sub_f32(ONE, mul_f32(x, y))));
}

/* 1 where the angle between (oh, ov) and (th, tv) is below one degree. */
FN i32 is_near(f32 oh, f32 ov, f32 th, f32 tv)
{
    f32 inner = add_f32(mul_f32(oh, th), mul_f32(ov, tv));
    f32 ref = add_f32(mul_f32(oh, oh), mul_f32(ov, ov));
    f32 dist = add_f32(mul_f32(th, th), mul_f32(tv, tv));
    f32 limit = mul_f32(mul_f32(F32(FLOAT_ADM_SAME_DIRECTION_BITS), ref), dist);
    return is_less_f32(inner, F32(0u)) == 0 && is_less_f32(mul_f32(inner, inner), limit) == 0 ? 1
                                                                                              : 0;
}

/* k o, with k = t / o limited to 0..1. */
FN f32 limited_ratio(f32 o, f32 t)
{
    f32 k = mul_f32(t, reciprocal(add_f32(o, F32(FLOAT_ADM_TINY_BITS))));
    return mul_f32(min_f32(max_f32(k, F32(0u)), ONE), o);
}

/* The one of `amplified` and t that is nearer to 0; both have the sign of r, or are beyond 0. */
FN f32 nearer(f32 r, f32 amplified, f32 t)
{
    return is_less_f32(r, F32(0u)) != 0 ? max_f32(amplified, t) : min_f32(amplified, t);
}

#endif
