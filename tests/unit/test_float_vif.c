/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_vif. Known scores: libvmaf 3.2 reference values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/float_vif/float_vif.h"
#include "metrics/float_vif/float_vif_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/tile_pattern.h"

enum { TOTAL = 4, TOTAL_NUM, TOTAL_DEN, NUM0, DEN0 };

static void run(const char *options, unsigned bpc, unsigned w, unsigned h)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    run_frame(&float_vif_extractor, options, &format, tile_pattern_ref, tile_pattern_dist, 0);
}

CASE(given_the_pattern_then_scores_are_known)
{
    static const struct {
        unsigned bpc, w, h;
        const char *options;
        double known[FLOAT_VIF_SCALES];
    } cases[] = {
        /* clang-format off */
        {8, 131, 97, "",
         {0.21455874185155954, 0.26806495388441604, 0.27924028571177473, 0.26718813459467011}},
        {10, 176, 144, "",
         {0.27073460715738351, 0.33207247807983092, 0.32230688359832727, 0.28661538534508701}},
        {12, 131, 97, "",
         {0.21366725972752978, 0.26798995453979091, 0.27913331554633491, 0.26711752791507748}},
        {16, 133, 75, "",
         {0.21288983328741978, 0.26316575783922663, 0.26793504571728072, 0.26826342985131418}},
        {8, 16, 16, "",
         {0.9999847412109375, 0.99999958276748657, 0.99999988079071045, 0.99999994039535522}},
        {8, 131, 97, "vif_enhn_gain_limit=1",
         {0.19514630652752199, 0.24560593650956092, 0.26067202758375446, 0.25502326651238982}},
        {8, 131, 97, "vif_kernelscale=0.5",
         {0.37006701496418026, 0.38588985293765837, 0.36130061706923122, 0.25530311331298128}},
        {8, 131, 97, "vif_kernelscale=1.5",
         {0.12887603707059275, 0.19422743814354618, 0.20063779992568881, 0.21570132753630547}},
        {8, 131, 97, "vif_kernelscale=2.4",
         {0.080406035678350779, 0.16346815922549157, 0.18731630278205383, 0.19660712804255479}},
        {8, 131, 97, "vif_prescale=0.5",
         {0.11451455055656648, 0.17131145566257491, 0.20187378714637808, 0.23896891032104234}},
        {8, 131, 97, "vif_sigma_nsq=0.5",
         {0.18225860515387635, 0.22275333815543624, 0.22889591827149744, 0.22214323593832044}},
        {8, 131, 97, "vif_sigma_nsq=0",
         {0.01551241854806283, 0.014279508590698242, 0.013846912731726965, 0.013869499166806539}},
        {8, 131, 97, "vif_prescale=0.5:vif_prescale_method=bilinear",
         {0.10598461646365698, 0.16556094730732313, 0.19087709613897172, 0.21990790705873511}},
        {8, 131, 97, "vif_prescale=1.5:vif_prescale_method=bicubic",
         {0.31963774251800975, 0.34407581427778078, 0.34032373583658554, 0.33329813090706434}},
        {8, 131, 97, "vif_prescale=0.75:vif_prescale_method=lanczos4",
         {0.15574070099027987, 0.22719175303701217, 0.23503870556803391, 0.24193181182596743}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run(cases[i].options, cases[i].bpc, cases[i].w, cases[i].h);
        for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++)
            expect_score(s, 0, cases[i].known[s]);
    }
}

CASE(given_no_energy_then_the_total_is_one)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 64, 64);
    const VmafRecordFloatVif nothing = {.num = {0}, .den = {0}};
    harness_start(&harness, &float_vif_extractor, "debug=true", &format);
    harness_record(&harness, &nothing, 0);
    harness_stop(&harness);
    expect_score(TOTAL, 0, 1);
    expect_score(TOTAL_NUM, 0, 0);
    expect_score(TOTAL_DEN, 0, 0);
}

