/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_RECIPROCAL_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_RECIPROCAL_H

/*
 * The reciprocal that the definition of float_adm contains: the estimate that the instruction
 * RCPSS of Intel processors gives, refined by one Newton step. Processors of others have other
 * tables, and so other last digits; here it is computed, and is the same everywhere.
 */

#include <stdint.h>
#include <string.h>

#define FLOAT_ADM_SIGN     0x80000000U
#define FLOAT_ADM_EXPONENT 0x7F800000U

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/*
 * With m the upper 11 bits of the fraction of x, the significand of the estimate is
 * 8192 / (1 + (m + 1/2) / 2048), rounded to the nearest integer n, 4096 <= n < 8192. What it has
 * above 4096 is the integer part of (16775168 - 8191 m) / (4097 + 2 m). Numerator and denominator
 * are exact in binary32, and the quotient is never so close below an integer that rounding would
 * reach it.
 *
 * For normal numbers below 2^126; coefficients of pictures are not larger than 2^14.
 */
static inline float float_adm_reciprocal_estimate(float x)
{
    const uint32_t bits = bits_of_float(x);
    const float m = (float)(int32_t)(bits >> 12 & 2047);
    const int32_t fraction = (int32_t)((16775168.0F - 8191.0F * m) / (4097.0F + 2.0F * m));
    const uint32_t exponent = (253U << 23) - (bits & FLOAT_ADM_EXPONENT);
    return float_of_bits((bits & FLOAT_ADM_SIGN) | (exponent + ((uint32_t)fraction << 11)));
}

static inline float float_adm_reciprocal(float x)
{
    const float y = float_adm_reciprocal_estimate(x);
    return y + y * (1.0F - x * y);
}

#endif
