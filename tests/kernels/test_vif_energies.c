/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The energies that kernels of VIF compute from variances, in integers, against the definition, in
 * binary64: for random variances, and for those next to the decisions. Also the constants passed to
 * the kernels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "kernels/vif_energies_check_args.h"
#include "metrics/vif/vif_internal.h"
#include "metrics/vif/vif_limit_device.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "test_sets.h"

enum { CASES = 40000, LANES = 64 };

/* From low to high, with every order of magnitude about equally likely. */
static double magnitude(double low, double high)
{
    return low * pow(high / low, (double)(random_bits() >> 11) / 0x1p53);
}

static uint32_t variance(void)
{
    return (uint32_t)magnitude(VIF_NOISE_VARIANCE, 0x1p30);
}

static uint32_t at_least_1(double x)
{
    return x >= 1 ? (uint32_t)x : 1;
}

/* -- cases; c^2 / v1 stays below 2^30.6, as it does for pictures -- */

static variances random_case(double limit)
{
    const uint32_t ref = variance(), dist = (uint32_t)magnitude(1, 0x1p30);
    const double most = sqrt((double)ref * 0x1.8p30);
    return (variances){ref, dist, at_least_1(magnitude(1, most))};
}

/* Gains about the limit. */
static variances limited_case(double limit)
{
    const uint32_t ref = (uint32_t)magnitude(VIF_NOISE_VARIANCE, 0x1.8p30 / (limit * limit));
    const double covariance = ref * limit + (double)(random_bits() % 5) - 2;
    return (variances){ref, (uint32_t)magnitude(1, 0x1p30), at_least_1(covariance)};
}

/* The square of the covariance is about a multiple of the reference's variance, and the variance of
 * the distorted picture about the quotient, so that noise is about 0. */
static variances dividing_case(double limit)
{
    const uint32_t root = (uint32_t)magnitude(1, 0x1p15);
    const uint32_t factor = (uint32_t)magnitude(1, 0x1p14);
    uint32_t ref = root * root * (VIF_NOISE_VARIANCE / (root * root) + 1);
    if (ref > 1u << 30)
        ref = 1u << 30;
    const uint32_t covariance = (uint32_t)fmin((double)ref / root * factor, 0x1p30);
    const double quotient = fmin((double)covariance * covariance / ref, 0x1p30);
    return (variances){ref, at_least_1(quotient + (double)(random_bits() % 7) - 3),
                       at_least_1(fmin(covariance, sqrt(ref * 0x1.8p30)))};
}

/* Large gains, with the square of the covariance above a multiple of the reference's variance by
 * just what the definition subtracts, as nearly as a short search finds. */
static variances deciding_case(double limit)
{
    const uint32_t ref = (uint32_t)magnitude(VIF_NOISE_VARIANCE, 0x1p23);
    const uint32_t most = (uint32_t)sqrt((double)ref * 0x1.8p30);
    const uint32_t first = most / 2 + (uint32_t)(random_bits() % (most / 2 - 100));
    const double epsilon = 65536 * 1e-10 * (double)(1 + random_bits() % 2);
    double nearest = 1;
    uint32_t covariance = first;
    for (uint32_t c = first; c < first + 100; c++) {
        const double gain = (double)c / ref;
        const double above = (double)((uint64_t)c * c % ref) / ref;
        const double distance = fabs(above - gain * gain * epsilon);
        if (distance < nearest) {
            nearest = distance;
            covariance = c;
        }
    }
    return (variances){ref, 1u << 30, covariance};
}

/* Equal or nearly equal pictures. */
static variances equal_case(double limit)
{
    const uint32_t ref = variance();
    return (variances){ref, ref + random_bits() % 3, ref + random_bits() % 3};
}

/* -- the definition -- */

static both_energies defined(variances given, double limit)
{
    const double c = given.covariance;
    const double gain = c / (given.ref + 65536 * 1e-10);
    const double explained = gain * c;
    const double rest = given.dist - explained;
    const double limited = gain < limit ? gain : limit;
    const double square = limited * limited;
    const uint32_t sensor = VIF_NOISE_VARIANCE;
    const uint32_t residual = sensor + (rest > 0 ? (uint32_t)rest : 0);
    const uint32_t total = residual + (uint32_t)(square * given.ref);
    return (both_energies){residual, total, residual, total};
}

typedef variances (*MakeCase)(double limit);

static void check_limit(Fixture *fixture, MakeCase make, double limit)
{
    variances *given = calloc(CASES, sizeof(*given));
    both_energies *results = calloc(CASES, sizeof(*results));
    assert_true(given && results);
    for (unsigned i = 0; i < CASES; i++)
        given[i] = make(limit);
    const vif_energies_check_args args = {.limit = vmaf_vif_limit(limit), .n = CASES};
    const FixtureBuffer buffers[] = {
        {.size = CASES * sizeof(*given), .in = given},
        {.size = CASES * sizeof(*results), .out = results},
    };
    const uint32_t groups[3] = {(CASES + LANES - 1) / LANES, 1, 1};
    assert_int_equal(fixture_run(fixture, "vif_energies_check", buffers, &args, groups), 0);
    for (unsigned i = 0; i < CASES; i++) {
        const both_energies expected = defined(given[i], limit);
        if (memcmp(&results[i], &expected, sizeof(expected)))
            fail_msg("ref %u, dist %u, covariance %u, limit %.17g: noise %u, total %u (exactly %u, "
                     "%u), not %u, %u",
                     given[i].ref, given[i].dist, given[i].covariance, limit, results[i].noise,
                     results[i].total, results[i].exact_noise, results[i].exact_total,
                     expected.noise, expected.total);
    }
    free(results);
    free(given);
}

/* By kind of cases. */
static void energies_are_as_defined(void **make)
{
    static const double limits[] = {1, 1 + 0x1p-52, 1.2, 1.35, 1.5, 3.7, 10, 99.9, 100};
    Fixture fixture;
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        check_limit(&fixture, *(const MakeCase *)*make, limits[i]);
    fixture_close(&fixture);
}

int main(int argc, char **argv)
{
    static MakeCase makers[] = {random_case, limited_case, dividing_case, deciding_case,
                                equal_case};
    static const char *const names[] = {
        "given_random_variances_then_energies_are_as_defined",
        "given_gains_about_the_limit_then_energies_are_as_defined",
        "given_quotients_about_integers_then_energies_are_as_defined",
        "given_gains_that_decide_narrowly_then_energies_are_as_defined",
        "given_equal_pictures_then_energies_are_as_defined"};
    struct CMUnitTest tests[sizeof(makers) / sizeof(makers[0])];
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        tests[i] = (struct CMUnitTest){names[i], energies_are_as_defined, NULL, NULL, &makers[i]};
    fixture_take_layer(&argc, &argv);
    return run_cases_of(argc, argv, tests);
}
