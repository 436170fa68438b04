/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_BINARY32_H
#define KERNELS_DIALECT_BINARY32_H

/*
 * IEEE binary32 in integer arithmetic: rounded to nearest, ties to even, with denormals,
 * infinities and signed zeros, the same bits on every device. An invalid operation, and any with a
 * NaN, results in 0x7fc00000. Values have the type f32, which has functions but no operators:
 *
 *     f32_of_bits bits_of_f32 F32(0x3f800000u)
 *     f32_of_i32 f32_of_u32 f32_of_i64             rounded
 *     i32_of_f32                                   toward zero
 *     add_f32 sub_f32 mul_f32 div_f32 sqrt_f32
 *     neg_f32 abs_f32 min_f32 max_f32 scale_f32
 *     is_less_f32 is_equal_f32                     1 or 0
 *
 * The functions binary32_... before them compute with the bits.
 *
 * With NATIVE_F32, which the option NATIVE of vmaf_add_kernel defines for a second variant of a
 * kernel, f32 is the device's own type, and results are the same: such kernels run only on devices
 * that are exact.
 */
#define BINARY32_SIGN     0x80000000u
#define BINARY32_INFINITY 0x7f800000u
#define BINARY32_NAN      0x7fc00000u

FN u32 binary32_min_u32(u32 a, u32 b)
{
    return a < b ? a : b;
}

FN u32 binary32_max_u32(u32 a, u32 b)
{
    return a > b ? a : b;
}

/* x / 2^n rounded down, 0 <= n < 32, but odd if that is not exact, so that later rounding to fewer
 * bits still sees on which side of a tie the number was. */
FN u32 binary32_shift_sticky(u32 x, i32 n)
{
    u32 shifted = x >> n;
    return (shifted << n) == x ? shifted : shifted | 1u;
}

/*
 * m * 2^(e - 157) rounded, m < 2^31 and e >= 1. Either bit 30 is set, and e is the exponent's field
 * except for a carry, or e is 1. So m / 2^7 is the mantissa with its implicit bit where that is
 * set, which adds the 1 that the field below lacks; a carry of rounding goes to the field as well.
 */
FN u32 binary32_rounded(u32 sign, u32 m, i32 e)
{
    u32 bits = ((m + 63u + ((m >> 7) & 1u)) >> 7) + (U32(e - 1) << 23);
    return sign | binary32_min_u32(bits, BINARY32_INFINITY);
}

/* The same for m with bit 30 set and any e below 2^8 + 2^8. */
FN u32 binary32_rounded_any(u32 sign, u32 m, i32 e)
{
    if (e < 1) {
        m = binary32_shift_sticky(m, min_i32(1 - e, 31));
        e = 1;
    }
    return binary32_rounded(sign, m, e);
}

FN u32 binary32_add(u32 a, u32 b)
{
    u32 a_size = a & ~BINARY32_SIGN, b_size = b & ~BINARY32_SIGN;
    u32 large = a_size >= b_size ? a : b;
    u32 more = binary32_max_u32(a_size, b_size), less = binary32_min_u32(a_size, b_size);
    u32 is_difference = (a ^ b) & BINARY32_SIGN;
    /* A number is its mantissa * 2^(k - 149): denormals have k = 0, like the smallest normal ones.
     */
    i32 more_k = max_i32(I32(more >> 23) - 1, 0), less_k = max_i32(I32(less >> 23) - 1, 0);
    /* There are six bits below the mantissa. If the smaller number loses bits when it is aligned,
     * the result has at most one bit less, and the lowest of the six is sticky. */
    u32 m = (more - (U32(more_k) << 23)) << 6;
    u32 aligned =
        binary32_shift_sticky((less - (U32(less_k) << 23)) << 6, min_i32(more_k - less_k, 31));
    m = is_difference != 0u ? m - aligned : m + aligned;
    i32 up = min_i32(30 - I32(MSB32(m | 1u)), more_k + 1);
    u32 sum = binary32_rounded(large & BINARY32_SIGN, m << up, more_k + 2 - up);
    sum = m == 0u ? a & b & BINARY32_SIGN : sum; /* x - x is +0; only -0 + -0 is -0 */
    if (more >= BINARY32_INFINITY) {
        sum = more > BINARY32_INFINITY || m == 0u ? BINARY32_NAN : large;
    }
    return sum;
}

/* The number m * 2^(e - 150), with bit 23 of m set: e is the exponent's field without its limits.
 */
struct binary32_parts {
    u32 m;
    i32 e;
};
KERNEL_STRUCT(binary32_parts)

