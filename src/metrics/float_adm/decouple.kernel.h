/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_DECOUPLE_KERNEL_H
#define METRICS_FLOAT_ADM_DECOUPLE_KERNEL_H

#include "dialect/binary64.h"
#include "metrics/float_adm/float_adm_kernel.h"

/*
 * The steps that the definition does in binary64, whose results are rounded to binary32 at once:
 * products of a binary32 number and a binary64 constant. The constant's mantissa is given as its
 * upper 21 and lower 32 bits, and in units of 2^unit. Here everything is not negative.
 */

/* The mantissa of a number, m * 2^(k - 150); k is at least 1. */
FN u32 mantissa_of(u32 size)
{
    return (size >> 23) == 0u ? size : (size & 0x7FFFFFu) | 0x800000u;
}

FN i32 exponent_of(u32 size)
{
    return max_i32(I32(size >> 23), 1);
}

/* C/30, C not negative: rounding to binary64 first changes nothing, whatever the mantissa, and the
 * product is never half way between two binary32 numbers, so that the upper bits decide. */
FN f32 neighbour_masking(f32 magnitude)
{
    u32 size = binary32_bits(magnitude);
    u32 m = mantissa_of(size);
    i32 k = exponent_of(size);
    u64 product = U64(m) * U64(FLOAT_ADM_NEIGHBOUR_MASKING_UPPER) +
                  U64(mul_hi_u32(m, FLOAT_ADM_NEIGHBOUR_MASKING_LOWER));
    /* product * 2^(32 + unit + k - 150), at least 2^43 where m has 24 bits */
    i32 at_least = -32 - FLOAT_ADM_NEIGHBOUR_MASKING_UNIT + 1;
    i32 drop = max_i32(20 + I32(U32(product >> 44)), at_least - k);
    u32 rounded = U32((product + (U64(1) << (drop - 1))) >> drop);
    return f32_of_bits(rounded + (U32(k + drop - at_least) << 23));
}

/* size * upper:lower, as binary64; size not 0. */
FN binary64 widened_product(u32 size, u32 upper, u32 lower, i32 unit)
{
    u32 m = mantissa_of(size);
    u64 low = U64(m) * U64(lower);
    u64 high = U64(m) * U64(upper) + (low >> 32); /* below 2^45 */
    u64 top = (high << 18) | ((low >> 14) & U64(0x3FFFF));
    u64 sticky = (low & U64(0x3FFF)) != U64(0) ? U64(1) : U64(0);
    return binary64_rounded(top | sticky, exponent_of(size) - 150 + unit + 14);
}

FN binary64 widened(u32 size)
{
    return binary64_rounded(U64(mantissa_of(size)), exponent_of(size) - 150);
}

/* Rounded to binary32, a size below 2^127. */
FN u32 narrowed(binary64 x)
{
    /* The lowest bit of the result counts 2^(k - 150). */
    i32 k = max_i32(x.exponent + 29 + 150, 1);
    i32 drop = k - 150 - x.exponent; /* at least 29 */
    if (drop > 54) {
        return 0u;
    }
    u64 odd = (x.mantissa >> drop) & U64(1);
    u32 rounded = U32((x.mantissa + (U64(1) << (drop - 1)) - U64(1) + odd) >> drop);
    return rounded + (U32(k - 1) << 23);
}

/* sum + C/15, in binary64 as the definition says. */
FN f32 add_own_masking_exactly(f32 sum, f32 magnitude)
{
    u32 sum_size = binary32_bits(sum), size = binary32_bits(magnitude);
    if (size == 0u) {
        return sum;
    }
    binary64 part = widened_product(size, FLOAT_ADM_OWN_MASKING_UPPER, FLOAT_ADM_OWN_MASKING_LOWER,
                                    FLOAT_ADM_OWN_MASKING_UNIT);
    if (sum_size != 0u) {
        binary64 wide = widened(sum_size);
        part = wide.exponent > part.exponent ? binary64_sum(wide, part) : binary64_sum(part, wide);
    }
    return f32_of_bits(narrowed(part));
}

/*
 * The same, in fixed point where that decides. x is the sum less than 2^17 + 2^10 of its units from
 * what binary64 has, by the product's lower bits and the roundings to 53 bits; of what is rounded
 * away, `rest` has the upper 32 bits, whose units are 2^5 or more of those: a result can differ
 * only if rest is within 2^12 + 2^5 of the middle.
 */
FN f32 add_own_masking(f32 sum, f32 magnitude)
{
    u32 sum_size = binary32_bits(sum), size = binary32_bits(magnitude);
    i32 sum_k = exponent_of(sum_size), k = exponent_of(size);
    u32 m = mantissa_of(size);
    u64 product =
        U64(m) * U64(FLOAT_ADM_OWN_MASKING_UPPER) + U64(mul_hi_u32(m, FLOAT_ADM_OWN_MASKING_LOWER));
    /* Units of 2^(sum_k - 188) and 2^(k - 191); the sum is at least 2^60 of the larger ones, if
     * that number is normal, and below 2^63. */
    u64 wide = U64(mantissa_of(sum_size)) << 38, part = product << 17;
    i32 apart = sum_k - k + 3;
    u64 x = apart >= 0 ? wide + (part >> min_i32(apart, 63)) : part + (wide >> min_i32(-apart, 63));
    u32 upper = U32(x >> 32);
    i32 drop = 37 + (upper >= (1u << 29) ? 1 : 0) + (upper >= (1u << 30) ? 1 : 0);
    u32 rest = U32(x >> (drop - 32));
    if (max_i32(sum_k, k) < 64 || rest - 0x7FFFE000u < 0x4000u) {
        return add_own_masking_exactly(sum, magnitude);
    }
    i32 field = (apart >= 0 ? sum_k - 188 : k - 191) + drop + 149;
    return f32_of_bits(U32(x >> drop) + (rest >> 31) + (U32(field) << 23));
}

/* r times a gain limit that is not a binary32 number. */
FN f32 amplified(f32 r, u32 upper, u32 lower, i32 unit)
{
    u32 bits = binary32_bits(r);
    u32 size = bits & 0x7FFFFFFFu;
    if (size == 0u) {
        return r;
    }
    return f32_of_bits((bits & 0x80000000u) | narrowed(widened_product(size, upper, lower, unit)));
}

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
