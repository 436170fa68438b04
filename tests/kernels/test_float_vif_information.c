/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What a pixel adds to the sums of float_vif: as kernels compute it, as plain C, against the
 * library, for moments next to where something is decided.
 */
#include <math.h>
#include <string.h>

#include "random_numbers.h"
#include "support/cases.h"

#define KERNEL_NAME float_vif_information
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "metrics/float_vif/float_vif_internal.h"
#include "metrics/float_vif/information.kernel.h"

enum { CASES = 400000, PADDED = 1 + FLOAT_VIF_PADDING };

typedef struct Moments {
    float mean_ref, mean_dist, ref_ref, dist_dist, ref_dist;
} Moments;

static FloatVifFunctions library;

static uint64_t scrambled(void)
{
    return random_bits() * 0x9E3779B97F4A7C15u >> 8;
}

/* From low to high, with every order of magnitude about equally likely. */
static float magnitude(double low, double high)
{
    return (float)(low * pow(high / low, (double)(scrambled() >> 3 & 0xffffff) / 0x1p24));
}

static float with_sign(float x)
{
    return scrambled() & 1 ? -x : x;
}

/* x, or a number next to it. */
static float about(float x)
{
    static const float far[] = {-1e30f, 1e30f};
    for (unsigned n = scrambled() % 3; n; n--)
        x = nextafterf(x, far[scrambled() & 1]);
    return x;
}

static f32 bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof(word));
    return f32_of_bits(word);
}

static f64 double_bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof(word));
    return f64_of_bits(word);
}

static float_vif_variant variant_of(const FloatVifParameters *p)
{
    return (float_vif_variant){
        .gain_limit = bits(p->gain_limit),
        .inverse_noise = bits(p->inverse_noise),
        .flat_factor = bits(p->flat_factor),
        .threshold = bits(float_vif_round_up(p->noise_variance)),
        .noise = double_bits(p->noise_variance),
    };
}

static void check(Moments m, const FloatVifParameters *parameters)
{
    float padded[5][PADDED] = {
        {m.mean_ref}, {m.mean_dist}, {m.ref_ref}, {m.dist_dist}, {m.ref_dist}};
    const FloatVifMoments moments = {padded[0], padded[1], padded[2], padded[3], padded[4]};
    FloatVifSums expected;
    library.information(&moments, 1, parameters, 1, &expected);

    const f32 ref = bits(m.mean_ref), dist = bits(m.mean_dist);
    const float_vif_pixel pixel = float_vif_model(sub_f32(bits(m.ref_ref), mul_f32(ref, ref)),
                                                  sub_f32(bits(m.dist_dist), mul_f32(dist, dist)),
                                                  sub_f32(bits(m.ref_dist), mul_f32(ref, dist)));
    const float_vif_variant variant = variant_of(parameters);
    const f32 num = float_vif_part(pixel, variant, NUM), den = float_vif_part(pixel, variant, DEN);
    /* The library adds to +0. */
    if (add_f32(F32(0), num) != bits(expected.num) || add_f32(F32(0), den) != bits(expected.den))
        fail_msg("means %a, %a, moments %a, %a, %a, limit %a, noise %a: %08x, %08x, not %a, %a",
                 (double)m.mean_ref, (double)m.mean_dist, (double)m.ref_ref, (double)m.dist_dist,
                 (double)m.ref_dist, (double)parameters->gain_limit, parameters->noise_variance,
                 bits_of_f32(num), bits_of_f32(den), (double)expected.num, (double)expected.den);
}

static void check_all(Moments (*make)(const FloatVifParameters *))
{
    static const double noises[] = {2, 0, 1, 1.3, 0.1, 5, 4, 1e-3, 2.0000000001, 0x1p-10};
    static const double limits[] = {100, 1, 1.2, 1.5, 99.9};
    for (size_t n = 0; n < sizeof(noises) / sizeof(noises[0]); n++) {
        for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
            const FloatVifOptions options = {.vif_enhn_gain_limit = limits[l],
                                             .vif_sigma_nsq = noises[n]};
            const FloatVifParameters parameters = float_vif_parameters(&options);
            for (unsigned i = 0; i < CASES / 50; i++)
                check(make(&parameters), &parameters);
        }
    }
}