CASE(given_debug_then_sums_are_known)
{
    run("debug=true", 8, 131, 97);
    static const double known[] = {
        0.22471149009214358, 27563.342559814453, 122661.02880859375, 21503.4375,
        100221.6796875,      4635.15771484375,   17291.173828125,    1140.3016357421875,
        4083.585693359375,   284.44570922851562, 1064.589599609375,
    };
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        expect_score(TOTAL + i, 0, known[i]);

    run("debug=true:vif_skip_scale0=true", 8, 131, 97);
    expect_score(0, 0, 0);
    expect_score(1, 0, 0.26806495388441604);
    expect_score(NUM0, 0, 0);
    expect_score(DEN0, 0, -1);
    expect_score(TOTAL_NUM, 0, 4635.15771484375 + 1140.3016357421875 + 284.44570922851562);
}

CASE(given_lower_limits_then_scores_do_not_fall_below)
{
    run("vif_scale1_min_val=0.3:vif_scale2_min_val=0.25:vif_scale3_min_val=1", 8, 131, 97);
    expect_score(0, 0, 0.21455874185155954);
    expect_score(1, 0, 0.3);
    expect_score(2, 0, 0.27924028571177473);
    expect_score(3, 0, 1);
}

/* Requests that look at one pyramid are computed in one pass; others beside them. */
CASE(given_several_variants_then_each_has_the_record_of_its_own)
{
    static const char *const texts[] = {
        "",
        "vif_enhn_gain_limit=1",
        "vif_skip_scale0=true",
        "vif_kernelscale=0.5:vif_sigma_nsq=1",
        "vif_prescale=0.5",
    };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 131, 97);
    PicturePair pair;
    pair_make(&pair, &format, tile_pattern_ref, tile_pattern_dist, 0);
    expect_variants(&float_vif_extractor, &format, &pair.input, texts,
                    sizeof(texts) / sizeof(texts[0]));
    pair_free(&pair);
}

CASE(given_the_default_window_then_taps_are_known)
{
    static const float known[FLOAT_VIF_SCALES][9] = {
        {0x1.e67f64p-4f, 0x1.d1e766p-4f, 0x1.99350cp-4f, 0x1.49a042p-4f, 0x1.e7092ap-5f,
         0x1.49fd9ep-5f, 0x1.9a1cf6p-6f, 0x1.d373b2p-7f, 0x1.e8a77p-8f},
        {0x1.cb1b82p-3f, 0x1.897426p-3f, 0x1.ef4ac4p-4f, 0x1.c9eaf6p-5f, 0x1.36efd8p-6f},
        {0x1.9c4866p-2f, 0x1.f41fd4p-3f, 0x1.be5f0cp-5f},
        {0x1.55a0dep-1f, 0x1.54be42p-3f},
    };
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        const FloatVifWindow window = float_vif_window(1, s);
        assert_int_equal(window.radius, 8 >> s);
        for (int k = 0; k <= window.radius; k++) {
            assert_true(window.taps[window.radius + k] == known[s][k]);
            assert_true(window.taps[window.radius - k] == known[s][k]);
        }
    }
}

CASE(given_factors_of_the_list_then_window_sizes_are_known)
{
    static const struct {
        double kernelscale;
        int size[FLOAT_VIF_SCALES];
    } cases[] = {
        {1, {17, 9, 5, 3}},
        {0.5, {9, 5, 3, 3}},
        {1.5, {27, 15, 9, 5}},
        {2, {35, 19, 11, 7}},
        {2.0 / 3, {13, 7, 5, 3}},
        {2.4, {41, 23, 13, 9}},
        {360.0 / 97, {65, 35, 19, 13}},
        {4.0 / 3, {23, 13, 7, 5}},
        {3.5 / 3, {21, 11, 7, 5}},
        {1.25, {23, 13, 7, 5}},
        {4.25 / 3, {25, 13, 9, 5}},
        {5.0 / 3, {29, 15, 9, 5}},
        {3, {51, 27, 15, 9}},
        {1 / 2.25, {9, 5, 3, 3}},
        {1.4746, {27, 15, 9, 5}},
        {1.54, {27, 15, 9, 5}},
        {1.6, {29, 15, 9, 5}},
        {1.06667, {19, 11, 7, 5}},
        {0.711111, {13, 7, 5, 3}},
        {0.74074, {13, 7, 5, 3}},
        {1.11111, {19, 11, 7, 5}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int s = 0; s < FLOAT_VIF_SCALES; s++)
            assert_int_equal(2 * float_vif_window(cases[i].kernelscale, s).radius + 1,
                             cases[i].size[s]);
    }
}

