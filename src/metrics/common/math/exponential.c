/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Exponentials, logarithms and powers, in binary64, and powers in binary32. Powers are at the end,
 * since they are made of the others' methods.
 */

#include <math.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_internal.h"

#ifdef MATH_FMA_FOUND

bool math_fma_found;

/* Bits of CPUID leaf 1 in ECX: the instructions, and that the system keeps the registers which XCR0
 * names; and the bits of XCR0 that are needed. */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, SSE_AND_AVX_REGISTERS = 6 };

/* Runs before anything else. Compilers have __builtin_cpu_supports for it, but not all have the
 * part of it that belongs to the runtime. */
__attribute__((constructor)) static void find_fma(void)
{
    unsigned leaf = 1, ebx, ecx = 0, edx, kept;
    __asm__("cpuid" : "+a"(leaf), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (!(ecx & FMA) || !(ecx & OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(kept), "=d"(edx) : "c"(0));
    math_fma_found = (kept & SSE_AND_AVX_REGISTERS) == SSE_AND_AVX_REGISTERS;
}

#endif

bool math_has_fma(void)
{
    return MATH_FMA && MATH_HAS_FMA;
}

MATH_INLINE double exponential(double x, bool hardware)
{
    return exp_of_sum(x, 0, false, hardware);
}

MATH_VARIANTS_1(double, math_exp, exponential)

/*
 * Natural, binary and decimal logarithms. x is 2^k z with z in [11/16, 11/8), and the logarithm of
 * z is that of a c near it, from a table, and a polynomial of r = z/c - 1. Near 1 there is a
 * polynomial of x - 1. Methods and coefficients were published by Arm (Optimized Routines, 2018),
 * for the decimal logarithm by Sun (fdlibm, 1993); which operations are fused is what glibc does.
 */

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

/*
 * Powers as e^(y log x), with a logarithm that has some 15 bits more than binary64. Method and
 * coefficients were published by Arm (Optimized Routines, 2018); which operations are fused is what
 * glibc does.
 */

#define LEAST_POWER_Z_BITS UINT64_C(0x3fe6955500000000) /* about 0.706 */
#define SIGN               (UINT64_C(1) << 63)

/* The natural logarithm of x, given by its bits, as hi + lo; x = 2^k z, and z/c - 1 is exact. */
MATH_INLINE DoubleDouble precise_logarithm(uint64_t bits, bool hardware)
{
    const uint64_t above = bits - LEAST_POWER_Z_BITS;
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
    const DoubleDouble log = precise_logarithm(bits, hardware);
    const double high = y * log.hi;
    const double low = math_fused(y, log.lo, math_fused(y, log.hi, -high, hardware), hardware);
    return exp_of_sum(high, low, negative, hardware);
}

MATH_VARIANTS_2(double, math_pow, power)

/*
 * Powers of binary32 as 2^(y log2 x), in binary64. Some are not the correctly rounded ones. Method
 * and coefficients were published by Arm (Optimized Routines, 2017); which operations are fused is
 * what glibc does.
 */

#define LEAST_Z_BITS_F32 0x3f330000u /* about 0.699 */
#define SIGN_F32         0x80000000u
#define INFINITE         0x7f800000u
#define LEAST_NORMAL     0x00800000u

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
MATH_INLINE double binary_logarithm_f32(uint32_t bits, bool hardware)
{
    const uint32_t above = bits - LEAST_Z_BITS_F32;
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
MATH_INLINE float exponential_f32(double x, bool negative, bool hardware)
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

MATH_INLINE bool is_zero_or_not_finite_f32(uint32_t bits)
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
static float power_of_limits_f32(float x, float y)
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
    return bits_of(x) & SIGN_F32 && is_odd(y) ? -result : result;
}

MATH_INLINE float power_f32(float x, float y, bool hardware)
{
    uint32_t bits = bits_of(x);
    bool negative = false;
    if (__builtin_expect(bits - LEAST_NORMAL >= INFINITE - LEAST_NORMAL ||
                             is_zero_or_not_finite_f32(bits_of(y)),
                         false)) {
        if (is_zero_or_not_finite_f32(bits) || is_zero_or_not_finite_f32(bits_of(y)))
            return power_of_limits_f32(x, y);
        if (bits & SIGN_F32) {
            if (!is_integer(y))
                return NAN;
            negative = is_odd(y);
            bits &= ~SIGN_F32;
        }
        if (bits < LEAST_NORMAL)
            bits = bits_of(from_bits(bits) * 0x1p23F) - (23u << 23);
    }
    const double log = y * binary_logarithm_f32(bits, hardware);
    if (__builtin_expect(fabs(log) >= 126, false)) {
        if (log > 0x1.fffffffd1d571p+6)
            return negative ? -INFINITY : INFINITY;
        if (log <= -150)
            return negative ? -0.0F : 0.0F;
    }
    return exponential_f32(log, negative, hardware);
}

MATH_VARIANTS_2(float, math_powf, power_f32)
