/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM from pixels to scores. Known scores: libvmaf 3.2 reference values. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature/adm/adm.h"
#include "libvmaf/backend_records.h"
#include "support/adm_patterns.h"
#include "support/cases.h"
#include "support/finish_harness.h"

enum {
    ADM2,
    AIM,
    ADM3,
    SCALE,
    TOTAL = SCALE + 4,
    TOTAL_NUM,
    TOTAL_DEN,
    NUM_DEN,
    N_OUTPUTS = NUM_DEN + 8,
};

static FinishHarness harness;

static unsigned grey(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame;
    return 1u << (bpc - 1);
}

typedef struct Content {
    HarnessSample ref, dist;
} Content;

static const Content ramp = {adm_ramp_ref, adm_ramp_dist},
                     curves = {adm_curves_ref, adm_curves_dist};

static void run(const char *options, const PictureFormat *format, Content content)
{
    VmafPicture ref = harness_picture(format, content.ref, 0);
    VmafPicture dist = harness_picture(format, content.dist, 0);
    harness_start(&harness, &adm_extractor, options, format);
    harness_frame(&harness, &(FrameInput){.ref = &ref, .dist = &dist}, 0);
    harness_flush(&harness);
    harness_stop(&harness);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

static void expect_score(unsigned output, double expected)
{
    const double value = harness_score(&harness, output, 0);
    if (memcmp(&value, &expected, sizeof(value)) != 0)
        fail_msg("%s is %.17g, not %.17g", adm_extractor.outputs[output].name, value, expected);
}

#define V1                                                                                         \
    "adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_noise_weight=0.02:adm_min_val=0.5:adm_csf_mode=" \
    "2"

typedef struct Known {
    const Content *content;
    unsigned bpc, w, h;
    const char *options;
    double adm2, aim, adm3;
} Known;

static const Known known[] = {
    {&ramp, 8, 176, 144, "", 0.99508620508214707, 0.0019179381234714445, 0.99658413347933783},
    {&ramp, 8, 640, 360, "", 0.99192942483147351, 0.00079927507395241722, 0.99556507487876056},
    {&curves, 8, 640, 360, "", 1.1524280820504955, 0.0068536788384130623, 1.0727872016060411},
    {&curves, 8, 640, 360, "adm_enhn_gain_limit=1", 0.89220962641027479, 0.0069378352385860058,
     0.94263589558584437},
    {&curves, 8, 640, 360, "adm_enhn_gain_limit=1.2", 1.1505793832968354, 0.0069151664962974748,
     1.0718321084002689},
    {&curves, 10, 131, 77, "", 1.0149159097060914, 0.053597466505574266, 0.98065922160025853},
    {&curves, 10, 131, 77, V1, 0.87353399289271882, 0.049941965021046919, 0.89649120551858918},
    {&curves, 8, 640, 360, V1 ":adm_norm_view_dist=5", 0.8971315536596377, 0.003486768689836045,
     0.92694605695479559},
    {&curves, 8, 640, 360, V1 ":adm_ref_display_height=2160", 0.89907176694061108,
     0.0029109183008917635, 0.92847696136816027},
    {&ramp, 12, 101, 99, "", 0.99545893417952702, 0.0038560458773944034, 0.99580144415106631},
    {&ramp, 16, 333, 245, "adm_csf_mode=3:adm_skip_scale0=true", 0.99741954909533992, 0,
     0.99870977454766996},
    {&ramp, 8, 33, 33, "", 0.9929782627451168, 0.0025586283204828801, 0.99520981721231694},
};

static void test_scores_equal_known_values(void **state)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const Known *k = &known[i];
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, k->bpc, k->w, k->h);
        run(k->options, &format, *k->content);
        expect_score(ADM2, k->adm2);
        expect_score(AIM, k->aim);
        expect_score(ADM3, k->adm3);
        assert_null(harness_find(&harness, TOTAL, 0));
    }
}

static void test_debug_scores_equal_known_values(void **state)
{
    static const double expected[N_OUTPUTS] = {
        [ADM2] = 0.99508620508214707,
        [AIM] = 0.0019179381234714445,
        [ADM3] = 0.99658413347933783,
        [SCALE] = 0.97779758414351059,
        0.99208580257808598,
        0.99966080483870823,
        0.99859264345587018,
        [TOTAL] = 0.99508620508214707,
        [TOTAL_NUM] = 462.61105728149414,
        [TOTAL_DEN] = 464.89545822143555,
        [NUM_DEN] = 54.023700714111328,
        55.250392913818359,
        101.20649719238281,
        102.01385498046875,
        170.88607788085938,
        170.94406127929688,
        136.49478149414062,
        136.68714904785156,
    };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 176, 144);
    run("debug=true", &format, ramp);
    for (unsigned i = 0; i < N_OUTPUTS; i++)
        expect_score(i, expected[i]);
    assert_null(adm_extractor.outputs[N_OUTPUTS].name);
}

