/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_DOUBLE_DOUBLE_H
#define METRICS_COMMON_MATH_DOUBLE_DOUBLE_H

/* Arithmetic with sums of two numbers of binary64, to some 100 bits. */

#include "metrics/common/math/fused.h"
#include "metrics/common/math/math_tables.h"

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
