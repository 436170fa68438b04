/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Natural, binary and decimal logarithms. x is 2^k z with z in [11/16, 11/8), and the logarithm of
 * z is that of a c near it, from a table, and a polynomial of r = z/c - 1. Near 1 there is a
 * polynomial of x - 1. Methods and coefficients were published by Arm (Optimized Routines, 2018),
 * for the decimal logarithm by Sun (fdlibm, 1993); which operations are fused is what glibc does.
 */

#include <math.h>

#include "metrics/common/math/fused.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_tables.h"
#include "metrics/common/math/math_variants.h"

#define LEAST_Z_BITS   UINT64_C(0x3fe6000000000000) /* of 11/16 */
#define EXPONENT_FIELD (UINT64_C(0xfff) << 52)

/* x = 2^k z, and the step of a table that z is in. */
typedef struct Split {
    double z, k;
    unsigned step;
} Split;

MATH_INLINE Split split(uint64_t bits, unsigned steps)
{
    const uint64_t above = bits - LEAST_Z_BITS;
    return (Split){
        .z = math_from_bits(bits - (above & EXPONENT_FIELD)),
        .k = (double)((int64_t)above >> 52),
        .step = (unsigned)((above & ~EXPONENT_FIELD) / ((UINT64_C(1) << 52) / steps)),
    };
}

MATH_INLINE bool is_near_1(double x, double least, double limit)
{
    return math_bits(x) - math_bits(least) < math_bits(limit) - math_bits(least);
}

MATH_INLINE bool is_normal_and_positive(uint64_t bits)
{
    return bits - (UINT64_C(1) << 52) < UINT64_C(0x7fe) << 52;
}

/* The bits of a subnormal number, as if there were smaller exponents. */
MATH_INLINE uint64_t normalised(double x)
{
    return math_bits(x * 0x1p52) - (UINT64_C(52) << 52);
}

/* The logarithm of what is not positive and finite. */
MATH_INLINE double no_logarithm(double x)
{
    if (x == 0)
        return -INFINITY;
    return x > 0 ? x : x - x + NAN; /* infinity, or what has none */
}

MATH_INLINE bool has_logarithm(double x)
{
    return x > 0 && x < INFINITY;
}

MATH_INLINE double logarithm_near_1(double x, bool hardware)
{
    static const double c[11] = {
        -0x1p-1,
        0x1.5555555555577p-2,
        -0x1.ffffffffffdcbp-3,
        0x1.999999995dd0cp-3,
        -0x1.55555556745a7p-3,
        0x1.24924a344de3p-3,
        -0x1.fffffa4423d65p-4,
        0x1.c7184282ad6cap-4,
        -0x1.999eb43b068ffp-4,
        0x1.78182f7afd085p-4,
        -0x1.5521375d145cdp-4,
    };
    const double r = x - 1.0, r2 = r * r, r3 = r * r2;
    double p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = math_fused(r, c[3 * i + 2], c[3 * i + 1], hardware);
        p[i] = math_fused(r2, c[3 * i + 3], p[i], hardware);
    }
    p[2] = math_fused(r3, c[10], p[2], hardware);
    const double tail = math_fused(r3, math_fused(r3, p[2], p[1], hardware), p[0], hardware);
    /* r - r^2/2 by the upper half of r and the rest. */
    const double upper = math_fused(r, -0x1p27, math_fused(r, 0x1p27, r, hardware), hardware);
    const double lower = r - upper, square = upper * upper;
    const double high = math_fused(square, c[0], r, hardware);
    double low = math_fused(square, c[0], r - high, hardware);
    low = math_fused(c[0] * lower, r + upper, low, hardware);
    return high + math_fused(r3, tail, low, hardware);
}

MATH_INLINE double logarithm(double x, bool hardware)
{
    uint64_t bits = math_bits(x);
    if (__builtin_expect(is_near_1(x, 1.0 - 0x1p-4, 1.0 + 0x1.09p-4), false))
        return x == 1.0 ? 0.0 : logarithm_near_1(x, hardware);
    if (__builtin_expect(!is_normal_and_positive(bits), false)) {
        if (!has_logarithm(x))
            return no_logarithm(x);
        bits = normalised(x);
    }
    const Split s = split(bits, LOG_STEPS);
    const LogRow *row = &math_log_rows[s.step];
    const double r = math_fused(s.z, row->inverse, -1.0, hardware);
    /* The product with k is exact. */
    const double of_c = math_fused(s.k, 0x1.62e42fefa3800p-1, row->log, hardware);
    const double high = of_c + r;
    double low = math_fused(s.k, 0x1.ef35793c76730p-45, of_c - high + r, hardware);
    const double r2 = r * r;
    low = math_fused(r2, -0x1.0000000000001p-1, low, hardware);
    const double p1 = math_fused(r, -0x1.fffffffeb459p-3, 0x1.555555551305bp-2, hardware);
    const double p2 = math_fused(r, -0x1.55575e506c89fp-3, 0x1.999b324f10111p-3, hardware);
    return math_fused(r * r2, math_fused(r2, p2, p1, hardware), low, hardware) + high;
}

