/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_MATH_INTERNAL_H
#define METRICS_COMMON_MATH_MATH_INTERNAL_H

/*
 * Multiplication and addition with one rounding, in two variants with the same results:
 * instructions of the processor, and plain C for those that lack them. Everything below is inlined
 * into the functions that MATH_VARIANTS_1 and MATH_VARIANTS_2 define, because a function that is
 * not compiled for FMA would call the C library's fma() instead.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MATH_INLINE static inline __attribute__((always_inline))

#if defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MATH_FMA        1
#define MATH_HAS_FMA    1
#define MATH_FMA_TARGET /* every function is compiled for it */
#elif defined(__x86_64__)
extern bool math_fma_found; /* by the processor; set when the program starts */
#define MATH_FMA 1
#define MATH_FMA_FOUND
#define MATH_HAS_FMA    math_fma_found
#define MATH_FMA_TARGET __attribute__((target("fma")))
#else
#define MATH_FMA     0
#define MATH_HAS_FMA 0
#define MATH_FMA_TARGET
#endif

/* Defines a function of one or two arguments of a type, <name>, and its variants <name>_hardware
 * (where there is no such instruction, another one of the other kind) and <name>_software, of a
 * body that is told with a last argument which of them it is. */
#define MATH_VARIANTS_1(type, name, body)                                                          \
    MATH_FMA_TARGET type name##_hardware(type x)                                                   \
    {                                                                                              \
        return body(x, MATH_FMA);                                                                  \
    }                                                                                              \
    type name##_software(type x)                                                                   \
    {                                                                                              \
        return body(x, false);                                                                     \
    }                                                                                              \
    type name(type x)                                                                              \
    {                                                                                              \
        return MATH_HAS_FMA ? name##_hardware(x) : name##_software(x);                             \
    }
#define MATH_VARIANTS_2(type, name, body)                                                          \
    MATH_FMA_TARGET type name##_hardware(type x, type y)                                           \
    {                                                                                              \
        return body(x, y, MATH_FMA);                                                               \
    }                                                                                              \
    type name##_software(type x, type y)                                                           \
    {                                                                                              \
        return body(x, y, false);                                                                  \
    }                                                                                              \
    type name(type x, type y)                                                                      \
    {                                                                                              \
        return MATH_HAS_FMA ? name##_hardware(x, y) : name##_software(x, y);                       \
    }

MATH_INLINE uint64_t math_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

MATH_INLINE double math_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* A sum and what its rounding lost: their exact sum is that of the arguments (Knuth). */
MATH_INLINE double math_two_sum(double a, double b, double *lost)
{
    const double sum = a + b, of_b = sum - a;
    *lost = (a - (sum - of_b)) + (b - of_b);
    return sum;
}

/* What the rounding of a product lost (Dekker, with Veltkamp's halves). Exact if nothing under- or
 * overflows: if factors are below 2^970, and the product is 0 or at least 2^-960. */
MATH_INLINE double math_lost_of_product(double a, double b, double product)
{
    const double scaled_a = a * 0x1.0000002p27, scaled_b = b * 0x1.0000002p27;
    const double high_a = scaled_a - (scaled_a - a), low_a = a - high_a;
    const double high_b = scaled_b - (scaled_b - b), low_b = b - high_b;
    return ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b;
}

/* a + b, rounded to odd: if it is not exact, to that neighbour whose last bit is set. */
MATH_INLINE double math_sum_to_odd(double a, double b)
{
    double lost;
    const double sum = math_two_sum(a, b, &lost);
    uint64_t bits = math_bits(sum);
    if (lost != 0 && bits % 2 == 0)
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    return math_from_bits(bits);
}

/*
 * a b + c, rounded once; in software for arguments like those of math_lost_of_product. That is the
 * algorithm of S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums: proved
 * algorithms using rounding to odd, IEEE Transactions on Computers 57 (4), 2008.
 */
MATH_INLINE double math_fused(double a, double b, double c, bool hardware)
{
    if (hardware)
        return __builtin_fma(a, b, c);
    const double product = a * b, lost_product = math_lost_of_product(a, b, product);
    double low, lost;
    const double high = math_two_sum(c, lost_product, &low);
    const double sum = math_two_sum(product, high, &lost);
    return sum + math_sum_to_odd(low, lost);
}

/* Tables of the functions of math_functions.h. tools/math-tables computes them. */

enum {
    EXP_STEPS = 128,
    EXP_F32_STEPS = 32,
    LOG_STEPS = 128,
    LOG2_STEPS = 64,
    LOG2_F32_STEPS = 16,
    POW_LOG_STEPS = 128,
    SINE_STEPS = 32,        /* of a quarter of a turn */
    ARC_TANGENT_STEPS = 64, /* of the slopes up to 1 */
};

/* A number that is not rounded to binary64: the sum of both. */
typedef struct DoubleDouble {
    double hi, lo;
} DoubleDouble;

/* 2^(i/128) = (the number with the bits `bits` + i 2^45) (1 + rest) */
typedef struct ExpRow {
    double rest;
    uint64_t bits;
} ExpRow;

/* c, near the middle of a step, by its inverse, and its logarithm */
typedef struct LogRow {
    double inverse, log;
} LogRow;

typedef struct PowLogRow {
    double inverse, log, rest;
} PowLogRow;

extern const ExpRow math_exp_rows[EXP_STEPS];
extern const uint64_t math_exp_f32_bits[EXP_F32_STEPS]; /* of 2^(i/32), less i 2^47 */
extern const LogRow math_log_rows[LOG_STEPS];
extern const LogRow math_log2_rows[LOG2_STEPS];
extern const LogRow math_log2_f32_rows[LOG2_F32_STEPS];
extern const PowLogRow math_pow_log_rows[POW_LOG_STEPS];
extern const DoubleDouble math_sines[SINE_STEPS + 1];               /* of i pi/64 */
extern const DoubleDouble math_arc_tangents[ARC_TANGENT_STEPS + 1]; /* of i/64 */

