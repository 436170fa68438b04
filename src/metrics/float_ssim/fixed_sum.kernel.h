/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FIXED_SUM_KERNEL_H
#define METRICS_FLOAT_SSIM_FIXED_SUM_KERNEL_H

/*
 * Sums of products in fixed point. The metric multiplies samples with taps in binary32, adds the
 * products in binary64 and rounds the sum to binary32. If all products are multiples of a unit, and
 * the sum of their magnitudes is at most 2^53 units, then no addition rounds, and integers add up
 * to the same sum.
 *
 * Numbers are bits of binary32. `least` is the exponent (its field) of the smallest sample but 0,
 * `least_tap` that of the smallest tap; both are normal numbers, as are their products. A product
 * is at least 2^(least + least_tap - 254), and so all are multiples of the unit,
 * 2^(least + least_tap - 277).
 */

/* m * tap rounded to 24 bits, in units of 2^23; 2^23 <= tap < 2^24, and m likewise or 0. */
FN u32 rounded_product(u32 m, u32 tap)
{
    u64 product = U64(m) * U64(tap);
    u32 upper = U32(product >> 23), lower = U32(product) & 0x7FFFFFu;
    u32 more = upper >> 24; /* 1 if there is one more bit to drop */
    u32 kept = upper >> more;
    u32 dropped = ((upper & more) << 23) | (lower << (1u - more)); /* in units of 2^-24 */
    kept += dropped + (kept & 1u) > 0x800000u ? 1u : 0u;
    return kept << more;
}

/* The 24 bits of a number, or 0. */
FN u32 mantissa_of(u32 x)
{
    return (x & 0x7F800000u) != 0u ? (x & 0x7FFFFFu) | 0x800000u : 0u;
}

#if defined(NATIVE_F32)

/* x * tap in units; x may be 0, too. Neither the power of two, from 2^-94 to 2^120, nor the product
 * leaves the normal numbers. */
FN i64 fixed_product(u32 x, u32 tap, i32 least, i32 least_tap)
{
    f32 scale = f32_of_bits(U32(277 + 127 - least - least_tap) << 23);
    return i64_of_f32(mul_f32(mul_f32(f32_of_bits(x), scale), f32_of_bits(tap)));
}

#else

/* x * tap in units; x may be 0, too. */
FN i64 fixed_product(u32 x, u32 tap, i32 least, i32 least_tap)
{
    i32 shift = max_i32(I32((x >> 23) & 255u) - least, 0) + I32((tap >> 23) & 255u) - least_tap;
    u64 product = U64(rounded_product(mantissa_of(x), mantissa_of(tap))) << shift;
    return (x ^ tap) >> 31 != 0u ? -I64(product) : I64(product);
}

#endif

/* A sum of units 2^(unit - 277) in binary32, a normal number or 0. */
FN u32 f32_bits_of_fixed(i64 sum, i32 unit)
{
    if (sum == I64(0)) {
        return 0u;
    }
    u32 sign = sum < I64(0) ? 0x80000000u : 0u;
    u64 size = U64(abs_i64(sum));
    i32 msb = msb_u64(size);
    u64 aligned = size << (63 - msb);
    u32 m = U32(aligned >> 40);
    u64 dropped = aligned & ((U64(1) << 40) - U64(1));
    m += dropped + U64(m & 1u) > (U64(1) << 39) ? 1u : 0u;
    return sign | ((U32(msb + unit - 151) << 23) + m); /* with the implicit bit of m */
}

/* A sample in binary32, exactly, divided by 2^(depth - 8); samples have 24 bits at most. */
FN u32 f32_bits_of_sample(u32 value, i32 depth)
{
    if (value == 0u) {
        return 0u;
    }
    i32 msb = I32(MSB32(value));
    return (U32(msb + 126 + 8 - depth) << 23) + (value << (23 - msb));
}

/* The samples beyond a border, of which the first is that of the border; results farther out than
 * filters reach are not used, only kept inside. */
FN i32 mirror_half_sample(i32 i, i32 n)
{
    i32 k = i < 0 ? -1 - i : i;
    return clamp_i32(k < n ? k : 2 * n - 1 - k, 0, n - 1);
}

#endif