static void test_skipped_scale0_counts_as_almost_nothing(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 16, 333, 245);
    run("adm_csf_mode=3:adm_skip_scale0=true:debug=true", &format, ramp);
    expect_score(SCALE, 0);
    expect_score(NUM_DEN, 0);
    expect_score(NUM_DEN + 1, 1.000000013351432e-10);
    expect_score(TOTAL_NUM, 353.16732025146484);
    expect_score(TOTAL_DEN, 354.0810089112328);
}

static void test_skipped_aim_is_zero(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 640, 360);
    run("adm_skip_aim=true", &format, curves);
    expect_score(ADM2, 1.1524280820504955);
    expect_score(AIM, 0);
    expect_score(ADM3, 1.1524280820504955 * 0.5 + 0.5);
}

static void test_flat_pictures_score_one(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("", &format, (Content){grey, grey});
    expect_score(ADM2, 1);
    expect_score(AIM, 0);
    expect_score(ADM3, 1);
    for (unsigned s = 0; s < 4; s++)
        expect_score(SCALE + s, 1);
}

static void test_flat_pictures_without_noise_floor(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("adm_noise_weight=0", &format, (Content){grey, grey});
    expect_score(ADM2, 1);
    expect_score(AIM, 0);
    for (unsigned s = 0; s < 4; s++)
        assert_true(isnan(harness_score(&harness, SCALE + s, 0)));
}

static void test_untabulated_viewing_condition_is_not_a_number(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("adm_csf_mode=2:adm_norm_view_dist=4:adm_min_val=0.25", &format, ramp);
    assert_true(isnan(harness_score(&harness, ADM2, 0)));
    assert_true(isnan(harness_score(&harness, AIM, 0)));
    expect_score(ADM3, 0.25);
}

static int checked(const char *text, unsigned bpc, unsigned w, unsigned h, Reason *why)
{
    void *options = harness_options(&adm_extractor, text);
    assert_non_null(options);
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    const int error = extractor_check_format(&adm_extractor, options, &format, why);
    free(options);
    return error;
}

static void test_refuses_what_it_cannot_do_and_says_why(void **state)
{
    Reason why;
    assert_int_equal(checked("", 8, 17, 17, &why), 0);
    assert_int_equal(checked("", 8, 16, 17, &why), -EINVAL);
    assert_non_null(strstr(why.text, "17x17"));
    assert_int_equal(checked("", 8, 17, 16, &why), -EINVAL);
    assert_int_equal(checked("adm_norm_view_dist=1.5:adm_ref_display_height=2160", 8, 64, 64, &why),
                     0);
    assert_int_equal(checked("adm_norm_view_dist=2.99", 8, 64, 64, &why), -EINVAL);
    assert_non_null(strstr(why.text, "3240"));
}

/* -- records -- */

typedef struct Pair {
    VmafPicture ref, dist;
    FrameInput input;
} Pair;

static void make_pair(Pair *pair, const PictureFormat *format, Content content)
{
    pair->ref = harness_picture(format, content.ref, 0);
    pair->dist = harness_picture(format, content.dist, 0);
    pair->input = (FrameInput){.ref = &pair->ref, .dist = &pair->dist};
}

static void free_pair(Pair *pair)
{
    harness_picture_free(&pair->ref);
    harness_picture_free(&pair->dist);
}

static int ascending(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void test_records_of_any_bands_merge_to_that_of_the_frame(void **state)
{
    static const struct {
        unsigned w, h;
        const char *options;
    } cases[] = {
        {176, 144, ""}, {97, 131, "adm_skip_scale0=true"},   {17, 17, ""},
        {33, 200, ""},  {64, 49, "adm_enhn_gain_limit=1.3"}, {40, 18, "adm_skip_aim=true"},
    };
    unsigned random = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, 8, cases[i].w, cases[i].h);
        Pair pair;
        make_pair(&pair, &format, curves);
        harness_start(&harness, &adm_extractor, cases[i].options, &format);
        VmafRecordAdm whole = {0};
        harness_accumulate_bands(&harness, &pair.input, NULL, 0, &whole);
        assert_true(whole.num[3][0] != 0);

        for (int round = 0; round < 20; round++) {
            unsigned cuts[8];
            const unsigned n_cuts = 1 + (unsigned)round % 8;
            for (unsigned k = 0; k < n_cuts; k++) {
                random = random * 1664525u + 1013904223u;
                cuts[k] = (random >> 8) % (cases[i].h + 1);
            }
            qsort(cuts, n_cuts, sizeof(cuts[0]), ascending);
            VmafRecordAdm merged = {0};
            harness_accumulate_bands(&harness, &pair.input, cuts, n_cuts, &merged);
            assert_memory_equal(&merged, &whole, sizeof(whole));
        }
        harness_stop(&harness);
        free_pair(&pair);
    }
}

