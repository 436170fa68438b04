/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The integer arithmetic of ADM in kernels against the definition in floating point, near decisions
 * that pictures seldom reach. Built for both widths of coefficients.
 */
#include <math.h>
#include <stdlib.h>

#include "random_numbers.h"
#include "support/cases.h"

#define KERNEL_NAME adm_arithmetic
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "metrics/adm/adm_kernel.h"
#include "metrics/adm/decouple.kernel.h"
#include "metrics/adm/masking.kernel.h"

/* -1 to 1. */
static double fraction(void)
{
    return (double)(int64_t)random_bits() / 0x1p63;
}

/* -- the angle -- */

static int defined_near(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const float inner = (float)(oh * th + ov * tv);
    const float ref = (float)(oh * oh + ov * ov), dist = (float)(th * th + tv * tv);
    const double scaled = (double)0.99969542F * ref;
    return inner >= 0.0F && (double)inner * inner >= scaled * dist;
}

static void check_angle(int32_t oh, int32_t ov, int32_t th, int32_t tv)
{
    const int expected = defined_near(oh, ov, th, tv);
    if (is_near(oh, ov, th, tv) != expected || is_near_exactly(oh, ov, th, tv) != expected)
        fail_msg("(%d, %d), (%d, %d): not %d", oh, ov, th, tv, expected);
}

CASE(given_vectors_about_one_degree_apart_the_angle_is_decided_as_defined)
{
    const double degree = acos(-1.0) / 180.0;
    const int bits = COEFFICIENT_BITS == 16 ? 14 : 30;
    unsigned n_near = 0, n = 0;
    for (int i = 0; i < 3000000; i++) {
        /* Lengths of all magnitudes; angles very close to one degree. */
        const double o = ldexp(1.0 + fraction() / 3, (int)(random_bits() % (unsigned)bits));
        const double t = ldexp(1.0 + fraction() / 3, (int)(random_bits() % (unsigned)bits));
        const double angle = acos(-1.0) * fraction();
        const double apart = degree * (1.0 + ldexp(fraction(), -(int)(random_bits() % 30)));
        const double other = random_bits() & 1 ? angle + apart : angle - apart;
        const int32_t oh = (int32_t)lrint(o * cos(angle)), ov = (int32_t)lrint(o * sin(angle));
        const int32_t th = (int32_t)lrint(t * cos(other)), tv = (int32_t)lrint(t * sin(other));
        check_angle(oh, ov, th, tv);
        check_angle(oh, ov, -th, -tv);
        n_near += (unsigned)defined_near(oh, ov, th, tv);
        n++;
    }
    assert_in_range(n_near, n / 4, n - n / 4);
}

CASE(given_any_integer_it_is_rounded_to_the_nearest_binary32)
{
    for (int i = 0; i < 1000000; i++) {
        /* Half of them next to a power of two or to a tie. */
        uint64_t x = (random_bits() >> 1 | 1) >> random_bits() % 62;
        if (i % 2 == 0) {
            const unsigned high = 25 + (unsigned)(random_bits() % 38);
            x = (UINT64_C(1) << high) - (random_bits() % 5 << (high - 25)) + random_bits() % 3;
        }
        const adm_binary32 nearest = nearest_binary32(x ? x : 1);
        assert_in_range(nearest.mantissa, 1u << 23, (1u << 24) - 1);
        assert_true(ldexpf((float)nearest.mantissa, nearest.exponent) == (float)(x ? x : 1));
    }
}

