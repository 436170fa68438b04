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

/* Not written as above: Mesa turns that into an absolute value, which llvmpipe 22.3 gets wrong in
 * 64 bits. */
FN i64 abs_i64(i64 x)
{
    i64 sign = x >> 63;
    return (x ^ sign) - sign;
}

/* The upper half of the product. */
FN u32 mul_hi_u32(u32 a, u32 b)
{
    return U32((U64(a) * U64(b)) >> 32);
}

/* The number of the highest bit set, x not 0. */
FN i32 msb_u64(u64 x)
{
    u32 high = U32(x >> 32);
    return high != 0u ? 32 + I32(MSB32(high)) : I32(MSB32(U32(x)));
}

/* x / 2^n rounded to nearest, halves up; 0 <= n < 64. */
FN i64 round_shift_i64(i64 x, i32 n)
{
    return (x + I64((U64(1) << n) >> 1)) >> n;
}

FN u64 round_shift_u64(u64 x, i32 n)
{
    return (x + ((U64(1) << n) >> 1)) >> n;
}

#endif
