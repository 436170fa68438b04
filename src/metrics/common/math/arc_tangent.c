/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The angle of a point, correctly rounded but for one argument in 2^25: the arc tangent of a slope
 * up to 1 is that of the nearest c = j/64, from a table, and the series of (slope - c) / (1 + c
 * slope), in twice the precision.
 */

#include <math.h>

#include "metrics/common/math/double_double.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_variants.h"

static const DoubleDouble pi = {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
static const DoubleDouble half_pi = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};

enum { EXPONENTS = 60 }; /* slopes of less than 2^-60 are their own arc tangents */

/* The arc tangent of n/d for 0 < n <= d < 2. */
MATH_INLINE DoubleDouble arc_tangent(double n, double d, bool hardware)
{
    const int j = (int)(n / d * ARC_TANGENT_STEPS + 0.5);
    const double c = (double)j / ARC_TANGENT_STEPS;
    const DoubleDouble one_side = dd_product(c, d, hardware), other = dd_product(c, n, hardware);
    const DoubleDouble above = dd_add((DoubleDouble){n, 0}, dd_negative(one_side));
    const DoubleDouble below = dd_add((DoubleDouble){d, 0}, other);
    const DoubleDouble t = dd_divide(above, below, hardware);

    const DoubleDouble square = dd_multiply(t, t, hardware);
    const double z = square.hi;
    const double series = 1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z / 13)));
    static const DoubleDouble third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    const DoubleDouble rest = dd_add(dd_negative(dd_multiply(square, third, hardware)),
                                     (DoubleDouble){z * z * series, 0});
    return dd_add(math_arc_tangents[j], dd_add(t, dd_multiply(t, rest, hardware)));
}

MATH_INLINE int exponent_of(double x)
{
    return (int)(math_bits(x) >> 52 & 0x7ff);
}

/* The angle for y and x that are not negative, of which one is neither 0 nor infinite. */
MATH_INLINE double angle(double y, double x, bool is_left, bool hardware)
{
    const bool is_steep = y > x;
    double n = is_steep ? x : y, d = is_steep ? y : x;
    DoubleDouble result;
    if (exponent_of(d) - exponent_of(n) > EXPONENTS) {
        if (!is_steep && !is_left)
            return n / d;
        result = (DoubleDouble){n / d, 0};
    } else {
        /* Nothing of what follows under- or overflows. */
        int exponent;
        frexp(d, &exponent);
        result = arc_tangent(ldexp(n, -exponent), ldexp(d, -exponent), hardware);
    }
    if (is_steep)
        result = dd_add(half_pi, is_left ? result : dd_negative(result));
    else if (is_left)
        result = dd_add(pi, dd_negative(result));
    return result.hi;
}

MATH_INLINE double angle_of_point(double y, double x, bool hardware)
{
    if (isnan(x) || isnan(y))
        return x + y;
    const bool is_left = math_bits(x) >> 63;
    double result;
    if (y == 0 || (isinf(x) && !isinf(y)))
        result = is_left ? pi.hi : 0;
    else if (x == 0 || (isinf(y) && !isinf(x)))
        result = half_pi.hi;
    else if (isinf(x))
        result = is_left ? 3 * M_PI_4 : M_PI_4;
    else
        result = angle(fabs(y), fabs(x), is_left, hardware);
    return copysign(result, y);
}

MATH_VARIANTS_2(double, math_atan2, angle_of_point)