CASE(given_small_or_large_vectors_the_angle_is_decided_as_defined)
{
    for (int i = 0; i < 11 * 11 * 11 * 11; i++)
        check_angle(i % 11 - 5, i / 11 % 11 - 5, i / 121 % 11 - 5, i / 1331 - 5);
    const int32_t largest = COEFFICIENT_BITS == 16 ? 27411 : 1500000000;
    for (int i = 0; i < 256; i++) {
        const int32_t values[] = {largest, -largest, largest - 1, 0};
        check_angle(values[i % 4], values[i / 4 % 4], values[i / 16 % 4], values[i / 64]);
    }
    for (int i = 0; i < 1000000; i++) {
        const int o = (int)(random_bits() % (COEFFICIENT_BITS - 2)) + 2;
        const int t = (int)(random_bits() % (COEFFICIENT_BITS - 2)) + 2;
        check_angle((int32_t)ldexp(fraction(), o - 2), (int32_t)ldexp(fraction(), o - 2),
                    (int32_t)ldexp(fraction(), t - 2), (int32_t)ldexp(fraction(), t - 2));
    }
}

/* Mantissas for which the right-hand side lies within a few halves of a unit in the last place of
 * the square: found by search. They reveal how the product is rounded. */
CASE(given_a_product_next_to_the_square_its_rounding_decides)
{
    static const struct {
        uint32_t inner, ref, dist;
        int exponent; /* to be added to the mantissa of the square */
    } cases[] = {
        {15485856, 11287871, 10625777, 1}, {8977298, 16184373, 9962256, -1},
        {14044380, 16279802, 12119601, 0}, /* larger than the square by 0.03 halves */
        {13681023, 14439887, 12965989, 0}, /* by 1.4 */
        {16293419, 10327473, 12856794, 1}, /* by 2.7 */
    };
    unsigned n_near = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double product = (double)0.99969542F * cases[i].ref * cases[i].dist;
        const double square = (double)cases[i].inner * cases[i].inner;
        const adm_binary32 inner = {cases[i].inner, 0}, ref = {cases[i].ref, 0};
        const adm_binary32 dist = {cases[i].dist, cases[i].exponent};
        const int expected = square >= ldexp(product, cases[i].exponent);
        assert_int_equal(square_reaches(inner, ref, dist), expected);
        n_near += (unsigned)expected;
    }
    assert_int_equal(n_near, 3);
}

/* -- the rest -- */

static int64_t defined_rest(int32_t o, int32_t t)
{
    uint64_t m = (uint64_t)llabs(o);
    int e = 0;
    while (m >> e >= 32768)
        e++;
    if (e > 0)
        m = (m + (1u << (e - 1))) >> e;
    const int64_t reciprocal = (1 << 30) / (int64_t)m;
    int64_t k = ((o < 0 ? -1 : 1) * reciprocal * t + ((int64_t)1 << (14 + e))) >> (15 + e);
    k = k < 0 ? 0 : k > 32768 ? 32768 : k;
    return (k * o + 16384) >> 15;
}

static void check_rest(int32_t o, int32_t t, double gain_limit, adm_gain gain)
{
    const int64_t rest = o ? defined_rest(o, t) : 0;
    const double product = (double)rest * gain_limit;
    const int64_t limit = (int64_t)(o > 0 ? fmin(product, t) : fmax(product, t));
    const adm_rest actual = rest_of_band(o, t);
    const uint32_t actual_limit = limited(actual.rest, actual.dist, gain);
    const int none = o == 0 || rest == 0;
    if (with_sign_of(o, actual.rest) != rest ||
        with_sign_of(o, actual_limit) != (none ? 0 : limit)) {
        fail_msg("%d, %d, %.17g: %u, %u, not %lld, %lld", o, t, gain_limit, actual.rest,
                 actual_limit, (long long)rest, (long long)limit);
    }
}

/* Converts a limit as the plan does. */
static adm_gain gain_of(double limit)
{
    int exponent;
    const double part = frexp(limit, &exponent);
    if (limit == floor(limit))
        return (adm_gain){.factor = (uint32_t)limit};
    return (adm_gain){.mantissa = (uint64_t)ldexp(part, 53), .shift = 21 - exponent};
}

