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
