/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Powers of binary32 as 2^(y log2 x), in binary64. Some are not the correctly rounded ones. Method
 * and coefficients were published by Arm (Optimized Routines, 2017); which operations are fused is
 * what glibc does.
 */

#include <math.h>

#include "metrics/common/math/fused.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_tables.h"
#include "metrics/common/math/math_variants.h"

#define LEAST_Z_BITS 0x3f330000u /* about 0.699 */
#define SIGN         0x80000000u
#define INFINITE     0x7f800000u
#define LEAST_NORMAL 0x00800000u

MATH_INLINE uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

MATH_INLINE float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* The logarithm of a number x, given by its bits; x = 2^k z, and c is near z. */
MATH_INLINE double binary_logarithm(uint32_t bits, bool hardware)
{
    const uint32_t above = bits - LEAST_Z_BITS;
    const uint32_t exponent_field = above & 0xff800000u;
    const LogRow *row = &math_log2_f32_rows[(above & 0x007fffffu) / ((1u << 23) / LOG2_F32_STEPS)];
    const double z = (double)from_bits(bits - exponent_field);
    const double k = (double)((int32_t)exponent_field >> 23);

    const double r = math_fused(z, row->inverse, -1, hardware), r2 = r * r;
    const double p0 = math_fused(0x1.27616c9496e0bp-2, r, -0x1.71969a075c67ap-2, hardware);
    const double p1 = math_fused(0x1.ec70a6ca7baddp-2, r, -0x1.7154748bef6c8p-1, hardware);
    double sum = math_fused(0x1.71547652ab82bp0, r, row->log + k, hardware);
    sum = math_fused(p1, r2, sum, hardware);
    return math_fused(p0, r2 * r2, sum, hardware);
}

/* 2^x, or the negative of it, by steps of 1/32. */
MATH_INLINE float exponential(double x, bool negative, bool hardware)
{
    const double integer = 0x1.8p52 / EXP_F32_STEPS; /* adding it rounds to a step */
    const double shifted = x + integer, r = x - (shifted - integer);
    const uint64_t k = math_bits(shifted);
    const double scale = math_from_bits(math_exp_f32_bits[k % EXP_F32_STEPS] + (k << 47) +
                                        ((uint64_t)negative << 63));
    const double p = math_fused(0x1.c6af84b912394p-5, r, 0x1.ebfce50fac4f3p-3, hardware);
    const double q = math_fused(0x1.62e42ff0c52d6p-1, r, 1, hardware);
    return (float)(math_fused(p, r * r, q, hardware) * scale);
}

MATH_INLINE bool is_zero_or_not_finite(uint32_t bits)
{
    return 2 * bits - 1 >= 2 * INFINITE - 1;
}

/* Zero is even here. */
MATH_INLINE bool is_integer(float x)
{
    return fabsf(x) >= 0x1p23F || x == (float)(int32_t)x;
}

MATH_INLINE bool is_odd(float x)
{
    return fabsf(x) < 0x1p24F && x == (float)(int32_t)x && (int32_t)x % 2 != 0;
}

/* Where one of the arguments is 0, infinite, or no number. */
static float power_of_limits(float x, float y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return x + y;
    if (isinf(y)) {
        if (x == -1)
            return 1;
        return (fabsf(x) < 1) == (y < 0) ? INFINITY : 0;
    }
    const float square = x * x, result = y < 0 ? 1 / square : square;
    return bits_of(x) & SIGN && is_odd(y) ? -result : result;
}

MATH_INLINE float power(float x, float y, bool hardware)
{
    uint32_t bits = bits_of(x);
    bool negative = false;
    if (__builtin_expect(bits - LEAST_NORMAL >= INFINITE - LEAST_NORMAL ||
                             is_zero_or_not_finite(bits_of(y)),
                         false)) {
        if (is_zero_or_not_finite(bits) || is_zero_or_not_finite(bits_of(y)))
            return power_of_limits(x, y);
        if (bits & SIGN) {
            if (!is_integer(y))
                return NAN;
            negative = is_odd(y);
            bits &= ~SIGN;
        }
        if (bits < LEAST_NORMAL)
            bits = bits_of(from_bits(bits) * 0x1p23F) - (23u << 23);
    }
    const double log = y * binary_logarithm(bits, hardware);
    if (__builtin_expect(fabs(log) >= 126, false)) {
        if (log > 0x1.fffffffd1d571p+6)
            return negative ? -INFINITY : INFINITY;
        if (log <= -150)
            return negative ? -0.0F : 0.0F;
    }
    return exponential(log, negative, hardware);
}

MATH_VARIANTS_2(float, math_powf, power)
