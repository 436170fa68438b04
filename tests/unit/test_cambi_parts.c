/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The display model, the tables and the pooling of CAMBI. Known numbers: libvmaf 3.2 reference
 * values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/cambi/cambi_geometry.h"
#include "definition/cambi/cambi_visibility.h"
#include "feature/cambi/cambi_plan.h"
#include "feature/cambi/cambi_pool.h"
#include "support/cases.h"
#include "support/finish_harness.h"

enum { LAST = 1023 };

typedef struct KnownThresholds {
    enum CambiEotf eotf;
    double tvi_threshold;
    int code[CAMBI_MAX_STEPS]; /* of steps 1, 2, ...; after the last one that is given: LAST */
} KnownThresholds;

static const KnownThresholds known_thresholds[] = {
    {CAMBI_EOTF_BT1886, 0.019, {178, 305, 432, 559, 686, 813}},
    {CAMBI_EOTF_BT1886, 0.01, {292, 533, 773}},
    {CAMBI_EOTF_BT1886, 0.03, {132, 213, 293, 374, 455, 536, 616, 697, 778, 858}},
    {CAMBI_EOTF_BT1886, 0.1, {76,  101, 125, 150, 175, 199, 224, 249, 274, 298, 323,
                              348, 372, 397, 422, 446, 471, 496, 520, 545, 570, 594,
                              619, 644, 669, 693, 718, 743, 767, 792, 817, 841}},
    {CAMBI_EOTF_PQ, 0.019, {233}},
    {CAMBI_EOTF_PQ, 0.03, {152, 315}},
    {CAMBI_EOTF_PQ, 1, {66,  68,  70,  72,  75,  78,  81,  83,  86,  90,  93,
                        96,  100, 103, 107, 110, 114, 118, 122, 126, 131, 135,
                        140, 144, 149, 154, 159, 164, 169, 175, 180, 186}},
};

/* The only list in which 0 stands for itself. */
static const int codes_at_half[CAMBI_MAX_STEPS] = {
    0,   0,   68,  73,  79,  84,  89,  95,  100, 106, 111, 117, 122, 127, 133, 138,
    144, 149, 155, 160, 165, 171, 176, 182, 187, 193, 198, 204, 209, 214, 220, 225};

static void steps_are_visible_up_to_known_codes(void **state)
{
    for (size_t i = 0; i < sizeof(known_thresholds) / sizeof(known_thresholds[0]); i++) {
        const KnownThresholds *t = &known_thresholds[i];
        for (int k = 1; k <= CAMBI_MAX_STEPS; k++)
            assert_int_equal(cambi_last_visible_code(t->eotf, k, t->tvi_threshold),
                             t->code[k - 1] ? t->code[k - 1] : LAST);
    }
    for (int k = 1; k <= CAMBI_MAX_STEPS; k++)
        assert_int_equal(cambi_last_visible_code(CAMBI_EOTF_BT1886, k, 0.5), codes_at_half[k - 1]);
}

static void luminance_is_that_of_the_standards(void **state)
{
    static const struct {
        enum CambiEotf eotf;
        int code;
        double luminance;
    } l[] = {
        {CAMBI_EOTF_BT1886, 64, 0.0099999999999999985},
        {CAMBI_EOTF_BT1886, 100, 0.27420927986377103},
        {CAMBI_EOTF_BT1886, 512, 61.896284867318997},
        {CAMBI_EOTF_BT1886, 940, 300},
        {CAMBI_EOTF_BT1886, 1023, 300},
        {CAMBI_EOTF_PQ, 0, 0},
        {CAMBI_EOTF_PQ, 64, 0},
        {CAMBI_EOTF_PQ, 100, 0.038747251223081848},
        {CAMBI_EOTF_PQ, 512, 103.37707671191859},
        {CAMBI_EOTF_PQ, 940, 10000},
    };
    /* Other libraries may round powers differently. */
    for (size_t i = 0; i < sizeof(l) / sizeof(l[0]); i++)
        assert_true(fabs(cambi_luminance(l[i].eotf, l[i].code) - l[i].luminance) <=
                    1e-13 * l[i].luminance);
}

static void luminance_thresholds_begin_at_known_codes(void **state)
{
    static const double thresholds[] = {0, 0.05, 0.06, 0.1, 1, 10, 100, 299};
    static const int bt1886[] = {0, 76, 78, 84, 135, 268, 614, 939};
    static const int pq[] = {0, 105, 108, 119, 196, 327, 510, 609};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(cambi_first_bright_code(CAMBI_EOTF_BT1886, thresholds[i]), bt1886[i]);
        assert_int_equal(cambi_first_bright_code(CAMBI_EOTF_PQ, thresholds[i]), pq[i]);
    }
}

static void codes_that_matter_are_a_band(void **state)
{
    CambiVisibility v;
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 0, 2);
    assert_int_equal(v.first_code, -4);
    assert_int_equal(v.last_code, 563);
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 0.06, 2);
    assert_int_equal(v.first_code, 67);
    assert_int_equal(v.last_code, 563);
    assert_int_equal(v.steps[70], 0);
    assert_int_equal(v.steps[71], 1 << 3);
    assert_int_equal(v.steps[74], 0xf);
    assert_int_equal(v.steps[178], 0xf);
    assert_int_equal(v.steps[179], 0xe);
    assert_int_equal(v.steps[559], 0x8);
    assert_int_equal(v.steps[560], 0);
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 200, 2);
    assert_true(v.first_code > v.last_code);
}