/* Without means, moments are variances. */
static Moments variances(float ref, float dist, float covariance)
{
    return (Moments){.ref_ref = ref, .dist_dist = dist, .ref_dist = covariance};
}

static Moments any(const FloatVifParameters *parameters)
{
    const float ref = magnitude(1e-3, 20000), dist = magnitude(1e-3, 20000);
    return variances(ref, dist, with_sign(sqrtf(ref) * sqrtf(dist) * magnitude(0.01, 1)));
}

static Moments with_means(const FloatVifParameters *parameters)
{
    Moments m = any(parameters);
    m.mean_ref = with_sign(magnitude(1e-3, 128));
    m.mean_dist = about(m.mean_ref);
    m.ref_ref += m.mean_ref * m.mean_ref;
    m.dist_dist += m.mean_dist * m.mean_dist;
    m.ref_dist += m.mean_ref * m.mean_dist;
    return m;
}

/* Flat areas: what cancellation leaves, epsilon, zeros and numbers below. */
static Moments nearly_flat(const FloatVifParameters *parameters)
{
    static const float few[] = {0, -0.0f, 1e-10f, -1e-10f, 1e-45f, -1e-45f, 1e-38f, 1e-20f, -1, 1};
    enum { N = sizeof(few) / sizeof(few[0]) };
    return variances(about(few[scrambled() % N]), about(few[scrambled() % N]),
                     about(few[scrambled() % N]));
}

static Moments about_the_noise(const FloatVifParameters *parameters)
{
    const float ref = about((float)parameters->noise_variance);
    return variances(ref, magnitude(1e-10, 100), with_sign(magnitude(1e-10, 10)));
}

static Moments about_the_limit(const FloatVifParameters *parameters)
{
    const float ref = magnitude(1e-9, 1000), covariance = about(ref * parameters->gain_limit);
    return variances(ref, about(covariance * parameters->gain_limit), covariance);
}

static Moments equal(const FloatVifParameters *parameters)
{
    const float ref = magnitude(1e-12, 20000);
    return variances(ref, about(ref), about(ref));
}

/* Arguments of the logarithm about powers of two. */
static Moments about_powers_of_two(const FloatVifParameters *parameters)
{
    const double noise_variance = fmax(parameters->noise_variance, 1e-3);
    const float ref = about((float)(noise_variance * (ldexp(1, (int)(scrambled() % 14)) - 1)));
    return variances(ref, about(ref), about(ref));
}

CASE(given_any_moments_then_parts_are_those_of_the_library)
{
    check_all(any);
    check_all(with_means);
}

CASE(given_flat_areas_then_parts_are_those_of_the_library)
{
    check_all(nearly_flat);
    check_all(equal);
}

CASE(given_values_about_thresholds_then_parts_are_those_of_the_library)
{
    check_all(about_the_noise);
    check_all(about_the_limit);
    check_all(about_powers_of_two);
}

CASE(given_constants_then_their_bits_are_named_beside_them)
{
    assert_int_equal(bits(FLOAT_VIF_EPSILON), FLOAT_VIF_EPSILON_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_8), FLOAT_VIF_LOG2_8_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_7), FLOAT_VIF_LOG2_7_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_6), FLOAT_VIF_LOG2_6_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_5), FLOAT_VIF_LOG2_5_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_4), FLOAT_VIF_LOG2_4_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_3), FLOAT_VIF_LOG2_3_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_2), FLOAT_VIF_LOG2_2_BITS);
    assert_int_equal(bits(FLOAT_VIF_LOG2_1), FLOAT_VIF_LOG2_1_BITS);
}

int main(int argc, char **argv)
{
    float_vif_functions_init(&library, 0);
    return run_cases(argc, argv);
}
