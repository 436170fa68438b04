/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_EXPONENTIAL_H
#define METRICS_COMMON_MATH_EXPONENTIAL_H

/*
 * e^(x + rest) for exp and pow: 2^(k/128) from a table, times e^r with a polynomial for |r| up to
 * ln(2)/256. Method and coefficients were published by Arm (Optimized Routines, 2018); which
 * operations are fused is what glibc does.
 */

#include <math.h>

#include "metrics/common/math/fused.h"
#include "metrics/common/math/math_tables.h"

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

#endif
