/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Sine and cosine, correctly rounded but for one argument in 2^25: the angle is k pi/64 + r, and
 * the formulas for sums are applied to a table and to series of r, |r| up to pi/128, in twice the
 * precision.
 */

#include <math.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_internal.h"

#define GREATEST_ANGLE 0x1p15
/* pi/64 in three parts whose products with k, of 20 bits, are exact, and a rest. */
#define STEP_1 0x1.921fb544p-5
#define STEP_2 0x1.0b4611a6p-39
#define STEP_3 0x1.3198a2e0p-74
#define STEP_4 0x1.b839a252049c1p-109

/* x = k pi/64 + r */
MATH_INLINE DoubleDouble reduced(double x, int *k)
{
    const double integer = 0x1.8p52; /* adding it rounds to an integer */
    const double shifted = x * (SINE_STEPS / M_PI_2) + integer, steps = shifted - integer;
    double lost_1, lost_2;
    *k = (int)steps;
    double r = math_two_sum(x - steps * STEP_1, -steps * STEP_2, &lost_1);
    r = math_two_sum(r, -steps * STEP_3, &lost_2);
    return dd_of(r, lost_1 + lost_2 - steps * STEP_4);
}

/* The sine of k pi/64. */
MATH_INLINE DoubleDouble sine_of_step(int k)
{
    const int in_half = k & (2 * SINE_STEPS - 1);
    const DoubleDouble sine =
        math_sines[in_half <= SINE_STEPS ? in_half : 2 * SINE_STEPS - in_half];
    return k & 2 * SINE_STEPS ? dd_negative(sine) : sine;
}

/* sin(x + quarters pi/2) */
MATH_INLINE double sine_of_sum(double x, int quarters, bool hardware)
{
    int k;
    const DoubleDouble r = reduced(x, &k), square = dd_multiply(r, r, hardware);
    const double z = square.hi;
    const double of_sine = 1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 - z / 39916800));
    const double of_cosine = 1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 - z / 3628800));

    static const DoubleDouble sixth = {0x1.5555555555555p-3, 0x1.5555555555555p-57};
    DoubleDouble sine = dd_negative(dd_multiply(square, sixth, hardware));
    sine = dd_add(sine, (DoubleDouble){z * z * of_sine, 0});
    sine = dd_add(r, dd_multiply(r, sine, hardware));
    /* less 1 */
    const DoubleDouble cosine =
        dd_add((DoubleDouble){-0.5 * z, -0.5 * square.lo}, (DoubleDouble){z * z * of_cosine, 0});

    k += quarters * SINE_STEPS;
    const DoubleDouble sine_k = sine_of_step(k), cosine_k = sine_of_step(k + SINE_STEPS);
    const DoubleDouble rest =
        dd_add(dd_multiply(cosine_k, sine, hardware), dd_multiply(sine_k, cosine, hardware));
    return dd_add(sine_k, rest).hi;
}

MATH_INLINE double sine(double x, bool hardware)
{
    if (!(fabs(x) <= GREATEST_ANGLE))
        return NAN;
    return fabs(x) < 0x1p-27 ? x : sine_of_sum(x, 0, hardware);
}

MATH_INLINE double cosine(double x, bool hardware)
{
    if (!(fabs(x) <= GREATEST_ANGLE))
        return NAN;
    return fabs(x) < 0x1p-27 ? 1 : sine_of_sum(x, 1, hardware);
}

MATH_VARIANTS_1(double, math_sin, sine)
MATH_VARIANTS_1(double, math_cos, cosine)

/*
 * The angle of a point, correctly rounded but for one argument in 2^25: the arc tangent of a slope
 * up to 1 is that of the nearest c = j/64, from a table, and the series of (slope - c) / (1 + c
 * slope), in twice the precision.
 */

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
