/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * ssimulacra2. libvmaf 3.2 does not have it: known scores are those of the plain C code of a later
 * fork of libvmaf.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssimulacra2_pattern.h"

static double score_of(const PictureFormat *format, const char *options, unsigned frame,
                       HarnessSample ref_of, HarnessSample dist_of)
{
    run_frame(&ssimulacra2_extractor, options, format, ref_of, dist_of, frame);
    return harness_score(&harness, 0, 0);
}

CASE(given_the_pattern_then_scores_are_known)
{
    enum { FORMAT_420 = VMAF_PIX_FMT_YUV420P, FORMAT_422, FORMAT_444 };
    enum { DOWN, UP }; /* rounding of chroma sizes */
    static const struct {
        unsigned w, h;
        int pix_fmt;
        unsigned bpc, frame;
        int rounding;
        const char *options;
        double known;
    } cases[] = {
        {64, 48, FORMAT_420, 8, 0, DOWN, "", 38.018550882593132},
        {64, 48, FORMAT_420, 8, 1, DOWN, "", 37.123981279940679},
        {64, 48, FORMAT_420, 8, 0, DOWN, "yuv_matrix=1", 38.345511375988593},
        {64, 48, FORMAT_420, 8, 0, DOWN, "yuv_matrix=2", 38.825688201847051},
        {64, 48, FORMAT_420, 8, 0, DOWN, "yuv_matrix=3", 39.69740079852528},
        {64, 48, FORMAT_420, 10, 1, DOWN, "", 37.162584623713705},
        {64, 48, FORMAT_422, 10, 0, DOWN, "yuv_matrix=1", 38.354340380393921},
        {64, 48, FORMAT_422, 12, 1, DOWN, "", 44.004705162774719},
        {64, 48, FORMAT_444, 16, 1, DOWN, "", 39.154914015858246},
        {65, 49, FORMAT_420, 8, 0, DOWN, "", 34.185109409072993},
        {65, 49, FORMAT_420, 8, 0, UP, "", 33.165254081547317},
        {65, 49, FORMAT_420, 8, 0, UP, "yuv_matrix=1", 34.224795263961624},
        {65, 49, FORMAT_420, 8, 0, UP, "yuv_matrix=2", 34.078489739897961},
        {65, 49, FORMAT_420, 8, 0, UP, "yuv_matrix=3", 35.623078013371682},
        {37, 71, FORMAT_422, 10, 0, DOWN, "", 37.156002793359264},
        {37, 71, FORMAT_422, 10, 0, UP, "", 36.307253050901394},
        {37, 71, FORMAT_422, 16, 0, UP, "", 36.269709672483842},
        {256, 256, FORMAT_420, 12, 0, DOWN, "", 8.1105638907407354},
        {300, 260, FORMAT_444, 8, 0, DOWN, "", 11.061566183381643},
        {300, 260, FORMAT_420, 10, 0, DOWN, "", 7.0978293903601468},
        {8, 8, FORMAT_444, 8, 0, DOWN, "", 92.455147052888805},
        {9, 15, FORMAT_420, 10, 0, DOWN, "", 92.415430836039576},
        {9, 15, FORMAT_420, 10, 0, UP, "", 92.033597795749216},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        PictureFormat format =
            harness_format(cases[i].pix_fmt, cases[i].bpc, cases[i].w, cases[i].h);
        if (cases[i].rounding == UP)
            format = ssimulacra2_rounded_up(format);
        run_frame(&ssimulacra2_extractor, cases[i].options, &format, ssimulacra2_pattern_ref,
                  ssimulacra2_pattern_dist, cases[i].frame);
        expect_score(0, 0, cases[i].known);
    }
}

static unsigned black(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return plane ? 1u << (bpc - 1) : 0;
}

static unsigned beyond_the_depth(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                 unsigned bpc)
{
    return 65535 - x * 7 - y * 5 - plane;
}

CASE(given_equal_pictures_then_100)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 65, 49);
    assert_true(score_of(&format, "", 0, ssimulacra2_pattern_ref, ssimulacra2_pattern_ref) == 100);
    assert_true(score_of(&format, "yuv_matrix=3", 0, black, black) == 100);
}