static void test_rows_one_by_one_merge_to_the_frame(void **state)
{
    enum { ROWS = 53 };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 45, ROWS);
    Pair pair;
    make_pair(&pair, &format, ramp);
    unsigned cuts[ROWS];
    for (unsigned y = 0; y < ROWS; y++)
        cuts[y] = y;
    harness_start(&harness, &adm_extractor, "", &format);
    VmafRecordAdm whole = {0}, merged = {0};
    harness_accumulate_bands(&harness, &pair.input, NULL, 0, &whole);
    harness_accumulate_bands(&harness, &pair.input, cuts, ROWS, &merged);
    assert_memory_equal(&merged, &whole, sizeof(whole));
    harness_stop(&harness);
    free_pair(&pair);
}

enum { N_VARIANTS = 5 };

static const char *const variant_options[N_VARIANTS] = {
    "",
    "adm_enhn_gain_limit=1",
    V1 ":adm_norm_view_dist=5",
    "adm_skip_scale0=true",
    "adm_skip_aim=true:adm_csf_mode=1:adm_csf_scale=0.001:adm_csf_diag_scale=0.0003",
};

/* Records of all variants but those in `without`, in one pass. */
static void accumulate_variants(const PictureFormat *format, const FrameInput *input,
                                unsigned n_variants, const char *const options[], unsigned without,
                                VmafRecordAdm records[])
{
    void *structs[N_VARIANTS];
    void *wanted[N_VARIANTS];
    for (unsigned i = 0; i < n_variants; i++) {
        structs[i] = harness_options(&adm_extractor, options[i]);
        assert_non_null(structs[i]);
        records[i] = (VmafRecordAdm){0};
        wanted[i] = without >> i & 1 ? NULL : &records[i];
    }
    void *plan, *scratch;
    assert_int_equal(extractor_plan_create(&adm_extractor, &plan, format,
                                           (const void *const *)structs, n_variants, 0),
                     0);
    assert_int_equal(extractor_scratch_create(&adm_extractor, &scratch, plan), 0);
    const RowBand all = {0, format->h[0]};
    assert_int_equal(adm_extractor.accumulate(plan, scratch, input, all, wanted), 0);
    extractor_scratch_destroy(&adm_extractor, scratch);
    extractor_plan_destroy(&adm_extractor, plan);
    for (unsigned i = 0; i < n_variants; i++)
        free(structs[i]);
}

static void test_variants_in_one_pass_equal_passes_of_their_own(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 120, 90);
    Pair pair;
    make_pair(&pair, &format, curves);
    VmafRecordAdm alone[N_VARIANTS];
    for (unsigned i = 0; i < N_VARIANTS; i++)
        accumulate_variants(&format, &pair.input, 1, &variant_options[i], 0, &alone[i]);
    assert_memory_not_equal(&alone[0], &alone[1], sizeof(alone[0]));

    static const VmafRecordAdm untouched;
    for (unsigned without = 0; without < 1 << N_VARIANTS; without++) {
        VmafRecordAdm together[N_VARIANTS];
        accumulate_variants(&format, &pair.input, N_VARIANTS, variant_options, without, together);
        for (unsigned i = 0; i < N_VARIANTS; i++)
            assert_memory_equal(&together[i], without >> i & 1 ? &untouched : &alone[i],
                                sizeof(together[i]));
    }
    free_pair(&pair);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_equal_known_values),
        cmocka_unit_test(test_debug_scores_equal_known_values),
        cmocka_unit_test(test_skipped_scale0_counts_as_almost_nothing),
        cmocka_unit_test(test_skipped_aim_is_zero),
        cmocka_unit_test(test_flat_pictures_score_one),
        cmocka_unit_test(test_flat_pictures_without_noise_floor),
        cmocka_unit_test(test_untabulated_viewing_condition_is_not_a_number),
        cmocka_unit_test(test_refuses_what_it_cannot_do_and_says_why),
        cmocka_unit_test(test_records_of_any_bands_merge_to_that_of_the_frame),
        cmocka_unit_test(test_rows_one_by_one_merge_to_the_frame),
        cmocka_unit_test(test_variants_in_one_pass_equal_passes_of_their_own),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