/* The parts of a normal number. */
FN binary32_parts binary32_normal(u32 x)
{
    binary32_parts parts;
    parts.e = I32((x >> 23) & 255u);
    parts.m = (x & 0x7fffffu) | 0x800000u;
    return parts;
}

/* The parts of a finite number that is not 0, without its sign. */
FN binary32_parts binary32_normalised(u32 size)
{
    binary32_parts parts;
    i32 up = max_i32(23 - I32(MSB32(size)), 0);
    parts.e = I32(size >> 23) - up + (up != 0 ? 1 : 0);
    parts.m = ((size << up) & 0x7fffffu) | 0x800000u;
    return parts;
}

FN u32 binary32_mul(u32 a, u32 b)
{
    u32 sign = (a ^ b) & BINARY32_SIGN;
    binary32_parts a_parts = binary32_normal(a), b_parts = binary32_normal(b);
    if (binary32_max_u32(U32(a_parts.e - 1), U32(b_parts.e - 1)) >= 254u) {
        u32 a_size = a & ~BINARY32_SIGN, b_size = b & ~BINARY32_SIGN;
        u32 more = binary32_max_u32(a_size, b_size), less = binary32_min_u32(a_size, b_size);
        if (more >= BINARY32_INFINITY) {
            return more > BINARY32_INFINITY || less == 0u ? BINARY32_NAN : sign | BINARY32_INFINITY;
        }
        if (less == 0u) {
            return sign;
        }
        a_parts = binary32_normalised(a_size);
        b_parts = binary32_normalised(b_size);
    }
    u32 a_m = a_parts.m << 8, b_m = b_parts.m << 7;
    /* The upper half of the product, which is at least 2^61 and below 2^63, with the lower half as
     * a sticky bit. */
    u32 m = mul_hi_u32(a_m, b_m) | (a_m * b_m != 0u ? 1u : 0u);
    i32 up = 1 - I32(m >> 30);
    return binary32_rounded_any(sign, m << up, a_parts.e + b_parts.e - 126 - up);
}

/*
 * 2^63 / x from below, with an error of less than 2^-26.2 of it, for 2^31 <= x < 2^32. With
 * y = x / 2^32, the first approximation is 140/33 - 64/11 y + 256/99 y^2, whose error is below 1/99
 * (a Chebyshev polynomial). A step of Newton squares the error, and stays below in spite of its
 * rounding, as the product is rounded down and its complement is one less than its negative. It
 * loses at most 4 of 2^31 by rounding: (1/99)^4 + 4 / 2^31 < 2^-26.2.
 */
FN u32 binary32_reciprocal(u32 x)
{
    u32 r = (0x87C1F07Cu - mul_hi_u32(x, 0xBA2E8BA3u - mul_hi_u32(x, 0x52BF5A81u))) << 2;
    r = mul_hi_u32(r, ~mul_hi_u32(x, r)) << 1;
    return mul_hi_u32(r, ~mul_hi_u32(x, r)) << 1;
}

FN u32 binary32_div(u32 a, u32 b)
{
    u32 sign = (a ^ b) & BINARY32_SIGN;
    binary32_parts a_parts = binary32_normal(a), b_parts = binary32_normal(b);
    if (binary32_max_u32(U32(a_parts.e - 1), U32(b_parts.e - 1)) >= 254u) {
        u32 a_size = a & ~BINARY32_SIGN, b_size = b & ~BINARY32_SIGN;
        if (binary32_max_u32(a_size, b_size) > BINARY32_INFINITY ||
            (a_size == b_size && (a_size == 0u || a_size == BINARY32_INFINITY))) {
            return BINARY32_NAN;
        }
        if (a_size == BINARY32_INFINITY || b_size == 0u) {
            return sign | BINARY32_INFINITY;
        }
        if (a_size == 0u || b_size == BINARY32_INFINITY) {
            return sign;
        }
        a_parts = binary32_normalised(a_size);
        b_parts = binary32_normalised(b_size);
    }
    i32 up = a_parts.m < b_parts.m ? 1 : 0;
    u32 a_m = a_parts.m << up, b_m = b_parts.m;
    /* 2^24 <= 2^24 a_m / b_m < 2^25, from below; the error is less than 1. The rest is exact in its
     * lower 32 bits, and below 2^25. */
    u32 quotient = mul_hi_u32(a_m << 7, binary32_reciprocal(b_m << 8)) >> 6;
    u32 rest = (a_m << 24) - quotient * b_m;
    u32 missing = rest >= b_m ? 1u : 0u;
    u32 inexact = rest != 0u && rest != b_m ? 1u : 0u;
    return binary32_rounded_any(sign, ((quotient + missing) << 6) | inexact,
                                a_parts.e - b_parts.e + 127 - up);
}