CASE(given_any_gain_limit_the_rest_is_the_defined_one)
{
    static const double limits[] = {1.0,   100.0,         1.2,   1.1, 2.5, 7.0,
                                    99.99, 1.0 + 0x1p-52, 64.05, 3.3, 1.7, 1.05};
    const int bits = COEFFICIENT_BITS == 16 ? 15 : 31;
    for (int i = 0; i < 3000000; i++) {
        double limit = limits[random_bits() % (sizeof(limits) / sizeof(limits[0]))];
        if (i % 8 == 0)
            limit = 1.0 + fabs(fraction()) * 99;
        const int32_t mask = (int32_t)((1u << (1 + random_bits() % (unsigned)bits)) - 1u);
        const int32_t largest = COEFFICIENT_BITS == 16 ? 27411 : 1500000000;
        int32_t o = (int32_t)random_bits() & mask, t = (int32_t)random_bits() & mask;
        if (i % 3 == 0) {
            t = (int32_t)fmin(largest, o * (limit - 1e-9 * fraction()));
        } else if (i % 3 == 1) {
            t = (int32_t)fmin(largest, o * (1.0 + fraction() / 16));
        }
        o = o > largest ? largest : o;
        t = t > largest ? largest : t;
        const adm_gain gain = gain_of(limit);
        check_rest(o, t, limit, gain);
        check_rest(-o, -t, limit, gain);
        check_rest(o, -t, limit, gain);
    }
}

CASE(given_a_product_next_to_an_integer_its_rounding_decides)
{
    for (int i = 0; i < 3000000; i++) {
        const uint32_t rest =
            (uint32_t)(random_bits() >> (65 - COEFFICIENT_BITS + random_bits() % 8)) | 1u;
        const double limit = floor(rest * (1.0 + fabs(fraction()) * 90)) / rest;
        const double limits[] = {limit, nextafter(limit, 0.0), nextafter(limit, 200.0),
                                 nextafter(nextafter(limit, 0.0), 0.0)};
        const double chosen = fmax(1.0, limits[random_bits() % 4]);
        assert_int_equal(limited(rest, UINT32_MAX, gain_of(chosen)),
                         fmin(trunc(rest * chosen), UINT32_MAX));
    }
}

#if COEFFICIENT_BITS == 16
CASE(given_moderate_coefficients_the_rest_is_the_smaller_one)
{
    for (uint32_t o = 1; o < 16384; o++) {
        for (uint32_t t = 1; t <= o + 1; t++) {
            const uint32_t expected = t < o ? t : o;
            if (rest_of(o, t, 0) != expected || rest_of(o, t, 1) != expected)
                fail_msg("%u, %u", o, t);
        }
        assert_int_equal(rest_of(o, 32768, 0), o);
        assert_int_equal(rest_of(o, 32768, 1), o);
    }
}
#endif

/* -- masking -- */

#if COEFFICIENT_BITS == 16
CASE(given_half_a_unit_weighted_coefficients_are_rounded_as_defined)
{
    const adm_bands up = {1, -1, 1024}, down = {0, 0, -1024};
    /* h 0.5 becomes 1, v -0.5 becomes 0, d 268.5 becomes 268: contributions 1, 0, 286. */
    const adm_signal s = signal_of(up, 16384, 34368);
    assert_int_equal(s.neighbours, 1 + 286);
    assert_int_equal(s.centre, 2 + 572 - s.neighbours);
    assert_int_equal(s.d, 1024 * 34368);
    assert_int_equal(signal_of(down, 16384, 34368).neighbours, (4369 * 269 + 2048) >> 12);
}
#else
CASE(given_half_a_unit_weighted_coefficients_are_rounded_as_defined)
{
    const adm_bands y = {1, -1, -3};
    const adm_signal s = signal_of(y, 1u << 27, 1u << 27);
    assert_int_equal(s.h, 1); /* 0.5 */
    assert_int_equal(s.v, 0); /* -0.5 */
    assert_int_equal(s.d, 1); /* -1.5 */
    assert_int_equal((int32_t)s.neighbours, -3);
    assert_int_equal(s.centre, 0);
}
#endif
