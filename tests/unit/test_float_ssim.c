/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ssim and float_ms_ssim. Known scores: libvmaf 3.2 reference values. */
#include <math.h>
#include <stdlib.h>

#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssim_pattern.h"

enum { SSIM, LUMINANCE, CONTRAST, STRUCTURE };
enum { MS_SSIM, MS_LUMINANCE, MS_CONTRAST = 6, MS_STRUCTURE = 11 };

static PictureFormat grey(unsigned bpc, unsigned w, unsigned h)
{
    return harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
}

CASE(given_equal_pictures_then_decibels_end_at_a_limit)
{
    static const struct {
        unsigned bpc;
        double limit;
    } known[] = {{8, 97}, {16, 145}};
    for (unsigned i = 0; i < 2; i++) {
        const PictureFormat format = grey(known[i].bpc, 179, 177);
        run_frame(&float_ssim_extractor, "enable_db=true:clip_db=true", &format, motion_pattern,
                  motion_pattern, 0);
        expect_score(SSIM, 0, known[i].limit);
        run_frame(&float_ssim_extractor, "enable_db=true", &format, motion_pattern, motion_pattern,
                  0);
        expect_score(SSIM, 0, (double)INFINITY);
        run_frame(&float_ms_ssim_extractor, "enable_db=true:clip_db=true", &format, motion_pattern,
                  motion_pattern, 0);
        expect_score(MS_SSIM, 0, 77.689616743278393);
    }
    const PictureFormat format = grey(8, 300, 200);
    run_frame(&float_ms_ssim_extractor, "", &format, motion_pattern, motion_pattern, 0);
    expect_score(MS_SSIM, 0, 0.99999998297691273);
}

CASE(given_a_negative_then_structure_is_negative)
{
    const PictureFormat format = grey(8, 179, 177);
    run_frame(&float_ssim_extractor, "", &format, motion_pattern, motion_pattern_negative, 0);
    expect_score(SSIM, 0, -0.41632181406021118);
    run_frame(&float_ms_ssim_extractor, "", &format, motion_pattern, motion_pattern_negative, 0);
    assert_true(isnan(harness_score(&harness, MS_SSIM, 0)));
    run_frame(&float_ms_ssim_extractor, "enable_db=true:clip_db=true", &format, motion_pattern,
              motion_pattern_negative, 0);
    expect_score(MS_SSIM, 0, 97);
    run_frame(&float_ms_ssim_extractor, "enable_db=true", &format, motion_pattern,
              motion_pattern_negative, 0);
    expect_score(MS_SSIM, 0, (double)INFINITY);
}

CASE(given_flat_pictures_then_scores_are_known)
{
    const PictureFormat format = grey(8, 300, 200);
    run_frame(&float_ssim_extractor, "", &format, sample_grey, sample_grey, 0);
    expect_score(SSIM, 0, 0.99999994039535522);
    run_frame(&float_ms_ssim_extractor, "", &format, sample_grey, sample_grey, 0);
    expect_score(MS_SSIM, 0, 0.99999999205470025);
}

CASE(given_a_size_then_the_automatic_scale_is_known)
{
    static const unsigned known[][3] = {
        {11, 11, 1},    {383, 400, 1},   {384, 384, 2},   {1000, 639, 2},   {640, 1000, 3},
        {1280, 720, 3}, {1920, 1080, 4}, {3840, 2160, 8}, {7680, 4320, 17},
    };
    const FloatSsimOptions automatic = {0}, explicit = {.scale = 7};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_int_equal(float_ssim_factor(&automatic, known[i][0], known[i][1]), known[i][2]);
        assert_int_equal(float_ssim_factor(&explicit, known[i][0], known[i][1]), 7);
    }
}

CASE(given_several_requests_then_each_gets_its_own_record)
{
    const PictureFormat format = grey(8, 401, 390);
    PicturePair pair;
    pair_make(&pair, &format, motion_pattern, ssim_pattern_dist, 0);
    expect_variants(&float_ssim_extractor, &format, &pair.input,
                    (const char *[]){"scale=3", "scale=1", "", "scale=2:enable_lcs=true"}, 4);
    expect_variants(&float_ssim_extractor, &format, &pair.input,
                    (const char *[]){"enable_lcs=true", "scale=4", "", "enable_lcs=true"}, 4);
    expect_variants(&float_ms_ssim_extractor, &format, &pair.input,
                    (const char *[]){"", "enable_lcs=true"}, 2);
    expect_variants(&float_ms_ssim_extractor, &format, &pair.input,
                    (const char *[]){"enable_lcs=true", ""}, 2);
    pair_free(&pair);
}

CASE(given_option_values_then_ranges_hold)
{
    static const OptionRange scale = {"scale", "0", "10", "-1", "11"};
    expect_ranges(&float_ssim_extractor, &scale, 1);
    free(harness_options(&float_ssim_extractor, "enable_lcs=true"));
    assert_null(harness_options(&float_ssim_extractor, "enable_db=1"));
}