/*
 * e^(x + rest) for exp and pow: 2^(k/128) from a table, times e^r with a polynomial for |r| up to
 * ln(2)/256. Method and coefficients were published by Arm (Optimized Routines, 2018); which
 * operations are fused is what glibc does.
 */

#define EXP_STEPS_PER_UNIT (0x1.71547652b82fep0 * EXP_STEPS)
#define EXP_STEP_HI        0x1.62e42fefa0000p-8 /* ln(2)/128; its product with k is exact */
#define EXP_STEP_LO        0x1.cf79abc9e3b3ap-47
#define EXP_INTEGER        0x1.8p52 /* adding it rounds to an integer, in the last bits of the sum */

/* The exponent of a sum, and the arguments beyond which it has to be looked at. */
enum { EXPONENT_OF_TINY = 0x3c9, EXPONENT_OF_LARGE = 0x408, EXPONENT_OF_HUGE = 0x409 };

/* scale (1 + fraction), where the exponent of scale would not fit; k tells in which direction. */
MATH_INLINE double exp_scaled(double fraction, uint64_t scale_bits, uint64_t k, bool hardware)
{
    if (!(k & UINT64_C(0x80000000))) {
        const double scale = math_from_bits(scale_bits - (UINT64_C(1009) << 52));
        return 0x1p1009 * math_fused(scale, fraction, scale, hardware);
    }
    scale_bits += UINT64_C(1022) << 52;
    const double scale = math_from_bits(scale_bits), part = scale * fraction;
    double y = scale + part;
    if (fabs(y) < 1.0) {
        /* Rounds to the bits that a subnormal number has, so that it is not rounded twice. */
        const double one = y < 0.0 ? -1.0 : 1.0;
        const double lost = scale - y + part, sum = one + y;
        y = (sum + (one - sum + y + lost)) - one;
        if (y == 0.0)
            y = math_from_bits(scale_bits & UINT64_C(1) << 63);
    }
    return 0x1p-1022 * y;
}

/* e^(x + rest), or the negative of it. `rest` is 0, or between 2^-200 and 2^-15 and less than x. */
MATH_INLINE double exp_of_sum(double x, double rest, bool negative, bool hardware)
{
    const unsigned exponent = (unsigned)(math_bits(x) >> 52) & 0x7ff;
    const bool special = exponent - EXPONENT_OF_TINY >= EXPONENT_OF_LARGE - EXPONENT_OF_TINY;
    if (__builtin_expect(special, false)) {
        if (exponent < EXPONENT_OF_TINY)
            return negative ? -(1.0 + x) : 1.0 + x;
        if (exponent >= EXPONENT_OF_HUGE) {
            if (exponent == 0x7ff)
                return x == -INFINITY ? 0.0 : 1.0 + x;
            const double limit = x < 0 ? 0.0 : INFINITY;
            return negative ? -limit : limit;
        }
    }
    const double shifted = math_fused(EXP_STEPS_PER_UNIT, x, EXP_INTEGER, hardware);
    const uint64_t k = math_bits(shifted);
    const double steps = shifted - EXP_INTEGER;
    double r = math_fused(steps, -EXP_STEP_HI, x, hardware);
    r = math_fused(steps, -EXP_STEP_LO, r, hardware);
    r += rest;

    const ExpRow *row = &math_exp_rows[k % EXP_STEPS];
    const uint64_t scale_bits = row->bits + (k << 45) + ((uint64_t)negative << 63);
    const double r2 = r * r;
    const double low = math_fused(r, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2, hardware);
    const double high = math_fused(r, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5, hardware);
    double fraction = math_fused(r2, low, row->rest + r, hardware);
    fraction = math_fused(r2 * r2, high, fraction, hardware);
    if (__builtin_expect(special, false))
        return exp_scaled(fraction, scale_bits, k, hardware);
    const double scale = math_from_bits(scale_bits);
    return math_fused(scale, fraction, scale, hardware);
}

/* Arithmetic with sums of two numbers of binary64, to some 100 bits. */

/* b is less than a in magnitude, or a is 0. */
MATH_INLINE DoubleDouble dd_of(double a, double b)
{
    const double hi = a + b;
    return (DoubleDouble){hi, b - (hi - a)};
}

MATH_INLINE DoubleDouble dd_add(DoubleDouble a, DoubleDouble b)
{
    double lost;
    const double sum = math_two_sum(a.hi, b.hi, &lost);
    return dd_of(sum, lost + (a.lo + b.lo));
}

MATH_INLINE DoubleDouble dd_negative(DoubleDouble a)
{
    return (DoubleDouble){-a.hi, -a.lo};
}

/* Exact. */
MATH_INLINE DoubleDouble dd_product(double a, double b, bool hardware)
{
    const double product = a * b;
    const double lost =
        hardware ? __builtin_fma(a, b, -product) : math_lost_of_product(a, b, product);
    return (DoubleDouble){product, lost};
}

MATH_INLINE DoubleDouble dd_multiply(DoubleDouble a, DoubleDouble b, bool hardware)
{
    const DoubleDouble product = dd_product(a.hi, b.hi, hardware);
    return dd_of(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

MATH_INLINE DoubleDouble dd_divide(DoubleDouble a, DoubleDouble b, bool hardware)
{
    const double quotient = a.hi / b.hi;
    const DoubleDouble product = dd_product(quotient, b.hi, hardware);
    const double rest = ((a.hi - product.hi) - product.lo) + (a.lo - quotient * b.lo);
    return dd_of(quotient, rest / b.hi);
}

#endif
