/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_motion beside its known scores, which golden files have. */
#include <math.h>

#include "metrics/float_motion/float_motion_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/motion_pattern.h"

enum { N_FRAMES = 5 };
enum { MOTION2, MOTION3, MOTION };

static void run(const char *options, const PictureFormat *format, unsigned n_frames,
                const unsigned *indices)
{
    run_frames(&float_motion_extractor, options, format, motion_pattern, NULL, n_frames, indices);
}

/* From the definition: at 2x2 a sample's mirrored neighbours are both the other one. */
enum { SMALL = 5, WIDE = 140 };

static float filtered(const float *row, int i, int n, int n_taps)
{
    static const float three[] = {0.166378498f, 0.667243004f, 0.166378498f};
    static const float five[] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                 0.054488685f};
    float sum = 0;
    for (int t = 0; t < n_taps; t++) {
        const int k = i + t - n_taps / 2;
        const int at = k < 0 ? -k : k >= n ? 2 * n - 2 - k : k;
        sum += (n_taps == 3 ? three : five)[t] * row[at];
    }
    return sum;
}

static void filter_small(unsigned frame, unsigned plane, int w, int h, int n_taps,
                         float out[SMALL][WIDE])
{
    float rows[SMALL][WIDE];
    for (int x = 0; x < w; x++) {
        float column[SMALL];
        for (int y = 0; y < h; y++)
            column[y] = (float)motion_pattern((unsigned)x, (unsigned)y, plane, frame, 8) - 128;
        for (int y = 0; y < h; y++)
            rows[y][x] = filtered(column, y, h, n_taps);
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y][x] = filtered(rows[y], x, w, n_taps);
}

static double small_difference(unsigned plane, int w, int h, int n_taps)
{
    float a[SMALL][WIDE], b[SMALL][WIDE], total = 0;
    filter_small(0, plane, w, h, n_taps, a);
    filter_small(1, plane, w, h, n_taps, b);
    for (int y = 0; y < h; y++) {
        float sum = 0;
        for (int x = 0; x < w; x++)
            sum += a[y][x] > b[y][x] ? a[y][x] - b[y][x] : b[y][x] - a[y][x];
        total += sum;
    }
    return (double)(total / (float)(w * h));
}

CASE(given_two_rows_or_columns_then_three_taps_follow_the_definition)
{
    for (int h = 2; h <= SMALL; h++) {
        for (int w = 2; w <= SMALL; w++) {
            PictureFormat format =
                harness_format(VMAF_PIX_FMT_YUV400P, 8, (unsigned)w, (unsigned)h);
            run("motion_filter_size=3", &format, 2, NULL);
            expect_scores(MOTION, (double[]){0, small_difference(0, w, h, 3)}, 2);
            format = harness_format(VMAF_PIX_FMT_YUV444P, 8, (unsigned)w, (unsigned)h);
            run("motion_filter_size=3:motion_add_uv=true", &format, 2, NULL);
            const double sum = small_difference(0, w, h, 3) + small_difference(1, w, h, 3);
            expect_scores(MOTION, (double[]){0, sum + small_difference(2, w, h, 3)}, 2);
        }
    }
}

CASE(given_any_width_then_both_filters_follow_the_definition)
{
    for (int w = 3; w <= WIDE; w++) {
        const int h = 3 + w % (SMALL - 2);
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, 8, (unsigned)w, (unsigned)h);
        run("", &format, 2, NULL);
        expect_scores(MOTION, (double[]){0, small_difference(0, w, h, 5)}, 2);
        run("motion_filter_size=3", &format, 2, NULL);
        expect_scores(MOTION, (double[]){0, small_difference(0, w, h, 3)}, 2);
    }
}

static unsigned cb_pattern(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return motion_pattern(x, y, 1, frame, bpc);
}

static unsigned cr_pattern(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return motion_pattern(x, y, 2, frame, bpc);
}

