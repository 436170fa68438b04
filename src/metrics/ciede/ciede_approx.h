/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_APPROX_H
#define METRICS_CIEDE_CIEDE_APPROX_H

/*
 * Elementary functions without branches and tables, for loops that the compiler turns into
 * vectors. They are binomial and Taylor series on reduced arguments, with relative errors below
 * 2^-45. They may be fused and estimated as each processor likes best. Whatever they give is
 * rounded to binary32, to 24 of its bits; ciede_doubt tells when the function of the definition,
 * which is within 2^-51, might be rounded to another number.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "metrics/ciede/ciede_internal.h"

static inline uint64_t ciede_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double ciede_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* a b + c, with or without rounding of the product: whichever is fast. */
static inline double ciede_fma(double a, double b, double c)
{
#if defined(__FMA__) || defined(__AVX512F__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline float ciede_fma_float(float a, float b, float c)
{
#if defined(__FMA__) || defined(__AVX512F__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

static inline double ciede_round(double x)
{
    return (float)x;
}

/*
 * A word whose highest bit is set if x is so close to the middle of two binary32 numbers that an
 * error of 2^-bits, relative to x, can change which of them it is rounded to.
 */
static inline uint64_t ciede_doubt(double x, int bits)
{
    const uint64_t lost = (UINT64_C(1) << 29) - 1, middle = UINT64_C(1) << 28;
    const uint64_t tolerance = UINT64_C(1) << (53 - bits); /* units of the last of 53 bits */
    return ((ciede_bits(x) + middle + tolerance) & lost) - 2 * tolerance;
}

/*
 * Approximation of x^(-1/n) from the bits of a binary32 number, which are, roughly, its logarithm.
 * `origin` is the number that makes the worst relative error least.
 */
static inline float ciede_root_guess(float x, float origin, float n)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = (int32_t)ciede_fma_float((float)bits, -1 / n, origin);
    float guess;
    memcpy(&guess, &bits, sizeof(guess));
    return guess;
}

/*
 * With h = 1 - x r^n, x^(-1/n) = r (1 - h)^(-1/n), of which the binomial series is summed to h^4 in
 * binary32, from a guess that makes |h| less than 0.11 for n = 3 and 0.16 for n = 5. Then powers of
 * it are powers of (1 - h), to h^2 in binary64, times what the new r gives.
 */
static inline float ciede_inverse_cube_root(float x)
{
    const float r = ciede_root_guess(x, 1419900544.0f, 3);
    const float h = ciede_fma_float(-x * r, r * r, 1);
    float sum = ciede_fma_float(h, 35.0f / 243, 14.0f / 81);
    sum = ciede_fma_float(h, sum, 2.0f / 9);
    sum = ciede_fma_float(h, sum, 1.0f / 3);
    return ciede_fma_float(r * h, sum, r);
}

static inline float ciede_inverse_fifth_root(float x)
{
    const float r = ciede_root_guess(x, 1277903744.0f, 5), r2 = r * r;
    const float h = ciede_fma_float(-x * r, r2 * r2, 1);
    float sum = ciede_fma_float(h, 44.0f / 625, 11.0f / 125);
    sum = ciede_fma_float(h, sum, 3.0f / 25);
    sum = ciede_fma_float(h, sum, 1.0f / 5);
    return ciede_fma_float(r * h, sum, r);
}

/* x^(1/3) = x r^2 (1 - h)^(-2/3) for x from 2^-30 to 2^30. */
static inline double ciede_cube_root(double x)
{
    const double r = ciede_inverse_cube_root((float)x), root = x * (r * r);
    const double h = ciede_fma(-root, r, 1);
    return ciede_fma(root * h, ciede_fma(h, 5.0 / 9, 2.0 / 3), root);
}

/* x^2.4 = (x r)^3 (1 - h)^(-3/5) for x from 2^-30 to 2^30. */
static inline double ciede_gamma(double x)
{
    const double r = ciede_inverse_fifth_root((float)x), r2 = r * r, q = x * r;
    const double power = q * q * q, h = ciede_fma(-q, r2 * r2, 1);
    return ciede_fma(power * h, ciede_fma(h, 12.0 / 25, 3.0 / 5), power);
}

static inline double ciede_to_7(double x)
{
    const double x2 = x * x;
    return x2 * x2 * (x2 * x);
}

/* The sine of x from -pi/2 to pi/2. */
static inline double ciede_sin(double x)
{
    const double z = x * x;
    double sum = 1 / 121645100408832000.0;
    sum = ciede_fma(-z, sum, 1 / 355687428096000.0);
    sum = ciede_fma(-z, sum, 1 / 1307674368000.0);
    sum = ciede_fma(-z, sum, 1 / 6227020800.0);
    sum = ciede_fma(-z, sum, 1 / 39916800.0);
    sum = ciede_fma(-z, sum, 1 / 362880.0);
    sum = ciede_fma(-z, sum, 1 / 5040.0);
    sum = ciede_fma(-z, sum, 1 / 120.0);
    sum = ciede_fma(-z, sum, 1 / 6.0);
    return ciede_fma(-x, z * sum, x);
}

/* The cosine, to 2^-47 of 1. */
static inline double ciede_cos(double x)
{
    const double z = x * x;
    double sum = 1 / 6402373705728000.0;
    sum = ciede_fma(-z, sum, 1 / 20922789888000.0);
    sum = ciede_fma(-z, sum, 1 / 87178291200.0);
    sum = ciede_fma(-z, sum, 1 / 479001600.0);
    sum = ciede_fma(-z, sum, 1 / 3628800.0);
    sum = ciede_fma(-z, sum, 1 / 40320.0);
    sum = ciede_fma(-z, sum, 1 / 720.0);
    sum = ciede_fma(-z, sum, 1 / 24.0);
    sum = ciede_fma(-z, sum, 1 / 2.0);
    return ciede_fma(-z, sum, 1);
}

/* Adding this rounds numbers below 2^31 to integers, which are then the low bits of the sum. */
#define CIEDE_INTEGER 6755399441055744.0 /* 1.5 * 2^52 */

/* e^-x for x from 0 to 128. */
static inline double ciede_exp_minus(double x)
{
    const double ln2 = 0.693147180559945309, log2_e = 1.442695040888963407;
    const double shifted = ciede_fma(-x, log2_e, CIEDE_INTEGER);
    const double r = ciede_fma(CIEDE_INTEGER - shifted, ln2, -x);
    double sum = 1 / 39916800.0;
    sum = ciede_fma(r, sum, 1 / 3628800.0);
    sum = ciede_fma(r, sum, 1 / 362880.0);
    sum = ciede_fma(r, sum, 1 / 40320.0);
    sum = ciede_fma(r, sum, 1 / 5040.0);
    sum = ciede_fma(r, sum, 1 / 720.0);
    sum = ciede_fma(r, sum, 1 / 120.0);
    sum = ciede_fma(r, sum, 1 / 24.0);
    sum = ciede_fma(r, sum, 1 / 6.0);
    sum = ciede_fma(r, sum, 1 / 2.0);
    sum = ciede_fma(r, sum, 1);
    sum = ciede_fma(r, sum, 1);
    return ciede_from_bits(ciede_bits(sum) + (ciede_bits(shifted) << 52));
}

/* The angle of (x, y), from -pi to pi. Not a number for x = y = 0. */
static inline double ciede_atan2(double y, double x)
{
    const double tan_1 = 0.198912367379658007; /* pi/16 */
    const double tan_2 = 0.414213562373095049; /* pi/8 */
    const double tan_3 = 0.668178637919298920; /* 3 pi/16 */
    const double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
    const double large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    /* The nearest of 0, pi/8 and pi/4, and the angle from there: at most pi/16. */
    const double from = small > tan_3 * large   ? CIEDE_PI / 4
                        : small > tan_1 * large ? CIEDE_PI / 8
                                                : 0;
    const double tan_from = small > tan_3 * large ? 1 : small > tan_1 * large ? tan_2 : 0;
    const double t = ciede_fma(-tan_from, large, small) / ciede_fma(tan_from, small, large);
    const double z = t * t;
    double sum = 1 / 17.0;
    sum = ciede_fma(-z, sum, 1 / 15.0);
    sum = ciede_fma(-z, sum, 1 / 13.0);
    sum = ciede_fma(-z, sum, 1 / 11.0);
    sum = ciede_fma(-z, sum, 1 / 9.0);
    sum = ciede_fma(-z, sum, 1 / 7.0);
    sum = ciede_fma(-z, sum, 1 / 5.0);
    sum = ciede_fma(-z, sum, 1 / 3.0);
    const double octant = from + ciede_fma(-t, z * sum, t);
    const double quadrant = ay > ax ? CIEDE_PI / 2 - octant : octant;
    const double half = x < 0 ? CIEDE_PI - quadrant : quadrant;
    return y < 0 ? -half : half;
}

/*
 * Square roots, and their inverses, of n numbers, in place; n is a multiple of 8. Good to 2^-50 for
 * 0 and numbers from 2^-120 to 2^120. Roots of lesser ones are positive and less than
 * CIEDE_LEAST_ROOT, inverses of them and of 0 are any positive numbers up to 2^62. With an estimate
 * r and h = 1 - x r^2, x^(-1/2) = r (1 - h)^(-1/2).
 *
 * All lengths of a colour are in that range: components are 0 or at least 2^-50, since lightness
 * is made of the difference of numbers next to 16.
 */
#define CIEDE_LEAST_SQUARE 0x1p-120
#define CIEDE_LEAST_ROOT   0x1p-58

#if defined(__AVX512F__)
static inline void ciede_refine_roots(double *values, int n, int is_inverse)
{
    for (int i = 0; i < n; i += 8) {
        const __m512d x = _mm512_loadu_pd(values + i);
        const __m512d r = _mm512_rsqrt14_pd(_mm512_max_pd(x, _mm512_set1_pd(CIEDE_LEAST_SQUARE)));
        const __m512d root = _mm512_mul_pd(x, r);
        const __m512d h = _mm512_fnmadd_pd(root, r, _mm512_set1_pd(1));
        __m512d sum = _mm512_fmadd_pd(h, _mm512_set1_pd(5.0 / 16), _mm512_set1_pd(3.0 / 8));
        sum = _mm512_mul_pd(h, _mm512_fmadd_pd(h, sum, _mm512_set1_pd(1.0 / 2)));
        const __m512d estimate = is_inverse ? r : root;
        _mm512_storeu_pd(values + i, _mm512_fmadd_pd(estimate, sum, estimate));
    }
}
#elif defined(__AVX2__) && defined(__FMA__)
/* From an estimate that is good to 2^-21. */
static inline __m256d ciede_refine_root(__m256d x, __m256d r, int is_inverse)
{
    const __m256d root = _mm256_mul_pd(x, r), estimate = is_inverse ? r : root;
    const __m256d h = _mm256_fnmadd_pd(root, r, _mm256_set1_pd(1));
    const __m256d sum = _mm256_fmadd_pd(h, _mm256_set1_pd(3.0 / 8), _mm256_set1_pd(1.0 / 2));
    return _mm256_fmadd_pd(estimate, _mm256_mul_pd(h, sum), estimate);
}

static inline void ciede_refine_roots(double *values, int n, int is_inverse)
{
    const __m256d least = _mm256_set1_pd(CIEDE_LEAST_SQUARE);
    for (int i = 0; i < n; i += 8) {
        const __m256d x0 = _mm256_loadu_pd(values + i), x1 = _mm256_loadu_pd(values + i + 4);
        const __m256 x = _mm256_set_m128(_mm256_cvtpd_ps(_mm256_max_pd(x1, least)),
                                         _mm256_cvtpd_ps(_mm256_max_pd(x0, least)));
        const __m256 r = _mm256_rsqrt_ps(x);
        const __m256 half_x = _mm256_mul_ps(x, _mm256_set1_ps(0.5f));
        const __m256 half_h = _mm256_fnmadd_ps(half_x, _mm256_mul_ps(r, r), _mm256_set1_ps(0.5f));
        const __m256 r_and_more = _mm256_fmadd_ps(r, half_h, r);
        const __m256d r0 = _mm256_cvtps_pd(_mm256_castps256_ps128(r_and_more));
        const __m256d r1 = _mm256_cvtps_pd(_mm256_extractf128_ps(r_and_more, 1));
        _mm256_storeu_pd(values + i, ciede_refine_root(x0, r0, is_inverse));
        _mm256_storeu_pd(values + i + 4, ciede_refine_root(x1, r1, is_inverse));
    }
}
#else
static inline void ciede_refine_roots(double *values, int n, int is_inverse)
{
    for (int i = 0; i < n; i++) {
        const double root = sqrt(values[i]), least = CIEDE_LEAST_ROOT / 4;
        values[i] = is_inverse ? 1 / (root > least ? root : least) : root;
    }
}
#endif

static inline void ciede_roots(double *values, int n)
{
    ciede_refine_roots(values, n, 0);
}

static inline void ciede_inverse_roots(double *values, int n)
{
    ciede_refine_roots(values, n, 1);
}

#endif
