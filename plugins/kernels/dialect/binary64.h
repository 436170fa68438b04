/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_BINARY64_H
#define KERNELS_DIALECT_BINARY64_H

#include "dialect/binary32.h"

/*
 * IEEE binary64 in integer arithmetic, rounded to nearest, ties to even: the same bits on devices
 * without binary64 or without exact binary64. It is slow, and meant for the few elements that
 * integer rules leave undecided. There are two forms: the complete type f64 below, and here one for
 * positive numbers in two words, which need not be taken apart.
 *
 * These numbers are positive: mantissa * 2^exponent with 2^52 <= mantissa < 2^53. Exponents have no
 * limits, so nothing overflows or becomes subnormal.
 */
struct binary64 {
    u64 mantissa;
    i32 exponent;
};
KERNEL_STRUCT(binary64)

/* x / 2^n rounded down, but odd if that is not exact, which later rounding to fewer bits needs. */
FN u64 shift_right_sticky(u64 x, i32 n)
{
    if (n > 63) {
        return U64(x != U64(0) ? 1u : 0u);
    }
    u64 shifted = x >> n;
    return (shifted << n) == x ? shifted : shifted | U64(1);
}

/* m * 2^exponent rounded; m is not 0, and may be a sticky result if it has more than 54 bits. */
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

/* Converts x, which is not 0. */
FN binary64 binary64_of_u32(u32 x)
{
    return binary64_rounded(U64(x), 0);
}

/* Rounds toward zero; x is below 2^32. */
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

/* a + b and a - b, for a > b. Ten bits below the mantissa hold bits that b loses when it is
 * aligned.
 */
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
    /* The factors have 21 bits above their lower 32. `upper` receives the upper bits of the
     * product, `lower` those that decide whether it is exact. */
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
    /* Long division, bit by bit, which gives 56 or 57 bits. */
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

/*
 * The type f64, with denormals, infinities and signed zeros. An invalid operation, and any with a
 * NaN, results in 0x7ff8000000000000. It has functions but no operators:
 *
 *     f64_of_bits bits_of_f64 F64_BITS(0x3ff00000u, 0u)
 *     f64_of_i32 f64_of_u32 f64_of_f32             exact
 *     f64_of_i64 f32_of_f64                        rounded
 *     i64_of_f64                                   toward zero
 *     add_f64 sub_f64 mul_f64 div_f64 sqrt_f64
 *     neg_f64 abs_f64 min_f64 max_f64 scale_f64
 *     is_less_f64 is_equal_f64                     1 or 0
 *
 * The algorithms are those of dialect/binary32.h, whose comments are not repeated here.
 */
#define BINARY64_SIGN     F64_BITS(0x80000000u, 0u)
#define BINARY64_SIZE     F64_BITS(0x7fffffffu, 0xffffffffu)
#define BINARY64_INFINITY F64_BITS(0x7ff00000u, 0u)
#define BINARY64_NAN      F64_BITS(0x7ff80000u, 0u)
#define BINARY64_FRACTION F64_BITS(0x000fffffu, 0xffffffffu)
#define BINARY64_ONE      F64_BITS(0x00100000u, 0u) /* the implicit bit of the mantissa */

/* m * 2^(e - 1085) rounded, m < 2^63 and e >= 1; either bit 62 is set or e is 1. */
FN f64 f64_rounded(u64 sign, u64 m, i32 e)
{
    u64 bits = ((m + U64(511) + ((m >> 10) & U64(1))) >> 10) + (U64(U32(e - 1)) << 52);
    return sign | (bits < BINARY64_INFINITY ? bits : BINARY64_INFINITY);
}

/* The same for m with bit 62 set and any e below 2^11 + 2^11. */
FN f64 f64_rounded_any(u64 sign, u64 m, i32 e)
{
    if (e < 1) {
        m = shift_right_sticky(m, 1 - e);
        e = 1;
    }
    return f64_rounded(sign, m, min_i32(e, 2047));
}