/*
 * 2^30 / sqrt(x / 2^32) from below, with an error of less than 2^-26 of it, for 2^30 <= x < 2^32.
 * The first approximation is the best polynomial of degree 3, with an error below 1/142. A step of
 * Newton makes an error d one of 3/2 d^2, from below; the 2 subtracted in it outweighs the rounding
 * of the two products before, and all rounding together loses at most 2^-27.4:
 * 3/2 (3/2 (1/142)^2 + 2^-27.4)^2 + 2^-27.4 < 2^-26.
 */
FN u32 binary32_reciprocal_root(u32 x)
{
    u32 r = 0xC75BB06Bu - mul_hi_u32(x, 0x4E07CE8Fu);
    r = 0xBD2620F9u - mul_hi_u32(x, r);
    r = (0x639891CAu - mul_hi_u32(x, r)) << 1;
    UNROLL
    for (i32 step = 0; step < 2; ++step) {
        u32 square = mul_hi_u32(x, mul_hi_u32(r, r));
        r = mul_hi_u32(r, (0x2ffffffeu - square) << 2) << 1;
    }
    return r;
}

FN u32 binary32_sqrt(u32 x)
{
    if ((x & ~BINARY32_SIGN) == 0u || x == BINARY32_INFINITY) {
        return x;
    }
    if (x > BINARY32_INFINITY) {
        return BINARY32_NAN;
    }
    binary32_parts parts = binary32_normalised(x);
    i32 is_odd = parts.e & 1;
    u32 y = parts.m << (8 - is_odd); /* x = y / 2^32 * 2^(e + is_odd - 126) */
    /* 2^24 <= 2^25 sqrt(y / 2^32) < 2^25, from below; the error is less than 1. The rest is exact
     * in its lower 32 bits. */
    u32 root = mul_hi_u32(y, binary32_reciprocal_root(y)) >> 5;
    u32 rest = (y << 18) - root * root;
    u32 missing = rest > 2u * root ? 1u : 0u;
    u32 inexact = rest != 0u && rest != 2u * root + 1u ? 1u : 0u;
    return binary32_rounded(0u, ((root + missing) << 6) | inexact,
                            ((parts.e + is_odd - 126) >> 1) + 126);
}

/* m * 2^exponent rounded. */
FN u32 binary32_of_u32(u32 sign, u32 m, i32 exponent)
{
    i32 msb = MSB32(m | 1u);
    u32 at_30 = msb > 30 ? (m >> 1) | (m & 1u) : m << min_i32(30 - msb, 30);
    return m == 0u ? sign : binary32_rounded_any(sign, at_30, 127 + msb + exponent);
}

/* The same for 64 bits. */
FN u32 binary32_of_u64(u32 sign, u64 m, i32 exponent)
{
    if ((m >> 32) == U64(0)) {
        return binary32_of_u32(sign, U32(m), exponent);
    }
    i32 drop = I32(MSB32(U32(m >> 32))) + 1;
    u32 upper = U32(m >> drop);
    return binary32_of_u32(sign, (U64(upper) << drop) == m ? upper : upper | 1u, exponent + drop);
}

/* An integer in the order of the numbers, unless one is a NaN; -0 equals +0. */
FN i32 binary32_order(u32 x)
{
    i32 is_negative = I32(x) >> 31;
    return (I32(x & ~BINARY32_SIGN) ^ is_negative) - is_negative;
}

FN i32 binary32_is_nan(u32 x)
{
    return (x & ~BINARY32_SIGN) > BINARY32_INFINITY ? 1 : 0;
}

FN f32 f32_of_bits(u32 bits)
{
    return F32(bits);
}

#if defined(NATIVE_F32)

/* The device may have produced any NaN. */
FN u32 bits_of_f32(f32 x)
{
    u32 bits = BITS_OF_FLOAT(x);
    return binary32_is_nan(bits) != 0 ? BINARY32_NAN : bits;
}

FN u32 binary32_bits(f32 x)
{
    return BITS_OF_FLOAT(x);
}

FN f32 f32_of_u32(u32 x)
{
    return FLOAT_OF_NUMBER(x);
}

FN f32 f32_of_i32(i32 x)
{
    return FLOAT_OF_NUMBER(x);
}

FN i32 i32_of_f32(f32 x)
{
    return I32(x);
}

