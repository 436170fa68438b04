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

typedef struct Known {
    unsigned bpc, w, h, frame;
    const char *options;
    double score;
} Known;

static void expect_known(const FeatureExtractor *extractor, const Known *known, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const PictureFormat format = grey(known[i].bpc, known[i].w, known[i].h);
        run_frame(extractor, known[i].options, &format, motion_pattern, ssim_pattern_dist,
                  known[i].frame);
        expect_score(0, 0, known[i].score);
    }
}

CASE(given_the_pattern_then_float_ssim_is_known)
{
    static const Known known[] = {
        {8, 179, 177, 0, "", 0.93727904558181763},
        {8, 179, 177, 1, "", 0.9375118613243103},
        {10, 179, 177, 0, "", 0.93688541650772095},
        {16, 179, 177, 0, "", 0.93684035539627075},
        {8, 384, 390, 0, "", 0.98863846063613892},
        {8, 384, 390, 0, "scale=1", 0.93732744455337524},
        {8, 179, 177, 0, "scale=3", 0.99693995714187622},
        {8, 179, 177, 1, "scale=3", 0.99688732624053955},
        {8, 11, 11, 0, "", 0.95391952991485596},
        {8, 179, 177, 0, "enable_db=true", 12.025873416597735},
        {8, 179, 177, 1, "enable_db=true", 12.042024114010212},
        {10, 179, 177, 0, "enable_db=true", 11.998702794493255},
        {16, 179, 177, 0, "enable_db=true:clip_db=true", 11.995603224109495},
        {8, 384, 390, 0, "enable_db=true", 19.445628225036323},
        {8, 179, 177, 0, "clip_db=true", 0.93727904558181763},
    };
    expect_known(&float_ssim_extractor, known, sizeof(known) / sizeof(known[0]));
}

CASE(given_the_pattern_then_float_ms_ssim_is_known)
{
    static const Known known[] = {
        {8, 179, 177, 0, "", 0.99339327860478399},
        {8, 179, 177, 1, "", 0.99343904252849469},
        {10, 179, 177, 0, "", 0.99335455879923995},
        {16, 179, 177, 0, "", 0.99336532707984038},
        {8, 384, 390, 0, "", 0.99340529950056788},
        {8, 179, 177, 0, "enable_db=true", 21.800140069606378},
        {8, 179, 177, 1, "enable_db=true:enable_lcs=true", 21.830327773547911},
        {10, 179, 177, 0, "enable_db=true", 21.774761803051938},
        {16, 179, 177, 0, "enable_db=true:clip_db=true", 21.781804823656596},
        {8, 384, 390, 0, "enable_db=true", 21.808049233014724},
    };
    expect_known(&float_ms_ssim_extractor, known, sizeof(known) / sizeof(known[0]));
}

CASE(given_enable_lcs_then_the_means_are_known)
{
    static const struct {
        unsigned bpc, w, h;
        double means[3], luminance4, contrast[5], structure[5];
    } known[] = {
        /* clang-format off */
        {8, 179, 177, {0.99937719106674194, 0.99635016918182373, 0.94130402803421021},
         0.99989783763885498,
         {0.99635016918182373, 0.99969857931137085, 0.99997693300247192, 0.99999827146530151,
          0.99999994039535522},
         {0.94130402803421021, 0.98840945959091187, 0.99900466203689575, 0.99992376565933228,
          0.99998944997787476}},
        {10, 179, 177, {0.99917125701904297, 0.99635100364685059, 0.94110119342803955},
         0.99985599517822266,
         {0.99635100364685059, 0.9996986985206604, 0.9999769926071167, 0.99999821186065674,
          0.99999988079071045},
         {0.94110119342803955, 0.9883306622505188, 0.99900150299072266, 0.9999234676361084,
          0.99998927116394043}},
        {16, 179, 177, {0.9990919828414917, 0.99635112285614014, 0.94113051891326904},
         0.99983924627304077,
         {0.99635112285614014, 0.99969667196273804, 0.9999765157699585, 0.99999821186065674,
          0.99999994039535522},
         {0.94113051891326904, 0.98837524652481079, 0.9989999532699585, 0.9999234676361084,
          0.99998903274536133}},
        {8, 384, 390, {0.99953669309616089, 0.99970042705535889, 0.9893917441368103},
         0.99987196922302246,
         {0.99630850553512573, 0.99969273805618286, 0.99997889995574951, 0.99999827146530151,
          0.99999958276748657},
         {0.94142144918441772, 0.98843008279800415, 0.99902939796447754, 0.99992191791534424,
          0.99998950958251953}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const PictureFormat format = grey(known[i].bpc, known[i].w, known[i].h);
        run_frame(&float_ssim_extractor, "enable_lcs=true:enable_db=true", &format, motion_pattern,
                  ssim_pattern_dist, 0);
        for (unsigned k = 0; k < 3; k++)
            expect_score(LUMINANCE + k, 0, known[i].means[k]);
        run_frame(&float_ms_ssim_extractor, "enable_lcs=true", &format, motion_pattern,
                  ssim_pattern_dist, 0);
        expect_score(MS_LUMINANCE + 4, 0, known[i].luminance4);
        for (unsigned s = 0; s < 5; s++) {
            expect_score(MS_CONTRAST + s, 0, known[i].contrast[s]);
            expect_score(MS_STRUCTURE + s, 0, known[i].structure[s]);
            assert_true(harness_score(&harness, MS_LUMINANCE + s, 0) > 0.99);
        }
    }
    const PictureFormat format = grey(8, 179, 177);
    run_frame(&float_ssim_extractor, "", &format, motion_pattern, ssim_pattern_dist, 0);
    assert_null(harness_find(&harness, LUMINANCE, 0));
    run_frame(&float_ms_ssim_extractor, "", &format, motion_pattern, ssim_pattern_dist, 0);
    assert_null(harness_find(&harness, MS_LUMINANCE, 0));
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