FN f64 add_f64(f64 a, f64 b)
{
    u64 a_size = a & BINARY64_SIZE, b_size = b & BINARY64_SIZE;
    u64 large = a, more = a_size, less = b_size;
    if (a_size < b_size) {
        large = b;
        more = b_size;
        less = a_size;
    }
    u32 is_difference = (U32(a >> 32) ^ U32(b >> 32)) & BINARY32_SIGN;
    i32 more_k = max_i32(I32(U32(more >> 52)) - 1, 0),
        less_k = max_i32(I32(U32(less >> 52)) - 1, 0);
    u64 m = (more - (U64(U32(more_k)) << 52)) << 9;
    u64 aligned = shift_right_sticky((less - (U64(U32(less_k)) << 52)) << 9, more_k - less_k);
    m = is_difference != 0u ? m - aligned : m + aligned;
    i32 up = min_i32(62 - msb_u64(m | U64(1)), more_k + 1);
    u64 sum = f64_rounded(large & BINARY64_SIGN, m << up, more_k + 2 - up);
    sum = m == U64(0) ? a & b & BINARY64_SIGN : sum;
    if (more >= BINARY64_INFINITY) {
        sum = more > BINARY64_INFINITY || m == U64(0) ? BINARY64_NAN : large;
    }
    return sum;
}

/* The number m * 2^(e - 1075), with bit 52 of m set. */
struct binary64_parts {
    u64 m;
    i32 e;
};
KERNEL_STRUCT(binary64_parts)

/* The parts of a normal number. */
FN binary64_parts binary64_normal(u64 x)
{
    binary64_parts parts;
    parts.e = I32((U32(x >> 32) >> 20) & 2047u);
    parts.m = (x & BINARY64_FRACTION) | BINARY64_ONE;
    return parts;
}

/* The parts of a finite number that is not 0, without its sign. */
FN binary64_parts binary64_normalised(u64 size)
{
    binary64_parts parts;
    i32 up = max_i32(52 - msb_u64(size), 0);
    parts.e = I32(U32(size >> 52)) - up + (up != 0 ? 1 : 0);
    parts.m = ((size << up) & BINARY64_FRACTION) | BINARY64_ONE;
    return parts;
}

FN f64 mul_f64(f64 a, f64 b)
{
    u64 sign = (a ^ b) & BINARY64_SIGN;
    binary64_parts a_parts = binary64_normal(a), b_parts = binary64_normal(b);
    if (binary32_max_u32(U32(a_parts.e - 1), U32(b_parts.e - 1)) >= 2046u) {
        u64 a_size = a & BINARY64_SIZE, b_size = b & BINARY64_SIZE;
        if (a_size >= BINARY64_INFINITY || b_size >= BINARY64_INFINITY) {
            return a_size > BINARY64_INFINITY || b_size > BINARY64_INFINITY || a_size == U64(0) ||
                           b_size == U64(0)
                       ? BINARY64_NAN
                       : sign | BINARY64_INFINITY;
        }
        if (a_size == U64(0) || b_size == U64(0)) {
            return sign;
        }
        a_parts = binary64_normalised(a_size);
        b_parts = binary64_normalised(b_size);
    }
    u64 a_m = a_parts.m << 11, b_m = b_parts.m << 10;
    u64 a0 = U64(U32(a_m)), a1 = a_m >> 32, b0 = U64(U32(b_m)), b1 = b_m >> 32;
    u64 lowest = a0 * b0;
    u64 middle = a1 * b0 + (lowest >> 32);
    u64 other = a0 * b1 + U64(U32(middle));
    u64 m = a1 * b1 + (middle >> 32) + (other >> 32);
    m |= U64((U32(lowest) | U32(other)) != 0u ? 1u : 0u);
    i32 up = 1 - I32(U32(m >> 62));
    return f64_rounded_any(sign, m << up, a_parts.e + b_parts.e - 1022 - up);
}

/* x * y / 2^n rounded down, for a result below 2^32; 32 <= n < 64. */
FN u32 binary64_mul_shift(u64 x, u32 y, i32 n)
{
    return U32(((x >> 32) * U64(y) + ((U64(U32(x)) * U64(y)) >> 32)) >> (n - 32));
}

/*
 * The quotient is two digits of 27 bits, each the rest times the divisor's reciprocal. That has 32
 * bits from below: of the divisor's upper 32, with an error of (2^-26.2)^2 + 2^-29 after a third
 * step of Newton, less 2 in 2^31 for its other bits, 2^-28.5 in all. So the first digit is less
 * than 2^28 * 2^-28.5 + 1 too small, and the rest below 2.71 times the divisor; the second is less
 * than 2.71 * 2^27 * 2^-28.5 + 1 < 2 too small.
 */