CASE(given_unusable_formats_then_refused_with_the_limit)
{
    const FeatureExtractor *ssim = &float_ssim_extractor, *ms_ssim = &float_ms_ssim_extractor;
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 8, 11, 11, NULL);
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 8, 10, 11, "at least 11x11");
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 8, 11, 10, "at least 11x11");
    expect_format(ssim, "scale=10", VMAF_PIX_FMT_YUV400P, 8, 110, 110, NULL);
    expect_format(ssim, "scale=10", VMAF_PIX_FMT_YUV400P, 8, 101, 101,
                  NULL); /* odd sizes are rounded up */
    expect_format(ssim, "scale=10", VMAF_PIX_FMT_YUV400P, 8, 108, 110, "at least 11x11");
    expect_format(ssim, "scale=10", VMAF_PIX_FMT_YUV400P, 8, 110, 108, "reduction by 10");
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 9, 64, 64, "8, 10, 12 or 16 bits");
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 14, 64, 64, "8, 10, 12 or 16 bits");
    expect_format(ssim, "", VMAF_PIX_FMT_YUV400P, 16, 64, 64, NULL);
    expect_format(ms_ssim, "", VMAF_PIX_FMT_YUV400P, 8, 176, 176, NULL);
    expect_format(ms_ssim, "", VMAF_PIX_FMT_YUV400P, 8, 175, 176, "at least 176x176");
    expect_format(ms_ssim, "", VMAF_PIX_FMT_YUV400P, 8, 176, 175, "at least 176x176");
    expect_format(ms_ssim, "", VMAF_PIX_FMT_YUV400P, 9, 176, 176, "8, 10, 12 or 16 bits");
    const PictureFormat smallest = grey(8, 176, 176);
    run_frame(ms_ssim, "", &smallest, motion_pattern, ssim_pattern_dist, 0);
    assert_true(harness_score(&harness, MS_SSIM, 0) > 0.99);
}

CASE(given_means_of_ssim_then_each_is_bounded)
{
    const FloatSsimOptions index = {0}, all = {.enable_lcs = true};
    /* 10-bit samples are stored in 16 bits. */
    const float range = 65535.0f / 4, structure = 2 + range * range / 14;
    VmafRecordFloatSsim record = {.index = -structure};
    assert_true(record_within("float_ssim", &record, &index));
    assert_true(record_within("float_ssim", &record, &all));
    record.luminance = -1.001f;
    record.contrast = 1.001f;
    record.structure = structure;
    assert_true(record_within("float_ssim", &record, &all));
    assert_false(record_within("float_ssim", &record, &index));

    const float usual[4] = {1, 1, 1, 1},
                too_much[4] = {structure * 1.001f, 1.01f, 1.01f, structure * 1.001f};
    const float too_little[4] = {structure * -1.001f, -1.01f, -0.001f, structure * -1.001f};
    for (unsigned i = 0; i < 4; i++) {
        const float wrong[] = {too_much[i], too_little[i], NAN, INFINITY};
        for (unsigned k = 0; k < 4; k++) {
            float means[4];
            memcpy(means, usual, sizeof(means));
            assert_true(record_within("float_ssim", means, &all));
            means[i] = wrong[k];
            assert_false(record_within("float_ssim", means, &all));
        }
    }
    const VmafRecordFloatSsim of_contrast = {.index = 1, .contrast = 1},
                              of_structure = {.structure = 1};
    assert_false(record_within("float_ssim", &of_contrast, &index));
    assert_false(record_within("float_ssim", &of_structure, &index));
}

CASE(given_means_of_scales_then_each_is_bounded)
{
    const FloatMsSsimOptions plain = {0}, all = {.enable_lcs = true};
    VmafRecordFloatMsSsim record = {.luminance = {[4] = 1}};
    assert_true(record_within("float_ms_ssim", &record, &plain));
    record.luminance[3] = 1;
    assert_false(record_within("float_ms_ssim", &record, &plain));
    assert_true(record_within("float_ms_ssim", &record, &all));
    record.luminance[4] = 1.01f;
    assert_false(record_within("float_ms_ssim", &record, &all));
    record.luminance[4] = 1;
    record.contrast[0] = -0.01f;
    assert_false(record_within("float_ms_ssim", &record, &all));
    record.contrast[0] = 0;
    const float range = 65535.0f / 4 * 16;
    record.structure[4] = range * range / 14;
    assert_true(record_within("float_ms_ssim", &record, &all));
    record.structure[4] = NAN;
    assert_false(record_within("float_ms_ssim", &record, &all));
    record.structure[4] = 0;
    record.structure[3] = range * range / 14;
    assert_false(record_within("float_ms_ssim", &record, &all));
}
