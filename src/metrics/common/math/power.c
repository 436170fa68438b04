/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Powers as e^(y log x), with a logarithm that has some 15 bits more than binary64. Method and
 * coefficients were published by Arm (Optimized Routines, 2018); which operations are fused is what
 * glibc does.
 */

#include <math.h>

#include "metrics/common/math/exponential.h"
#include "metrics/common/math/fused.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_tables.h"
#include "metrics/common/math/math_variants.h"

#define LEAST_Z_BITS   UINT64_C(0x3fe6955500000000) /* about 0.706 */
#define EXPONENT_FIELD (UINT64_C(0xfff) << 52)
#define SIGN           (UINT64_C(1) << 63)

/* The natural logarithm of x, given by its bits, as hi + lo; x = 2^k z, and z/c - 1 is exact. */
MATH_INLINE DoubleDouble logarithm(uint64_t bits, bool hardware)
{
    const uint64_t above = bits - LEAST_Z_BITS;
    const double z = math_from_bits(bits - (above & EXPONENT_FIELD));
    const double k = (double)((int64_t)above >> 52);
    const PowLogRow *row =
        &math_pow_log_rows[(above & ~EXPONENT_FIELD) / ((UINT64_C(1) << 52) / POW_LOG_STEPS)];

    const double r = math_fused(z, row->inverse, -1.0, hardware);
    const double of_c = math_fused(k, 0x1.62e42fefa3800p-1, row->log, hardware);
    const double sum = of_c + r;
    const double low1 = math_fused(k, 0x1.ef35793c76730p-45, row->rest, hardware);
    const double low2 = of_c - sum + r;

    const double half = -0.5 * r, minus_half_r2 = r * half;
    const double high = sum + minus_half_r2;
    const double low3 = math_fused(half, r, -minus_half_r2, hardware);
    const double low4 = sum - high + minus_half_r2;

    /* The rest of the series, in powers of r and of -r^2/2. */
    const double p0 = math_fused(r, -0x1.0000000000006p-2 * -2, 0x1.555555555556p-2 * -2, hardware);
    const double p1 = math_fused(r, -0x1.555555529a47ap-3 * 4, 0x1.999999959554ep-3 * 4, hardware);
    const double p2 =
        math_fused(r, -0x1.0002b8b263fc3p-3 * -8, 0x1.2495b9b4845e9p-3 * -8, hardware);
    double p = math_fused(minus_half_r2, p2, p1, hardware);
    p = math_fused(minus_half_r2, p, p0, hardware);
    const double low = math_fused(r * minus_half_r2, p, low1 + low2 + low3 + low4, hardware);
    const double hi = high + low;
    return (DoubleDouble){hi, high - hi + low};
}

typedef enum Kind { NO_INTEGER, ODD_INTEGER, EVEN_INTEGER } Kind;

/* The kind of a number that is neither 0 nor infinite. */
MATH_INLINE Kind kind_of(double y)
{
    const uint64_t bits = math_bits(y);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < 0)
        return NO_INTEGER;
    if (exponent > 52)
        return EVEN_INTEGER;
    const uint64_t unit = UINT64_C(1) << (52 - exponent);
    if (bits & (unit - 1))
        return NO_INTEGER;
    return bits & unit ? ODD_INTEGER : EVEN_INTEGER;
}

MATH_INLINE bool is_zero_or_not_finite(double x)
{
    return x == 0 || !(fabs(x) < INFINITY);
}

/* Where one of the arguments is 0, infinite, or no number. */
static double power_of_limits(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return x + y;
    if (isinf(y)) {
        if (x == -1)
            return 1;
        return (fabs(x) < 1) == (y < 0) ? INFINITY : 0;
    }
    const double square = x * x, result = y < 0 ? 1 / square : square;
    return x < 0 || math_bits(x) == SIGN ? (kind_of(y) == ODD_INTEGER ? -result : result) : result;
}

/* Exponents of y below which x^y is all but 1, and from which it is infinite or 0 unless x is 1. */
enum { LEAST_EXPONENT = 0x3be, LIMIT_OF_EXPONENT = 0x43e };

MATH_INLINE double power(double x, double y, bool hardware)
{
    uint64_t bits = math_bits(x);
    const unsigned exponent_x = (unsigned)(bits >> 52);
    const unsigned exponent_y = (unsigned)(math_bits(y) >> 52) & 0x7ff;
    bool negative = false;
    if (__builtin_expect(exponent_x - 1 >= 0x7ff - 1 ||
                             exponent_y - LEAST_EXPONENT >= LIMIT_OF_EXPONENT - LEAST_EXPONENT,
                         false)) {
        if (is_zero_or_not_finite(x) || is_zero_or_not_finite(y))
            return power_of_limits(x, y);
        if (x < 0) {
            const Kind kind = kind_of(y);
            if (kind == NO_INTEGER)
                return NAN;
            negative = kind == ODD_INTEGER;
            bits &= ~SIGN;
        }
        const double magnitude = math_from_bits(bits);
        if (exponent_y >= LIMIT_OF_EXPONENT) {
            if (magnitude == 1)
                return 1;
            return (magnitude > 1) == (y > 0) ? INFINITY : 0;
        }
        if (exponent_y < LEAST_EXPONENT)
            return magnitude > 1 ? 1.0 + y : magnitude < 1 ? 1.0 - y : 1.0;
        if (magnitude < 0x1p-1022)
            bits = math_bits(magnitude * 0x1p52) - (UINT64_C(52) << 52);
    }
    const DoubleDouble log = logarithm(bits, hardware);
    const double high = y * log.hi;
    const double low = math_fused(y, log.lo, math_fused(y, log.hi, -high, hardware), hardware);
    return exp_of_sum(high, low, negative, hardware);
}

MATH_VARIANTS_2(double, math_pow, power)