/* 1 / i, printed with nine digits and read again. */
static void reciprocals_are_rounded_twice(void **state)
{
    enum { N = CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW };
    static const unsigned patched[] = {
        82,   83,   244,  488,  504,  510,  528,  564,  614,  664,  749,  760,  892,  1419,
        1699, 1906, 2040, 2071, 2112, 2223, 2443, 2555, 2740, 2927, 3285, 3515, 3525, 3705,
        3795, 3797, 3812, 3837, 3885, 4033, 4080, 4091, 4095, 4130, 4142, 4203, 4218, 4224};
    float *reciprocals = malloc((N + 1) * sizeof(*reciprocals));
    assert_non_null(reciprocals);
    cambi_reciprocals(reciprocals, N);
    size_t n_patched = 0;
    for (unsigned i = 1; i <= N; i++) {
        char text[32];
        snprintf(text, sizeof(text), "%.9g", 1.0 / i);
        if (reciprocals[i] != strtof(text, NULL))
            fail_msg("reciprocal of %u is %.9g", i, (double)reciprocals[i]);
        if (i <= 65 * 65 && reciprocals[i] != (float)(1.0 / i))
            assert_int_equal(i, patched[n_patched++]);
    }
    assert_int_equal(n_patched, 42);
    free(reciprocals);
}

static void windows_have_known_sides(void **state)
{
    static const struct {
        unsigned w, h, side, side_with_speedup;
    } k[] = {
        {576, 324, 9, 9},     {1280, 720, 21, 21},  {1920, 1080, 33, 17},  {2560, 1440, 43, 23},
        {3840, 2160, 65, 33}, {4096, 2160, 67, 35}, {7680, 4320, 131, 65},
    };
    CambiOptions o;
    CambiGeometry g[CAMBI_PICTURES];
    assert_int_equal(options_parse(&o, cambi_extractor.options, NULL, NULL, NULL, NULL), 0);
    for (size_t i = 0; i < sizeof(k) / sizeof(k[0]); i++) {
        o.high_res_speedup = 0;
        assert_int_equal(cambi_geometry(g, &o, k[i].w, k[i].h), CAMBI_ACCEPTED);
        assert_int_equal(g[CAMBI_DIST].window, k[i].side);
        assert_int_equal(g[CAMBI_DIST].scale_w[0], k[i].w);
        o.high_res_speedup = 1080;
        assert_int_equal(cambi_geometry(g, &o, k[i].w, k[i].h), CAMBI_ACCEPTED);
        assert_int_equal(g[CAMBI_REF].window, k[i].side_with_speedup);
        assert_int_equal(g[CAMBI_DIST].scale_w[0], k[i].h >= 1080 ? k[i].w / 2 : k[i].w);
    }
}

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static void check_pooling(float *contrasts, size_t n, size_t k)
{
    CambiKernels kernels;
    cambi_kernels_init(&kernels, 0);
    CambiTally tally;
    memset(&tally, 0, sizeof(tally));
    kernels.tally(&tally, contrasts, n / 3);
    kernels.tally(&tally, contrasts + n / 3, n - n / 3);

    float *sorted = malloc(n * sizeof(*sorted));
    assert_non_null(sorted);
    memcpy(sorted, contrasts, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), descending);
    uint64_t whole = 0, fraction = 0;
    for (size_t i = 0; i < k && i < n; i++) {
        const uint64_t fixed = (uint64_t)((double)sorted[i] * 0x1p24);
        whole += fixed >> 24;
        fraction += fixed & 0xffffff;
    }
    free(sorted);
    const CambiSum sum = cambi_sum_strongest(&tally, contrasts, n, k);
    assert_int_equal(sum.whole, whole + (fraction >> 24));
    assert_int_equal(sum.fraction, fraction & 0xffffff);
}

static uint32_t random_bits(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void the_strongest_contrasts_are_summed_exactly(void **state)
{
    enum { N = 5000 };
    static const size_t counts[] = {1, 2, 7, 600, 2499, 2500, 4999, 5000, 9000};
    float *contrasts = malloc(N * sizeof(*contrasts));
    assert_non_null(contrasts);
    uint32_t seed = 1;
    /* Many zeros; few different values; many; large ones. */
    static const struct {
        uint32_t zeros_of_8, values;
        float scale;
    } kinds[] = {{7, 1000, 0.5f}, {0, 3, 1}, {2, 1 << 23, 0x1.8p-22f}, {1, 1 << 24, 0x1p-6f}};
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (unsigned i = 0; i < N; i++) {
                const float value =
                    (float)(random_bits(&seed) % kinds[kind].values) * kinds[kind].scale;
                contrasts[i] = random_bits(&seed) % 8 < kinds[kind].zeros_of_8 ? 0
                               : value < 0.5f                                  ? 0.5f
                                                                               : value;
            }
            check_pooling(contrasts, N, counts[c]);
        }
    }
    free(contrasts);
}

static void sums_are_rounded_once(void **state)
{
    static const CambiSum sum = {(UINT64_C(1) << 40) + 1, 0x800001};
    assert_true(cambi_sum_value(&sum) == 0x1p40 + 1.5);
    static const CambiSum exact = {3, 0xffffff};
    assert_true(cambi_sum_value(&exact) == 4 - 0x1p-24);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_visible_up_to_known_codes),
        cmocka_unit_test(luminance_is_that_of_the_standards),
        cmocka_unit_test(luminance_thresholds_begin_at_known_codes),
        cmocka_unit_test(codes_that_matter_are_a_band),
        cmocka_unit_test(reciprocals_are_rounded_twice),
        cmocka_unit_test(windows_have_known_sides),
        cmocka_unit_test(the_strongest_contrasts_are_summed_exactly),
        cmocka_unit_test(sums_are_rounded_once),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