FN f64 div_f64(f64 a, f64 b)
{
    u64 sign = (a ^ b) & BINARY64_SIGN;
    binary64_parts a_parts = binary64_normal(a), b_parts = binary64_normal(b);
    if (binary32_max_u32(U32(a_parts.e - 1), U32(b_parts.e - 1)) >= 2046u) {
        u64 a_size = a & BINARY64_SIZE, b_size = b & BINARY64_SIZE;
        if (a_size > BINARY64_INFINITY || b_size > BINARY64_INFINITY ||
            (a_size == b_size && (a_size == U64(0) || a_size == BINARY64_INFINITY))) {
            return BINARY64_NAN;
        }
        if (a_size == BINARY64_INFINITY || b_size == U64(0)) {
            return sign | BINARY64_INFINITY;
        }
        if (a_size == U64(0) || b_size == BINARY64_INFINITY) {
            return sign;
        }
        a_parts = binary64_normalised(a_size);
        b_parts = binary64_normalised(b_size);
    }
    u64 divisor = b_parts.m;
    i32 up = a_parts.m < divisor ? 1 : 0;
    u32 upper = U32(divisor >> 21);
    u32 reciprocal = binary32_reciprocal(upper);
    reciprocal = (mul_hi_u32(reciprocal, ~mul_hi_u32(upper, reciprocal)) << 1) - 2u;
    u32 high = binary64_mul_shift(a_parts.m << up, reciprocal, 57);
    u64 rest = (a_parts.m << (27 + up)) - U64(high) * divisor;
    u32 low = binary64_mul_shift(rest, reciprocal, 57);
    rest = (rest << 27) - U64(low) * divisor;
    u64 quotient = (U64(high) << 27) + U64(low);
    if (rest >= divisor) {
        quotient += U64(1);
        rest -= divisor;
    }
    return f64_rounded_any(sign, (quotient << 8) | U64(rest != U64(0) ? 1u : 0u),
                           a_parts.e - b_parts.e + 1023 - up);
}

/*
 * The root is 30 bits from below, plus twice what the rest divided by the root's double is. The
 * first are less than 2^-25.7 too small (the reciprocal's 2^-26 and what the lower half of x adds);
 * dividing by the double of the true root, by a reciprocal from below, leaves less than 9 of 2^54,
 * and then less than 2.
 */
FN f64 sqrt_f64(f64 x)
{
    if ((x & BINARY64_SIZE) == U64(0) || x == BINARY64_INFINITY) {
        return x;
    }
    if (x > BINARY64_INFINITY) {
        return BINARY64_NAN;
    }
    binary64_parts parts = binary64_normalised(x);
    i32 is_odd = parts.e & 1;
    u64 y = parts.m << (11 - is_odd); /* x = y / 2^64 * 2^(e + is_odd - 1022) */
    u32 upper = U32(y >> 32);
    u32 reciprocal = binary32_reciprocal_root(upper);
    u64 root = U64(mul_hi_u32(upper, reciprocal));
    u64 rest = y - ((root * root) << 4);
    root = (root << 24) + U64(binary64_mul_shift(rest, reciprocal, 41));
    rest = (y << 44) - root * root;
    u64 missing = U64(mul_hi_u32(U32(rest >> 32), reciprocal) >> 21);
    rest -= missing * (root + root + missing);
    root += missing;
    if (rest > root + root) {
        rest -= root + root + U64(1);
        root += U64(1);
    }
    return f64_rounded(U64(0), (root << 9) | U64(rest != U64(0) ? 1u : 0u),
                       ((parts.e + is_odd - 1022) >> 1) + 1022);
}

FN f64 f64_of_bits(u64 bits)
{
    return bits;
}

FN u64 bits_of_f64(f64 x)
{
    return x;
}

/* m rounded, with a sign. */
FN f64 binary64_of_u64(u64 sign, u64 m)
{
    i32 msb = msb_u64(m | U64(1));
    u64 at_62 = msb > 62 ? (m >> 1) | (m & U64(1)) : m << min_i32(62 - msb, 62);
    return m == U64(0) ? sign : f64_rounded(sign, at_62, 1023 + msb);
}

