/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_INTEGER_H
#define KERNELS_DIALECT_INTEGER_H

/* Integer functions for kernels, written in the dialect; dialect/kernel.h includes it. */

FN i32 min_i32(i32 a, i32 b)
{
    return a < b ? a : b;
}

FN i32 max_i32(i32 a, i32 b)
{
    return a > b ? a : b;
}

FN i32 clamp_i32(i32 x, i32 low, i32 high)
{
    return min_i32(max_i32(x, low), high);
}

FN i32 abs_i32(i32 x)
{
    return x < 0 ? -x : x;
}

/* Not written like the function above: Mesa turns that form into an absolute value, which llvmpipe
 * 22.3 computes wrongly in 64 bits. */
FN i64 abs_i64(i64 x)
{
    i64 sign = x >> 63;
    return (x ^ sign) - sign;
}

/* The upper half of the product. Targets whose compilers would turn a chain of these into 64-bit
 * products name the instruction. */
FN u32 mul_hi_u32(u32 a, u32 b)
{
#if defined(KERNEL_MUL_HI)
    return KERNEL_MUL_HI(a, b);
#else
    return U32((U64(a) * U64(b)) >> 32);
#endif
}

/* The number of the highest bit set; x is not 0. */
FN i32 msb_u64(u64 x)
{
    u32 high = U32(x >> 32);
    return high != 0u ? 32 + I32(MSB32(high)) : I32(MSB32(U32(x)));
}

/* x / 2^n rounded to nearest, halves rounded up; 0 <= n < 64. */
FN i64 round_shift_i64(i64 x, i32 n)
{
    return (x + I64((U64(1) << n) >> 1)) >> n;
}

FN u64 round_shift_u64(u64 x, i32 n)
{
    return (x + ((U64(1) << n) >> 1)) >> n;
}

/*
 * Sums of products of 16 by 32 bits, whose weights add up to 2^16, followed by a right shift by 0
 * to
 * 16. A sum is either a 64-bit number, or two sums of the words' halves, whose factors have 16
 * bits, which many devices multiply faster. `rounding`, below 2^16, is added before the shift.
 */
#if defined(SUM48_IS_U64)

struct sum48 {
    u64 total;
};
KERNEL_STRUCT(sum48)

FN sum48 sum48_begin(u32 rounding)
{
    sum48 sum;
    sum.total = U64(rounding);
    return sum;
}

FN sum48 sum48_add(sum48 sum, u32 weight, u32 word)
{
    sum.total += U64(weight) * U64(word);
    return sum;
}

/* The lower 32 bits of the result. */
FN u32 sum48_end(sum48 sum, i32 shift)
{
    return U32(sum.total >> shift);
}

#else

struct sum48 {
    u32 lower, upper;
};
KERNEL_STRUCT(sum48)

FN sum48 sum48_begin(u32 rounding)
{
    sum48 sum;
    sum.lower = rounding;
    sum.upper = 0u;
    return sum;
}

FN sum48 sum48_add(sum48 sum, u32 weight, u32 word)
{
    sum.lower += weight * (word & 0xFFFFu);
    sum.upper += weight * (word >> 16);
    return sum;
}

/* The lower 32 bits of the result. */
FN u32 sum48_end(sum48 sum, i32 shift)
{
    return (sum.upper << (16 - shift)) + (sum.lower >> shift);
}

#endif

#endif