#define INVERSE_LN2_HI 0x1.7154765200000p+0
#define INVERSE_LN2_LO 0x1.705fc2eefa200p-33

MATH_INLINE double binary_logarithm_near_1(double x, bool hardware)
{
    static const double c[10] = {
        -0x1.71547652b82fep-1, 0x1.ec709dc3a03f7p-2, -0x1.71547652b7c3fp-2, 0x1.2776c50f05be4p-2,
        -0x1.ec709dd768fe5p-3, 0x1.a61761ec4e736p-3, -0x1.7153fbc64a79bp-3, 0x1.484d154f01b4ap-3,
        -0x1.289e4a72c383cp-3, 0x1.0b32f285aee66p-3,
    };
    const double r = x - 1.0, r2 = r * r, r4 = r2 * r2;
    double p[5];
    for (int i = 0; i < 5; i++)
        p[i] = math_fused(r, c[2 * i + 1], c[2 * i], hardware);
    const double product = r * INVERSE_LN2_HI;
    const double rest = math_fused(r, INVERSE_LN2_HI, -product, hardware);
    double low = math_fused(r, INVERSE_LN2_LO, rest, hardware);
    const double high = math_fused(r2, p[0], product, hardware);
    low = math_fused(r2, p[0], product - high, hardware) + low;
    const double p12 = math_fused(r2, p[2], p[1], hardware);
    const double p34 = math_fused(r2, p[4], p[3], hardware);
    return high + math_fused(r4, math_fused(r4, p34, p12, hardware), low, hardware);
}

MATH_INLINE double binary_logarithm(double x, bool hardware)
{
    uint64_t bits = math_bits(x);
    if (__builtin_expect(is_near_1(x, 1.0 - 0x1.5b51p-5, 1.0 + 0x1.6ab2p-5), false))
        return x == 1.0 ? 0.0 : binary_logarithm_near_1(x, hardware);
    if (__builtin_expect(!is_normal_and_positive(bits), false)) {
        if (!has_logarithm(x))
            return no_logarithm(x);
        bits = normalised(x);
    }
    const Split s = split(bits, LOG2_STEPS);
    const LogRow *row = &math_log2_rows[s.step];
    const double r = math_fused(s.z, row->inverse, -1.0, hardware);
    const double product = r * INVERSE_LN2_HI;
    const double rest = math_fused(r, INVERSE_LN2_HI, -product, hardware);
    const double of_c = s.k + row->log, high = of_c + product;
    const double low = of_c - high + product + math_fused(r, INVERSE_LN2_LO, rest, hardware);
    const double r2 = r * r;
    const double p0 = math_fused(r, 0x1.ec709dc3a04bep-2, -0x1.71547652b8339p-1, hardware);
    const double p1 = math_fused(r, 0x1.2776c50034c48p-2, -0x1.7154764702ffbp-2, hardware);
    const double p2 = math_fused(r, 0x1.a6225e117f92ep-3, -0x1.ec7b328ea92bcp-3, hardware);
    const double p = math_fused(r2 * r2, p2, math_fused(r2, p1, p0, hardware), hardware);
    return math_fused(r2, p, low, hardware) + high;
}

/* Nothing is fused here but in the natural logarithm. x = 2^k z with z in [1, 2) if k is at least
 * 0, and in [1/2, 1) otherwise. */
MATH_INLINE double decimal_logarithm(double x, bool hardware)
{
    uint64_t bits = math_bits(x);
    if (__builtin_expect(!is_normal_and_positive(bits), false)) {
        if (!has_logarithm(x))
            return no_logarithm(x);
        bits = normalised(x);
    }
    const int64_t exponent = ((int64_t)bits >> 52) - 1023, is_below_1 = exponent < 0;
    const double k = (double)(exponent + is_below_1);
    const double z = math_from_bits((bits & ~EXPONENT_FIELD) | (uint64_t)(1023 - is_below_1) << 52);
    const double rest =
        k * 3.69423907715893078616e-13 + 4.34294481903251816668e-01 * logarithm(z, hardware);
    return rest + k * 3.01029995663611771306e-01;
}

MATH_VARIANTS_1(double, math_log, logarithm)
MATH_VARIANTS_1(double, math_log2, binary_logarithm)
MATH_VARIANTS_1(double, math_log10, decimal_logarithm)