CASE(given_option_values_then_ranges_hold)
{
    static const OptionRange ranges[] = {
        {"vif_enhn_gain_limit", "1", "100", "0.99", "100.1"},
        {"vif_prescale", "0.1", "4", "0.09", "4.1"},
        {"vif_sigma_nsq", "0", "5", "-1", "5.1"},
        {"vif_scale1_min_val", "0", "1", "-0.1", "1.1"},
        {"vif_scale2_min_val", "0", "1", "-0.1", "1.1"},
        {"vif_scale3_min_val", "0", "1", "-0.1", "1.1"},
        {"vif_kernelscale", "0.1", "4", "0.09", "4.1"},
    };
    expect_ranges(&float_vif_extractor, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static void expect_options(const char *text, const char *rejection)
{
    FloatVifOptions *options = harness_options(&float_vif_extractor, text);
    assert_non_null(options);
    Reason why = {""};
    assert_int_equal(float_vif_extractor.check_options(options, &why) != 0, rejection != NULL);
    if (rejection)
        assert_non_null(strstr(why.text, rejection));
    free(options);
}

CASE(given_unusable_requests_then_refused_with_the_reason)
{
    const FeatureExtractor *vif = &float_vif_extractor;
    const enum VmafPixelFormat colour = VMAF_PIX_FMT_YUV420P;
    expect_options("vif_kernelscale=3.3", "vif_kernelscale");
    expect_options("vif_kernelscale=1.5:vif_prescale_method=lanczos4", NULL);
    expect_options("vif_prescale_method=lanczos", "vif_prescale_method");
    expect_format(vif, "", colour, 8, 16, 16, NULL);
    expect_format(vif, "", colour, 8, 16, 15, "16x16");
    expect_format(vif, "vif_prescale=0.9", colour, 8, 16, 16, "16");
    expect_format(vif, "vif_kernelscale=2", colour, 8, 16, 16, "32x32");
    expect_format(vif, "", colour, 9, 64, 64, "8, 10, 12 or 16 bits");
    expect_format(vif, "vif_prescale_method=bilinear", colour, 8, 7700, 64, "7680");
    expect_format(vif, "vif_prescale_method=bicubic", colour, 8, 7700, 64, NULL);
}

CASE(given_float_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale)
{
    const FloatVifOptions plain = {.vif_prescale = 1}, twice = {.vif_prescale = 2};
    const FloatVifOptions skip = {.vif_prescale = 1, .vif_skip_scale0 = true};
    VmafRecordFloatVif record = {.num = {-1048576.0f * 54}, .den = {256.0f * 54}};
    assert_true(record_within("float_vif", &record, &plain));
    assert_true(record_within("float_vif", &record, &twice));
    assert_false(record_within("float_vif", &record, &skip));
    record = (VmafRecordFloatVif){.num = {0, 256.0f * 4 * 3}};
    assert_true(record_within("float_vif", &record, &plain));
    assert_true(record_within("float_vif", &record, &skip));
    record.num[1] *= 2;
    assert_false(record_within("float_vif", &record, &plain));
    assert_true(record_within("float_vif", &record, &twice));
    record = (VmafRecordFloatVif){.den = {[1] = NAN}};
    assert_false(record_within("float_vif", &record, &plain));
    record = (VmafRecordFloatVif){.num = {[2] = NAN}};
    assert_false(record_within("float_vif", &record, &plain));
    record = (VmafRecordFloatVif){.den = {-1}};
    assert_false(record_within("float_vif", &record, &plain));
    record = (VmafRecordFloatVif){.den = {257.0f * 54}};
    assert_false(record_within("float_vif", &record, &plain));
    record = (VmafRecordFloatVif){.num = {[3] = 1}}; /* no pixels */
    assert_false(record_within("float_vif", &record, &plain));
}