/* No scale is large enough. */
CASE(given_pictures_below_8x8_then_100)
{
    static const unsigned sizes[][2] = {{7, 48}, {48, 7}, {1, 1}, {2, 2}, {1, 100}};
    for (int i = 0; i < 5; i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV420P, 8, sizes[i][0], sizes[i][1]);
        const double score =
            score_of(&format, "", 0, ssimulacra2_pattern_ref, ssimulacra2_pattern_dist);
        assert_true(score == 100);
    }
}

CASE(given_strong_distortion_then_negative_but_finite)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV444P, 10, 96, 80);
    const double score = score_of(&format, "", 0, ssimulacra2_pattern_ref, black);
    assert_true(score < 0 && isfinite(score));
    assert_true(isfinite(score_of(&format, "", 0, beyond_the_depth, ssimulacra2_pattern_ref)));
}

CASE(given_several_variants_then_each_is_as_alone)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 10, 65, 49);
    PicturePair pair;
    pair_make(&pair, &format, ssimulacra2_pattern_ref, ssimulacra2_pattern_dist, 0);
    expect_variants(&ssimulacra2_extractor, &format, &pair.input,
                    (const char *[]){"yuv_matrix=3", "", "yuv_matrix=1", "yuv_matrix=2"}, 4);
    pair_free(&pair);
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

/* Correctly rounded samples of the sRGB transfer function, computed with 60 digits. */
CASE(given_a_plan_then_transfer_function_is_exact)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    const Ssimulacra2Options options = {0};
    const void *variants[] = {&options};
    void *opaque;
    assert_int_equal(ssimulacra2_plan_create(&opaque, &format, variants, 1, 0), 0);
    const Ssimulacra2Params *params = opaque;
    uint64_t sum = 0, hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    uint32_t parity = 0;
    for (int i = 0; i < SSIMULACRA2_TRANSFER_SIZE; i++) {
        const uint32_t bits = bits_of(params->transfer[i].value);
        sum += bits;
        parity ^= bits;
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (bits >> 8 * byte & 255)) * UINT64_C(0x100000001b3);
    }
    assert_true(sum == UINT64_C(0xf7cffde8c5));
    assert_true(parity == 0x3ccd3f41);
    assert_true(hash == UINT64_C(0xd11dd8a472976e4c));
    assert_true(bits_of(params->transfer[1].value) == 0x389eab3c);
    assert_true(bits_of(params->transfer[512].value) == 0x3e5ba444);
    assert_true(bits_of(params->transfer[1022].value) == 0x3f7f6e5c);
    ssimulacra2_plan_destroy(opaque);
}

CASE(given_a_matrix_then_conversion_is_known)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    const Ssimulacra2Options options[4] = {{0}, {1}, {2}, {3}};
    const void *variants[4] = {&options[0], &options[1], &options[2], &options[3]};
    void *opaque;
    assert_int_equal(ssimulacra2_plan_create(&opaque, &format, variants, 4, 0), 0);
    const Ssimulacra2Params *params = opaque;
    for (int i = 0; i < 4; i++) {
        const Ssimulacra2Conversion *c = &params->variants[i];
        const bool is_601 = i % 2, is_full = i >= 2;
        assert_true(c->r_of_v == (is_601 ? 0x1.66e978p+0f : 0x1.932618p+0f));
        assert_true(c->b_of_u == (is_601 ? 0x1.c5a1cap+0f : 0x1.db089ap+0f));
        assert_true(c->g_of_u == (is_601 ? -0x1.606542p-2f : -0x1.7fa3dcp-3f));
        assert_true(c->g_of_v == (is_601 ? -0x1.6da344p-1f : -0x1.df5bf8p-2f));
        assert_true(c->luma_scale == (is_full ? 1 : 0x1.2a150ap+0f));
        assert_true(c->chroma_scale == (is_full ? 1 : 0x1.236db6p+0f));
        assert_true(c->luma_offset == (is_full ? 0 : 0x1.010102p-4f));
    }
    ssimulacra2_plan_destroy(opaque);
}

