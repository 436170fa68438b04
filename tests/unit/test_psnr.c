/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PSNR from pixels to scores. Known scores: libvmaf 3.2 reference values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/psnr/psnr.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/tile_pattern.h"

enum { PSNR_Y, MSE_Y, PSNR_CB, MSE_CB, PSNR_CR, MSE_CR, N_OUTPUTS };

static void run(const char *options, const PictureFormat *format, HarnessSample ref_of,
                HarnessSample dist_of, unsigned n_frames)
{
    run_frames(&psnr_extractor, options, format, ref_of, dist_of, n_frames, NULL);
}

static void expect_aggregate(const char *name, double expected)
{
    expect_bits(harness_aggregate(&harness, name), expected, name);
}

CASE(sequence_psnr_covers_all_frames)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 131, 97);
    run("enable_apsnr=true", &format, tile_pattern_ref, tile_pattern_dist, 2);
    expect_score(PSNR_Y, 0, 14.258616101880577);
    expect_score(PSNR_Y, 1, 13.591818229658445);
    expect_aggregate("apsnr_y", 13.912432540585433);
    expect_aggregate("apsnr_cb", 14.051834666340905);
    expect_aggregate("apsnr_cr", 17.160233250913794);
    assert_null(harness_find(&harness, MSE_Y, 0));
}

CASE(without_options_there_is_no_mse_and_no_aggregate)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    run("", &format, tile_pattern_ref, tile_pattern_dist, 2);
    assert_int_equal(harness.n_scores, 2 * PSNR_PLANES);
    assert_int_equal(harness.n_aggregates, 0);
}

CASE(reduced_peak_is_255_at_the_bit_depth)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 10, 176, 144);
    run("reduced_hbd_peak=true:min_sse=0.5", &format, tile_pattern_ref, tile_pattern_dist, 1);
    expect_score(PSNR_Y, 0, 14.927530843924082);
    expect_score(PSNR_CB, 0, 15.694644697810824);
    expect_score(PSNR_CR, 0, 16.921725685268193);
}

CASE(equal_pictures_get_the_maximum)
{
    static const struct {
        unsigned bpc;
        double max;
    } maxima[] = {{8, 60}, {10, 72}, {12, 84}, {16, 108}};
    for (unsigned i = 0; i < 4; i++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, maxima[i].bpc, 64, 48);
        run("", &format, tile_pattern_ref, tile_pattern_ref, 1);
        expect_score(PSNR_Y, 0, maxima[i].max);
        expect_score(PSNR_CR, 0, maxima[i].max);
    }
}

CASE(min_sse_moves_the_maximum)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("min_sse=0.5:enable_apsnr=true", &format, tile_pattern_ref, tile_pattern_ref, 1);
    expect_score(PSNR_Y, 0, 87);
    expect_score(PSNR_CB, 0, 80);
    expect_score(PSNR_CR, 0, 80);
    expect_aggregate("apsnr_y", 87);
    /* A maximum so high that it does not matter: then the error counts as 1e-16 at least. */
    run("min_sse=1e-30", &format, tile_pattern_ref, tile_pattern_ref, 1);
    expect_score(0, 0, 10 * math_log10(255.0 * 255.0 / 1e-16));
    run("min_sse=1e300", &format, tile_pattern_ref, tile_pattern_ref, 1);
    expect_score(PSNR_Y, 0, -2916);
    expect_score(PSNR_CB, 0, -2923);
    expect_score(PSNR_CR, 0, -2923);
}

CASE(options_out_of_range_are_refused)
{
    static const char *const rejected[] = {"min_sse=-1", "enable_chroma=0", "enable_mse=yes",
                                           "enable_apsnr=1", "reduced_hbd_peak="};
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++)
        assert_null(harness_options(&psnr_extractor, rejected[i]));
    PsnrOptions *options = harness_options(&psnr_extractor, "min_sse=1.7976931348623157e308");
    assert_non_null(options);
    assert_true(options->min_sse == DBL_MAX);
    free(options);
}

CASE(chroma_can_be_left_out)
{
    const PictureFormat colour = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    const PictureFormat grey = harness_format(VMAF_PIX_FMT_YUV400P, 8, 64, 48);
    for (unsigned i = 0; i < 2; i++) {
        run(i ? "enable_apsnr=true" : "enable_apsnr=true:enable_chroma=false", i ? &grey : &colour,
            tile_pattern_ref, tile_pattern_dist, 1);
        assert_int_equal(harness.n_scores, 1);
        assert_true(isfinite(harness_aggregate(&harness, "apsnr_y")));
        expect_aggregate("apsnr_cb", -INFINITY);
        expect_aggregate("apsnr_cr", -INFINITY);
    }
}