/* Rounds toward zero; |x| < 2^63. Only native kernels have this function. */
FN i64 i64_of_f32(f32 x)
{
    return I64(x);
}

FN f32 add_f32(f32 a, f32 b)
{
    EXACT_FLOAT sum = a + b;
    return sum;
}

FN f32 sub_f32(f32 a, f32 b)
{
    EXACT_FLOAT difference = a - b;
    return difference;
}

FN f32 mul_f32(f32 a, f32 b)
{
    EXACT_FLOAT product = a * b;
    return product;
}

FN i32 is_less_f32(f32 a, f32 b)
{
    return a < b ? 1 : 0;
}

FN i32 is_equal_f32(f32 a, f32 b)
{
    return a == b ? 1 : 0;
}

#else

FN u32 bits_of_f32(f32 x)
{
    return x;
}

FN u32 binary32_bits(f32 x)
{
    return x;
}

FN f32 f32_of_u32(u32 x)
{
    return binary32_of_u32(0u, x, 0);
}

FN f32 f32_of_i32(i32 x)
{
    u32 is_negative = U32(x >> 31);
    return binary32_of_u32(is_negative & BINARY32_SIGN, (U32(x) ^ is_negative) - is_negative, 0);
}

/* Rounds toward zero; |x| < 2^31. */
FN i32 i32_of_f32(f32 x)
{
    i32 e = I32((x & ~BINARY32_SIGN) >> 23) - 150;
    u32 m = (x & 0x7fffffu) | 0x800000u;
    u32 size = e >= 0 ? m << min_i32(e, 7) : m >> min_i32(-e, 31);
    return (x & BINARY32_SIGN) != 0u ? -I32(size) : I32(size);
}

FN f32 add_f32(f32 a, f32 b)
{
    return binary32_add(a, b);
}

FN f32 sub_f32(f32 a, f32 b)
{
    return binary32_add(a, b ^ BINARY32_SIGN);
}

FN f32 mul_f32(f32 a, f32 b)
{
    return binary32_mul(a, b);
}

/* 1 if a < b, else 0, also if one is a NaN. */
FN i32 is_less_f32(f32 a, f32 b)
{
    return binary32_order(a) < binary32_order(b) && binary32_is_nan(a) + binary32_is_nan(b) == 0
               ? 1
               : 0;
}

FN i32 is_equal_f32(f32 a, f32 b)
{
    return binary32_order(a) == binary32_order(b) && binary32_is_nan(a) == 0 ? 1 : 0;
}

#endif

/* Native kernels of a target use the device's division and square root if they are exact on all of
 * its devices. */
#if defined(NATIVE_F32) && defined(NATIVE_QUOTIENT)

FN f32 div_f32(f32 a, f32 b)
{
    return NATIVE_QUOTIENT(a, b);
}

FN f32 sqrt_f32(f32 x)
{
    return NATIVE_ROOT(x);
}

#else

FN f32 div_f32(f32 a, f32 b)
{
    return f32_of_bits(binary32_div(binary32_bits(a), binary32_bits(b)));
}

FN f32 sqrt_f32(f32 x)
{
    return f32_of_bits(binary32_sqrt(binary32_bits(x)));
}

#endif

FN f32 f32_of_i64(i64 x)
{
    u64 is_negative = U64(x >> 63);
    return f32_of_bits(
        binary32_of_u64(U32(is_negative) & BINARY32_SIGN, (U64(x) ^ is_negative) - is_negative, 0));
}

/* Changes only the sign bit. The result for a NaN is a NaN, which differs between devices. */
FN f32 neg_f32(f32 x)
{
    return f32_of_bits(binary32_bits(x) ^ BINARY32_SIGN);
}

FN f32 abs_f32(f32 x)
{
    return f32_of_bits(binary32_bits(x) & ~BINARY32_SIGN);
}

/* a < b ? a : b and a > b ? a : b, so that b is the result if one is a NaN or both are zeros. They
 * select bits, since compilers would use instructions that choose differently in these cases. */
FN f32 min_f32(f32 a, f32 b)
{
    return f32_of_bits(is_less_f32(a, b) != 0 ? binary32_bits(a) : binary32_bits(b));
}

FN f32 max_f32(f32 a, f32 b)
{
    return f32_of_bits(is_less_f32(b, a) != 0 ? binary32_bits(a) : binary32_bits(b));
}

/* x * 2^n, rounded if that is a denormal; -126 <= n <= 127. */
FN f32 scale_f32(f32 x, i32 n)
{
    return mul_f32(x, f32_of_bits(U32(n + 127) << 23));
}

#endif
