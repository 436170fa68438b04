/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The arithmetic of float_adm in kernels against the definition in floating point, near decisions
 * that pictures seldom reach.
 */
#include <math.h>
#include <string.h>

#include "random_numbers.h"
#include "support/cases.h"

#define KERNEL_NAME float_adm_arithmetic
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "dialect/binary32.h"

#include "metrics/adm/adm_kernel.h"
#include "metrics/float_adm/decouple.kernel.h"
#include "metrics/float_adm/float_adm_internal.h"

static float number_of(uint32_t exponent, uint32_t fraction)
{
    return float_of_bits(exponent << 23 | (fraction & 0x7FFFFF));
}

/* Most fractions are random, some have few bits. */
static uint32_t any_fraction(void)
{
    const uint32_t fraction = (uint32_t)random_bits() & 0x7FFFFF;
    return random_bits() % 4 ? fraction : fraction & (uint32_t)(0x7FFFFFull << random_bits() % 24);
}

CASE(given_bits_of_constants_they_are_those_of_the_values)
{
    const struct {
        float value;
        uint32_t bits;
    } constants[] = {
        {FLOAT_ADM_LOW0, FLOAT_ADM_LOW0_BITS},
        {FLOAT_ADM_LOW1, FLOAT_ADM_LOW1_BITS},
        {FLOAT_ADM_LOW2, FLOAT_ADM_LOW2_BITS},
        {FLOAT_ADM_LOW3, FLOAT_ADM_LOW3_BITS},
        {FLOAT_ADM_SAME_DIRECTION, FLOAT_ADM_SAME_DIRECTION_BITS},
        {FLOAT_ADM_TINY, FLOAT_ADM_TINY_BITS},
    };
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
        assert_int_equal(bits_of_float(constants[i].value), constants[i].bits);
    const double neighbour = ldexp((double)((uint64_t)FLOAT_ADM_NEIGHBOUR_MASKING_UPPER << 32 |
                                            FLOAT_ADM_NEIGHBOUR_MASKING_LOWER),
                                   FLOAT_ADM_NEIGHBOUR_MASKING_UNIT);
    const double own =
        ldexp((double)((uint64_t)FLOAT_ADM_OWN_MASKING_UPPER << 32 | FLOAT_ADM_OWN_MASKING_LOWER),
              FLOAT_ADM_OWN_MASKING_UNIT);
    assert_true(neighbour == FLOAT_ADM_NEIGHBOUR_MASKING);
    assert_true(own == FLOAT_ADM_OWN_MASKING);
}

static void check_neighbour(float magnitude)
{
    const float expected = (float)(FLOAT_ADM_NEIGHBOUR_MASKING * (double)magnitude);
    const f32 actual = neighbour_masking(f32_of_bits(bits_of_float(magnitude)));
    if (bits_of_f32(actual) != bits_of_float(expected))
        fail_msg("neighbours of %a: %08x, not %a", (double)magnitude, bits_of_f32(actual),
                 (double)expected);
}

CASE(given_any_mantissa_neighbours_are_masked_as_defined)
{
    for (uint32_t fraction = 0; fraction < 1u << 23; fraction++)
        check_neighbour(number_of(127, fraction));
    for (uint32_t exponent = 0; exponent < 200; exponent++)
        for (int i = 0; i < (exponent < 8 ? 1 << 17 : 1 << 12); i++)
            check_neighbour(number_of(exponent, any_fraction()));
}

static void check_own(float sum, float magnitude)
{
    const float expected = (float)(sum + FLOAT_ADM_OWN_MASKING * (double)magnitude);
    const f32 actual =
        add_own_masking(f32_of_bits(bits_of_float(sum)), f32_of_bits(bits_of_float(magnitude)));
    if (bits_of_f32(actual) != bits_of_float(expected))
        fail_msg("%a and own part of %a: %08x, not %a", (double)sum, (double)magnitude,
                 bits_of_f32(actual), (double)expected);
}

CASE(given_any_magnitudes_the_own_part_is_added_as_defined)
{
    for (int i = 0; i < 8000000; i++) {
        const uint32_t exponent = 100 + (uint32_t)(random_bits() % 60);
        const uint32_t other = exponent + (uint32_t)(random_bits() % 64) - 32;
        check_own(number_of(exponent, any_fraction()), number_of(other, any_fraction()));
    }
    for (int i = 0; i < 2000000; i++)
        check_own(number_of((uint32_t)(random_bits() % 40), any_fraction()),
                  number_of((uint32_t)(random_bits() % 40), any_fraction()));
    check_own(0.0F, 0.0F);
    check_own(1.0F, 0.0F);
}

/* Sums that the own part brings next to the middle between two numbers, where the product's lower
 * bits and the roundings to binary64 decide. */
CASE(given_sums_near_a_tie_the_own_part_is_added_as_defined)
{
    for (int i = 0; i < 2000000; i++) {
        const float magnitude = number_of(127, any_fraction());
        const double part = FLOAT_ADM_OWN_MASKING * (double)magnitude;
        const float above = nextafterf((float)part, 1.0F);
        const double middle = 0.5 * ((double)above + (double)nextafterf(above, 1.0F));
        const float sum = (float)(middle - part);
        check_own(sum * (1.0F + (float)((int)(random_bits() % 8192) - 4096) * 0x1p-24F), magnitude);
        check_own(sum, magnitude);
    }
    unsigned n_decided = 0;
    for (uint32_t fraction = 0; fraction < 1u << 23; fraction++) {
        const float magnitude = number_of(127, fraction);
        const double part = FLOAT_ADM_OWN_MASKING * (double)magnitude;
        /* The sum has 24 bits of units of 2^-24 * 2^k; is the part near half of one? */
        for (int k = 4; k <= 20; k++) {
            const double units = ldexp(part, 24 - k);
            if (fabs(units - floor(units) - 0.5) > 0x1p-18)
                continue;
            for (int j = 0; j < 2; j++)
                check_own(ldexpf((float)(1 << 23 | (random_bits() & 0x7FFFFF)), k - 24), magnitude);
            n_decided++;
        }
    }
    assert_in_range(n_decided, 100, 1u << 23);
}