/* Subsampled chroma is filtered and reduced as a luma plane of its size is. */
CASE(given_chroma_and_the_reduced_scale_then_planes_are_added)
{
    static const HarnessSample samples[] = {motion_pattern, cb_pattern, cr_pattern};
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P};
    for (unsigned f = 0; f < 3; f++) {
        const PictureFormat format = harness_format(formats[f], 10, 67, 35);
        double sum = 0;
        for (unsigned p = 0; p < 3; p++) {
            const PictureFormat plane =
                harness_format(VMAF_PIX_FMT_YUV400P, 10, format.w[p], format.h[p]);
            run_frames(&float_motion_extractor, "motion_add_scale1=true", &plane, samples[p], NULL,
                       2, NULL);
            sum += harness_score(&harness, MOTION, 1);
        }
        run("motion_add_scale1=true:motion_add_uv=true", &format, 2, NULL);
        expect_scores(MOTION, (double[]){0, sum}, 2);
    }
}

CASE(given_short_sequences_then_every_frame_has_its_scores)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 64, 48);
    run("", &format, 1, NULL);
    expect_scores(MOTION2, (double[]){0}, 1);
    expect_scores(MOTION3, (double[]){0}, 1);
    run("", &format, 2, NULL);
    expect_scores(MOTION2, (double[]){0, 9.5307512283325195}, 2);
    expect_scores(MOTION3, (double[]){9.5307512283325195, 9.5307512283325195}, 2);
    run("debug=false:motion_force_zero=true", &format, 3, NULL);
    expect_scores(MOTION2, (double[]){0, 0, 0}, 3);
    expect_scores(MOTION3, (double[]){0, 0, 0}, 3);
    assert_null(harness_find(&harness, MOTION, 0));
}

/* The limit is that of weighted scores: the differences, 9.2 to 9.6, are above it, half of them is
 * not. */
CASE(given_a_weight_and_a_limit_then_the_weighted_score_is_clipped)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 64, 48);
    run("", &format, N_FRAMES, NULL);
    double half[3][N_FRAMES];
    for (unsigned o = 0; o < 3; o++)
        for (unsigned t = 0; t < N_FRAMES; t++)
            half[o][t] = harness_score(&harness, o, t) / 2;
    run("motion_fps_weight=0.5:motion_max_val=6", &format, N_FRAMES, NULL);
    for (unsigned o = 0; o < 3; o++)
        expect_scores(o, half[o], N_FRAMES);
    run("motion_fps_weight=2:motion_max_val=12", &format, N_FRAMES, NULL);
    expect_scores(MOTION, (double[]){0, 12, 12, 12, 12}, N_FRAMES);
    expect_scores(MOTION2, (double[]){0, 12, 12, 12, 12}, N_FRAMES);
    expect_scores(MOTION3, (double[]){12, 12, 12, 12, 12}, N_FRAMES);
}

/* Neighbours are the frames read before and after, whatever their indices. */
CASE(given_indices_in_another_order_then_scores_follow_the_calls)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 64, 48);
    static const unsigned indices[N_FRAMES] = {7, 3, 100, 0, 8};
    static const double motion2[N_FRAMES] = {0, 9.1968412399291992, 9.1968412399291992,
                                             9.486358642578125, 9.5325231552124023};
    run("", &format, N_FRAMES, indices);
    for (unsigned t = 0; t < N_FRAMES; t++) {
        const HarnessScore *score = harness_find(&harness, MOTION2, indices[t]);
        assert_true(score->value == motion2[t]);
        /* It is there as soon as the next frame is. */
        assert_true(score->n_frames == (t == 0 ? 1 : t + 2 < N_FRAMES ? t + 2 : N_FRAMES));
    }
}

