/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_FUSED_H
#define METRICS_COMMON_MATH_FUSED_H

/*
 * Multiplication and addition with one rounding, in two variants with the same results:
 * instructions of the processor, and plain C for those that lack them. Everything below is inlined
 * into the functions that MATH_VARIANTS_1 and MATH_VARIANTS_2 define, because a function that is
 * not compiled for FMA would call the C library's fma() instead.
 */

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

#endif