CASE(given_option_values_then_ranges_hold)
{
    static const OptionRange matrix = {"yuv_matrix", "0", "3", "-1", "4"};
    expect_ranges(&ssimulacra2_extractor, &matrix, 1);
    assert_null(harness_options(&ssimulacra2_extractor, "yuv_matrix=bt709"));
}

CASE(given_formats_then_only_those_without_chroma_are_refused)
{
    const FeatureExtractor *ssimulacra2 = &ssimulacra2_extractor;
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        expect_format(ssimulacra2, "", VMAF_PIX_FMT_YUV420P, bpc, 8, 8, NULL);
        expect_format(ssimulacra2, "", VMAF_PIX_FMT_YUV422P, bpc, 8, 8, NULL);
        expect_format(ssimulacra2, "", VMAF_PIX_FMT_YUV444P, bpc, 8, 8, NULL);
    }
    expect_format(ssimulacra2, "", VMAF_PIX_FMT_YUV400P, 8, 64, 48, "4:0:0");
}

CASE(given_sums_that_are_not_finite_then_the_frame_fails)
{
    static VmafRecordSsimulacra2 record;
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    const FinishInput input = {.format = &format, .record = &record};
    record.sum[SSIMULACRA2_Y][0][SSIMULACRA2_SSIM4] = NAN;
    assert_int_equal(ssimulacra2_extractor.finish(&input, NULL), -EINVAL);
    record.sum[SSIMULACRA2_Y][0][SSIMULACRA2_SSIM4] = INFINITY;
    assert_int_equal(ssimulacra2_extractor.finish(&input, NULL), -EINVAL);
}

/* However small a difference is, it shows. */
CASE(given_tiny_errors_then_the_score_is_below_100)
{
    assert_true(ssimulacra2_score(0) == 100);
    double previous = 100;
    for (double norms = 1e-12; norms < 1; norms *= 10) {
        const double score = ssimulacra2_score(norms);
        assert_true(score < previous);
        previous = score;
    }
}

static bool is_possible_ssimulacra2(unsigned c, unsigned s, unsigned k, double sum)
{
    static VmafRecordSsimulacra2 record;
    PictureFormat pictures; /* scales of 20x37, 10x19 and no more */
    assert_int_equal(picture_format_init(&pictures, VMAF_PIX_FMT_YUV420P, 8, 20, 37), 0);
    memset(&record, 0, sizeof(record));
    record.sum[c][s][k] = sum;
    return record_of("ssimulacra2")->is_possible(&record, NULL, &pictures);
}

CASE(given_ssimulacra2_then_sums_are_bounded_by_the_pixels_of_scales_with_weight)
{
    static const double most[SSIMULACRA2_NORMS] = {0, 4, 1, 0, 256, 1}; /* 0: finite */
    static const double pixels[SSIMULACRA2_SCALES] = {20 * 37, 10 * 19};
    unsigned n_accepted = 0;
    for (unsigned i = 0; i < SSIMULACRA2_COMPONENTS * SSIMULACRA2_SCALES * SSIMULACRA2_NORMS; i++) {
        const unsigned c = i / (SSIMULACRA2_SCALES * SSIMULACRA2_NORMS);
        const unsigned s = i / SSIMULACRA2_NORMS % SSIMULACRA2_SCALES, k = i % SSIMULACRA2_NORMS;
        assert_true(is_possible_ssimulacra2(c, s, k, 0));
        assert_false(is_possible_ssimulacra2(c, s, k, -1e-300));
        assert_false(is_possible_ssimulacra2(c, s, k, NAN));
        assert_false(is_possible_ssimulacra2(c, s, k, INFINITY));
        const bool is_summed = s < 2 && ssimulacra2_has_weight(c, s, k);
        assert_int_equal(is_possible_ssimulacra2(c, s, k, 1e-300), is_summed);
        if (!is_summed)
            continue;
        n_accepted++;
        if (most[k] > 0) {
            assert_true(is_possible_ssimulacra2(c, s, k, most[k] * pixels[s]));
            assert_false(is_possible_ssimulacra2(c, s, k, most[k] * (pixels[s] + 1)));
        } else {
            assert_true(is_possible_ssimulacra2(c, s, k, 1e300));
        }
    }
    assert_int_equal(n_accepted, 5 + 10);
}