FN f64 f64_of_u32(u32 x)
{
    return binary64_of_u64(U64(0), U64(x));
}

FN f64 f64_of_i64(i64 x)
{
    u64 is_negative = U64(x >> 63);
    return binary64_of_u64(is_negative & BINARY64_SIGN, (U64(x) ^ is_negative) - is_negative);
}

FN f64 f64_of_i32(i32 x)
{
    return f64_of_i64(I64(x));
}

/* Rounds toward zero; |x| < 2^63. */
FN i64 i64_of_f64(f64 x)
{
    i32 e = I32(U32((x & BINARY64_SIZE) >> 52)) - 1075;
    u64 m = (x & BINARY64_FRACTION) | BINARY64_ONE;
    u64 size = e >= 0 ? m << min_i32(e, 10) : m >> min_i32(-e, 63);
    u64 is_negative = U64(I64(x) >> 63);
    return I64((size ^ is_negative) - is_negative);
}

FN f64 f64_of_f32(f32 x)
{
    u32 bits = bits_of_f32(x);
    u32 size = bits & ~BINARY32_SIGN;
    u64 sign = U64(bits & BINARY32_SIGN) << 32;
    if (size > BINARY32_INFINITY) {
        return BINARY64_NAN;
    }
    if (size == BINARY32_INFINITY) {
        return sign | BINARY64_INFINITY;
    }
    if (size == 0u) {
        return sign;
    }
    if (size < 0x800000u) {
        binary32_parts parts = binary32_normalised(size);
        return sign | (U64(U32(parts.e + 896)) << 52) | (U64(parts.m & 0x7fffffu) << 29);
    }
    return sign | ((U64(size) << 29) + F64_BITS(896u << 20, 0u));
}

FN f32 f32_of_f64(f64 x)
{
    u64 size = x & BINARY64_SIZE;
    u32 sign = U32(x >> 32) & BINARY32_SIGN;
    if (size > BINARY64_INFINITY) {
        return f32_of_bits(BINARY32_NAN);
    }
    i32 e = I32(U32(size >> 52)) - 896; /* below -150 the result is 0, also for denormals */
    u64 m = (size & BINARY64_FRACTION) | BINARY64_ONE;
    u32 at_30 = U32(m >> 22) | ((U32(m) & 0x3fffffu) != 0u ? 1u : 0u);
    return f32_of_bits(size == U64(0) ? sign : binary32_rounded_any(sign, at_30, min_i32(e, 300)));
}

FN f64 neg_f64(f64 x)
{
    return x ^ BINARY64_SIGN;
}

FN f64 abs_f64(f64 x)
{
    return x & BINARY64_SIZE;
}

FN f64 sub_f64(f64 a, f64 b)
{
    return add_f64(a, neg_f64(b));
}

FN i64 binary64_order(u64 x)
{
    u64 is_negative = U64(I64(x) >> 63);
    return I64(((x & BINARY64_SIZE) ^ is_negative) - is_negative);
}

FN i32 is_less_f64(f64 a, f64 b)
{
    return binary64_order(a) < binary64_order(b) && (a & BINARY64_SIZE) <= BINARY64_INFINITY &&
                   (b & BINARY64_SIZE) <= BINARY64_INFINITY
               ? 1
               : 0;
}

FN i32 is_equal_f64(f64 a, f64 b)
{
    return binary64_order(a) == binary64_order(b) && (a & BINARY64_SIZE) <= BINARY64_INFINITY ? 1
                                                                                              : 0;
}

/* a < b ? a : b and a > b ? a : b. */
FN f64 min_f64(f64 a, f64 b)
{
    return is_less_f64(a, b) != 0 ? a : b;
}

FN f64 max_f64(f64 a, f64 b)
{
    return is_less_f64(b, a) != 0 ? a : b;
}

/* x * 2^n, rounded if that is a denormal; -1022 <= n <= 1023. */
FN f64 scale_f64(f64 x, i32 n)
{
    return mul_f64(x, U64(U32(n + 1023)) << 52);
}

#endif