CASE(given_any_gain_limit_products_are_rounded_as_defined)
{
    for (int i = 0; i < 4000000; i++) {
        /* Some with few bits, which make ties. */
        const double limit = i % 7
                                 ? 1.0 + (double)(random_bits() >> 11) * 0x1p-53 * (i % 2 ? 1 : 99)
                                 : 1.0 + (double)(1 + random_bits() % 15) * 0x1p-26;
        int exponent;
        const uint64_t mantissa = (uint64_t)ldexp(frexp(limit, &exponent), 53);
        float r = number_of((uint32_t)(random_bits() % (i % 5 ? 150 : 10)), any_fraction());
        if (i % 3 == 0)
            r = -r;
        const float expected = (float)(r * limit);
        const f32 actual = amplified(f32_of_bits(bits_of_float(r)), (uint32_t)(mantissa >> 32),
                                     (uint32_t)mantissa, exponent - 53);
        if (bits_of_f32(actual) != bits_of_float(expected))
            fail_msg("%a times %a: %08x, not %a", (double)r, limit, bits_of_f32(actual),
                     (double)expected);
    }
}

static void check_reciprocal(float x)
{
    assert_int_equal(bits_of_f32(reciprocal(f32_of_bits(bits_of_float(x)))),
                     bits_of_float(float_adm_reciprocal(x)));
}

CASE(given_any_number_the_reciprocal_is_the_defined_one)
{
    check_reciprocal(0.0F);
    for (uint32_t exponent = 1; exponent < 253; exponent++)
        for (uint32_t m = 0; m < 2048; m++)
            check_reciprocal(number_of(exponent, m << 12 | (uint32_t)(random_bits() & 0xFFF)));
    for (uint32_t m = 0; m < 2048; m++) {
        check_reciprocal(number_of(127, m << 12));
        check_reciprocal(-number_of(127, m << 12 | 0xFFF));
    }
}

static float defined_rest(float o, float t, double limit)
{
    float k = t * float_adm_reciprocal(o + FLOAT_ADM_TINY);
    k = k > 0.0F ? k : 0.0F;
    k = k < 1.0F ? k : 1.0F;
    const float r = k * o;
    if (r > 0.0F)
        return (float)(r * limit < (double)t ? r * limit : (double)t);
    return r < 0.0F ? (float)(r * limit > (double)t ? r * limit : (double)t) : r;
}

CASE(given_any_coefficients_the_limited_rest_is_the_defined_one)
{
    static const double limits[] = {1.0, 1.25, 100.0};
    for (int i = 0; i < 3000000; i++) {
        const double limit = limits[i % 3];
        float o = number_of((uint32_t)(random_bits() % 141), any_fraction());
        float t = o * (float)(random_bits() % 400) / 100.0F;
        o = random_bits() & 1 ? o : -o;
        t = random_bits() & 1 ? t : -t;
        const f32 o_bits = f32_of_bits(bits_of_float(o)), t_bits = f32_of_bits(bits_of_float(t));
        f32 rest = limited_ratio(o_bits, t_bits);
        if (is_equal_f32(rest, F32(0u)) == 0)
            rest = nearer(rest, mul_f32(rest, f32_of_bits(bits_of_float((float)limit))), t_bits);
        if (bits_of_f32(rest) != bits_of_float(defined_rest(o, t, limit)))
            fail_msg("rest of %a in %a: %08x, not %a", (double)o, (double)t, bits_of_f32(rest),
                     (double)defined_rest(o, t, limit));
    }
}

CASE(given_vectors_about_one_degree_apart_the_angle_is_decided_as_defined)
{
    const double degree = acos(-1.0) / 180.0;
    unsigned n_near = 0, n = 1000000;
    for (unsigned i = 0; i < n; i++) {
        const double angle = (double)random_bits() * 0x1p-62;
        const double apart =
            degree * (1.0 + ldexp(1.0, -(int)(random_bits() % 26)) * (i % 2 ? 1 : -1));
        const double far = i % 16 ? apart : apart + acos(-1.0);
        const double o = ldexp(1.0, (int)(random_bits() % 30) - 16),
                     t = ldexp(1.3, (int)(random_bits() % 12));
        const float v[4] = {(float)(o * cos(angle)), (float)(o * sin(angle)),
                            (float)(t * cos(angle + far)), (float)(t * sin(angle + far))};
        const float inner = v[0] * v[2] + v[1] * v[3];
        const float ref = v[0] * v[0] + v[1] * v[1], dist = v[2] * v[2] + v[3] * v[3];
        const float limit = FLOAT_ADM_SAME_DIRECTION * ref * dist;
        const int expected = inner >= 0.0F && inner * inner >= limit;
        f32 bits[4];
        for (int k = 0; k < 4; k++)
            bits[k] = f32_of_bits(bits_of_float(v[k]));
        assert_int_equal(is_near(bits[0], bits[1], bits[2], bits[3]), expected);
        n_near += (unsigned)expected;
    }
    assert_in_range(n_near, n / 4, n - n / 4);
    const f32 zero = F32(0u), one = F32(0x3F800000u);
    assert_int_equal(is_near(zero, zero, one, one), 1);
    assert_int_equal(is_near(zero, zero, zero, zero), 1);
}