CASE(given_bands_when_merged_then_records_are_equal)
{
    static const char *const options[] = {"", "motion_filter_size=3:motion_add_scale1=true",
                                          "motion_add_uv=true:motion_add_scale1=true",
                                          "motion_filter_size=1:motion_add_scale1=true"};
    static const unsigned heights[] = {48, 35};
    for (unsigned i = 0; i < 4 * 2; i++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 10, 67, heights[i % 2]);
        VmafPicture earlier = harness_picture(&format, motion_pattern, 0);
        VmafPicture ref = harness_picture(&format, motion_pattern, 1);
        const FrameInput input = {.ref = &ref, .earlier_ref = {&earlier}};
        harness_start(&harness, &float_motion_extractor, options[i / 2], &format);
        harness_frame(&harness, &input, 0);
        expect_bands(&input, (unsigned[]){1, 2, 7, 8, 20, 33}, 6);
        harness_stop(&harness);
        harness_picture_free(&earlier);
        harness_picture_free(&ref);
    }
}

CASE(given_option_values_then_ranges_hold)
{
    static const OptionRange ranges[] = {
        {"motion_fps_weight", "0", "5", "-0.1", "5.1"},
        {"motion_blend_factor", "0", "1", "-0.1", "1.001"},
        {"motion_blend_offset", "0", "1000", "-1", "1001"},
        {"motion_filter_size", "0", "9", "-1", "10"},
        {"motion_max_val", "0", "10000", "-1", "10001"},
    };
    expect_ranges(&float_motion_extractor, ranges, sizeof(ranges) / sizeof(ranges[0]));
    assert_null(harness_options(&float_motion_extractor, "motion_add_uv=1"));
}

CASE(given_unusable_formats_then_refused_with_the_limit)
{
    const FeatureExtractor *motion = &float_motion_extractor;
    const enum VmafPixelFormat colour = VMAF_PIX_FMT_YUV420P, grey = VMAF_PIX_FMT_YUV400P;
    expect_format(motion, "", colour, 8, 3, 3, NULL);
    expect_format(motion, "", colour, 8, 2, 3, "at least 3x3");
    expect_format(motion, "", colour, 8, 3, 2, "at least 3x3");
    expect_format(motion, "motion_filter_size=3", colour, 8, 2, 2, NULL);
    expect_format(motion, "motion_filter_size=3", colour, 8, 1, 2, "at least 2x2");
    expect_format(motion, "motion_filter_size=3", colour, 8, 2, 1, "at least 2x2");
    expect_format(motion, "motion_filter_size=3:motion_add_uv=true", colour, 8, 3, 4,
                  "at least 2x2");
    expect_format(motion, "motion_filter_size=1", colour, 8, 1, 1, NULL);
    expect_format(motion, "motion_force_zero=true", colour, 8, 1, 1, NULL);
    expect_format(motion, "", colour, 9, 64, 64, "8, 10, 12 or 16 bits");
    expect_format(motion, "motion_add_uv=true", grey, 8, 64, 64, "chroma");
    expect_format(motion, "motion_add_uv=true", colour, 8, 5, 6, "at least 3x3");
    expect_format(motion, "motion_add_uv=true", colour, 8, 6, 6, NULL);
    expect_format(motion, "motion_add_scale1=true", colour, 8, 15360, 64, NULL);
    expect_format(motion, "motion_add_scale1=true", colour, 8, 15361, 64, "15360 columns");
}

CASE(given_rows_then_each_is_bounded_by_its_samples)
{
    const FloatMotionOptions luma = {.motion_filter_size = 5};
    const FloatMotionOptions all = {.motion_filter_size = 5, .motion_add_uv = true};
    float rows[12] = {[5] = 65536.0f * 9}; /* six rows of nine samples, and six of four */
    assert_true(record_within("float_motion", rows, &luma));
    assert_true(record_within("float_motion", rows, &all));
    rows[11] = 65536.0f * 9;
    assert_true(record_within("float_motion", rows, &luma));
    assert_false(record_within("float_motion", rows, &all));
    rows[5] = 65536.0f * 10;
    assert_false(record_within("float_motion", rows, &luma));
    rows[5] = NAN;
    assert_false(record_within("float_motion", rows, &luma));
    rows[5] = -1;
    assert_false(record_within("float_motion", rows, &luma));
}