CASE(only_needed_planes_are_asked_for)
{
    PsnrOptions *all = harness_options(&psnr_extractor, "");
    PsnrOptions *luma = harness_options(&psnr_extractor, "enable_chroma=false");
    assert_int_equal(extractor_needs(&psnr_extractor, all, VMAF_PIX_FMT_YUV422P).planes,
                     PLANE_Y | PLANE_CB | PLANE_CR);
    assert_int_equal(extractor_needs(&psnr_extractor, all, VMAF_PIX_FMT_YUV400P).planes, PLANE_Y);
    assert_int_equal(extractor_needs(&psnr_extractor, luma, VMAF_PIX_FMT_YUV422P).planes, PLANE_Y);
    free(all);
    free(luma);
}

CASE(empty_chroma_gets_the_maximum)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 1, 1);
    run("enable_mse=true", &format, sample_white, sample_black, 1);
    expect_score(PSNR_Y, 0, 0);
    expect_score(MSE_Y, 0, 65025);
    expect_score(PSNR_CB, 0, 60);
    assert_true(isnan(harness_score(&harness, MSE_CB, 0)));
}

CASE(depths_other_than_8_10_12_16_are_refused)
{
    expect_depths_8_10_12_16(&psnr_extractor, VMAF_PIX_FMT_YUV420P, 1, 1);
}

CASE(greatest_errors_of_long_rows_do_not_overflow)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned w = 70001;
        const uint64_t peak = (1u << depths[i]) - 1;
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, depths[i], w, 2);
        PicturePair pair;
        pair_make(&pair, &format, sample_white, sample_black, 0);
        const FrameInput swapped = {.ref = &pair.dist, .dist = &pair.ref};
        harness_start(&harness, &psnr_extractor, "", &format);
        VmafRecordPsnr there, back;
        harness_accumulate_bands(&harness, &pair.input, NULL, 0, &there);
        harness_accumulate_bands(&harness, &swapped, NULL, 0, &back);
        assert_int_equal(there.sse[0], peak * peak * w * 2);
        assert_int_equal(back.sse[0], peak * peak * w * 2);
        harness_stop(&harness);
        pair_free(&pair);
    }
}

CASE(bands_merge_to_the_record_of_the_frame)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV400P, VMAF_PIX_FMT_YUV420P,
                                                   VMAF_PIX_FMT_YUV422P, VMAF_PIX_FMT_YUV444P};
    static const unsigned heights[] = {1, 2, 3, 17, 50, 97};
    for (unsigned i = 0; i < 24; i++) {
        const unsigned h = heights[i / 4];
        const PictureFormat format = harness_format(formats[i % 4], 10, 61, h);
        PicturePair pair;
        pair_make(&pair, &format, tile_pattern_ref, tile_pattern_dist, 0);
        harness_start(&harness, &psnr_extractor, "", &format);
        harness_frame(&harness, &pair.input, 0);
        expect_bands(&pair.input, (unsigned[]){h / 3, h / 2}, 2);
        unsigned every_row[97];
        for (unsigned y = 1; y < h; y++)
            every_row[y - 1] = y;
        expect_bands(&pair.input, every_row, h - 1);
        harness_stop(&harness);
        pair_free(&pair);
    }
}

CASE(variants_of_one_plan_are_computed_as_if_alone)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    PicturePair pair;
    pair_make(&pair, &format, tile_pattern_ref, tile_pattern_dist, 0);
    expect_variants(&psnr_extractor, &format, &pair.input,
                    (const char *[]){"enable_chroma=false", ""}, 2);
    harness_start(&harness, &psnr_extractor, "enable_chroma=false", &format);
    harness_frame(&harness, &pair.input, 0);
    const VmafRecordPsnr *luma = harness.record;
    assert_true(luma->sse[0] > 0);
    assert_int_equal(luma->sse[1] | luma->sse[2], 0);
    harness_stop(&harness);
    pair_free(&pair);
}

CASE(given_sums_of_samples_then_the_peak_bounds_them)
{
    /* Samples of 10 bits are stored in 16 bits. */
    VmafRecordPsnr psnr = {{UINT64_C(65535) * 65535 * 54, 0, UINT64_C(65535) * 65535 * 12}};
    assert_true(record_within("psnr", &psnr, NULL));
    psnr.sse[2]++;
    assert_false(record_within("psnr", &psnr, NULL));

    VmafRecordFloatPsnr float_psnr = {UINT64_C(54) << 32};
    assert_true(record_within("float_psnr", &float_psnr, NULL));
    float_psnr.sse++;
    assert_false(record_within("float_psnr", &float_psnr, NULL));
}
