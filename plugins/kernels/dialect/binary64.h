/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_BINARY64_H
#define KERNELS_DIALECT_BINARY64_H

/*
 * IEEE binary64 in integer arithmetic, rounded to nearest, ties to even: the same bits on devices
 * without binary64 or without exact binary64. Slow: for the few elements that integer rules leave
 * undecided.
 *
 * Numbers are positive: mantissa * 2^exponent with 2^52 <= mantissa < 2^53. Exponents have no
 * limits, so nothing overflows or becomes subnormal.
 */
struct binary64 {
    u64 mantissa;
    i32 exponent;
};
KERNEL_STRUCT(binary64)

/* x / 2^n rounded down, but odd if that is not exact, as later rounding to fewer bits needs. */
FN u64 shift_right_sticky(u64 x, i32 n)
{
    if (n > 63) {
        return U64(x != U64(0) ? 1u : 0u);
    }
    u64 shifted = x >> n;
    return (shifted << n) == x ? shifted : shifted | U64(1);
}

/* m * 2^exponent rounded, m not 0; m may be a sticky result if it has more than 54 bits. */
FN binary64 binary64_rounded(u64 m, i32 exponent)
{
    binary64 x;
    i32 drop = msb_u64(m) - 52;
    x.exponent = exponent + drop;
    if (drop <= 0) {
        x.mantissa = m << -drop;
    } else {
        u64 odd = (m >> drop) & U64(1);
        u64 dropped = m & ((U64(1) << drop) - U64(1));
        u64 half_unit = U64(1) << (drop - 1);
        x.mantissa = (m >> drop) + U64(dropped + odd > half_unit ? 1u : 0u);
        if ((x.mantissa >> 53) != U64(0)) {
            x.mantissa = x.mantissa >> 1;
            x.exponent += 1;
        }
    }
    return x;
}

/* x not 0. */
FN binary64 binary64_of_u32(u32 x)
{
    return binary64_rounded(U64(x), 0);
}

/* Toward zero; x below 2^32. */
FN u32 binary64_to_u32(binary64 x)
{
    return -x.exponent > 63 ? 0u : U32(x.mantissa >> -x.exponent);
}

/* 1 if a < b, else 0. */
FN i32 binary64_is_less(binary64 a, binary64 b)
{
    if (a.exponent != b.exponent) {
        return a.exponent < b.exponent ? 1 : 0;
    }
    return a.mantissa < b.mantissa ? 1 : 0;
}

/* a + b and a - b, for a > b. Ten bits below the mantissa hold what b loses when it is aligned. */
FN binary64 binary64_sum(binary64 a, binary64 b)
{
    u64 aligned = shift_right_sticky(b.mantissa << 10, a.exponent - b.exponent);
    return binary64_rounded((a.mantissa << 10) + aligned, a.exponent - 10);
}

FN binary64 binary64_difference(binary64 a, binary64 b)
{
    u64 aligned = shift_right_sticky(b.mantissa << 10, a.exponent - b.exponent);
    return binary64_rounded((a.mantissa << 10) - aligned, a.exponent - 10);
}

FN binary64 binary64_product(binary64 a, binary64 b)
{
    /* 22 bits above the lower 32 each: the upper 64 of the product's 106, and whether others are
     * set. */
    u64 a0 = U64(U32(a.mantissa)), a1 = a.mantissa >> 32;
    u64 b0 = U64(U32(b.mantissa)), b1 = b.mantissa >> 32;
    u64 lowest = a0 * b0;
    u64 middle = a0 * b1 + a1 * b0 + (lowest >> 32); /* below 2^55 */
    u64 upper = ((a1 * b1) << 22) + (middle >> 10);
    u64 lower = ((middle & U64(1023)) << 32) | U64(U32(lowest));
    return binary64_rounded(lower != U64(0) ? upper | U64(1) : upper, a.exponent + b.exponent + 42);
}

FN binary64 binary64_quotient(binary64 a, binary64 b)
{
    /* Long division, bit by bit: 56 or 57 bits. */
    u64 quotient = U64(0);
    u64 rest = a.mantissa;
    for (i32 i = 0; i < 57; ++i) {
        quotient <<= 1;
        if (rest >= b.mantissa) {
            rest -= b.mantissa;
            quotient |= U64(1);
        }
        rest <<= 1;
    }
    return binary64_rounded(rest != U64(0) ? quotient | U64(1) : quotient,
                            a.exponent - b.exponent - 56);
}

#endif
