/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_CIEDE_CIEDE_APPROX_H
#define CORE_FEATURE_CIEDE_CIEDE_APPROX_H

/*
 * Elementary functions without branches and tables, for loops that the compiler turns into
 * vectors. They are binomial and Taylor series on reduced arguments, with relative errors below
 * 2^-45. Whatever they give is rounded to binary32, to 24 of its bits; ciede_doubt tells when
 * the result of the C library, which is within 2^-51, might be rounded to another number.
 */

#include <stdint.h>
#include <string.h>

#include "feature/ciede/ciede_constants.h"

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
    bits = (int32_t)(origin - (float)bits * (1 / n));
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
    const float r = ciede_root_guess(x, 1419900544.0f, 3), h = 1 - x * r * (r * r);
    return r + r * h * (1.0f / 3 + h * (2.0f / 9 + h * (14.0f / 81 + h * (35.0f / 243))));
}

static inline float ciede_inverse_fifth_root(float x)
{
    const float r = ciede_root_guess(x, 1277903744.0f, 5), r2 = r * r, h = 1 - x * r * (r2 * r2);
    return r + r * h * (1.0f / 5 + h * (3.0f / 25 + h * (11.0f / 125 + h * (44.0f / 625))));
}

/* x^(1/3) = x r^2 (1 - h)^(-2/3) for x from 2^-30 to 2^30. */
static inline double ciede_cube_root(double x)
{
    const double r = ciede_inverse_cube_root((float)x), root = x * (r * r), h = 1 - root * r;
    return root + root * h * (2.0 / 3 + h * (5.0 / 9));
}

/* x^2.4 = (x r)^3 (1 - h)^(-3/5) for x from 2^-30 to 2^30. */
static inline double ciede_gamma(double x)
{
    const double r = ciede_inverse_fifth_root((float)x), r2 = r * r, q = x * r;
    const double power = q * q * q, h = 1 - q * (r2 * r2);
    return power + power * h * (3.0 / 5 + h * (12.0 / 25));
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
    sum = 1 / 355687428096000.0 - z * sum;
    sum = 1 / 1307674368000.0 - z * sum;
    sum = 1 / 6227020800.0 - z * sum;
    sum = 1 / 39916800.0 - z * sum;
    sum = 1 / 362880.0 - z * sum;
    sum = 1 / 5040.0 - z * sum;
    sum = 1 / 120.0 - z * sum;
    sum = 1 / 6.0 - z * sum;
    return x - x * (z * sum);
}

/* The cosine, to 2^-47 of 1. */
static inline double ciede_cos(double x)
{
    const double z = x * x;
    double sum = 1 / 6402373705728000.0;
    sum = 1 / 20922789888000.0 - z * sum;
    sum = 1 / 87178291200.0 - z * sum;
    sum = 1 / 479001600.0 - z * sum;
    sum = 1 / 3628800.0 - z * sum;
    sum = 1 / 40320.0 - z * sum;
    sum = 1 / 720.0 - z * sum;
    sum = 1 / 24.0 - z * sum;
    sum = 1 / 2.0 - z * sum;
    return 1 - z * sum;
}

/* Adding this rounds numbers below 2^31 to integers, which are then the low bits of the sum. */
#define CIEDE_INTEGER 6755399441055744.0 /* 1.5 * 2^52 */

/* e^-x for x from 0 to 128. */
static inline double ciede_exp_minus(double x)
{
    const double ln2 = 0.693147180559945309, log2_e = 1.442695040888963407;
    const double shifted = CIEDE_INTEGER - x * log2_e;
    const double r = -x - (shifted - CIEDE_INTEGER) * ln2;
    double sum = 1 / 39916800.0;
    sum = 1 / 3628800.0 + r * sum;
    sum = 1 / 362880.0 + r * sum;
    sum = 1 / 40320.0 + r * sum;
    sum = 1 / 5040.0 + r * sum;
    sum = 1 / 720.0 + r * sum;
    sum = 1 / 120.0 + r * sum;
    sum = 1 / 24.0 + r * sum;
    sum = 1 / 6.0 + r * sum;
    sum = 1 / 2.0 + r * sum;
    sum = 1 + r * sum;
    sum = 1 + r * sum;
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
    const double t = (small - tan_from * large) / (large + tan_from * small), z = t * t;
    double sum = 1 / 17.0;
    sum = 1 / 15.0 - z * sum;
    sum = 1 / 13.0 - z * sum;
    sum = 1 / 11.0 - z * sum;
    sum = 1 / 9.0 - z * sum;
    sum = 1 / 7.0 - z * sum;
    sum = 1 / 5.0 - z * sum;
    sum = 1 / 3.0 - z * sum;
    const double octant = from + (t - t * (z * sum));
    const double quadrant = ay > ax ? CIEDE_PI / 2 - octant : octant;
    const double half = x < 0 ? CIEDE_PI - quadrant : quadrant;
    return y < 0 ? -half : half;
}

#endif
