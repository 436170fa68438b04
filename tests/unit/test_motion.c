/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Motion from pixels to records, and from records to scores. */
#include <stdlib.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/motion/motion_internal.h"
#include "support/cases.h"
#include "support/memory.h"
#include "support/metric_checks.h"
#include "support/motion_pattern.h"

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % n);
}

static unsigned random_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return random_below(1u << bpc);
}

/* The extremes only, in long runs, so that filtered values reach their bounds. */
static unsigned extreme_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return ((x / 7 + y / 9 + frame) & 1) * ((1u << bpc) - 1);
}

static long reflect(long i, long n)
{
    return i < 0 ? -i : i < n ? i : 2 * n - 2 - i;
}

static long sample_at(const VmafPicture *pic, long x, long y)
{
    const char *row = (const char *)pic->data[0] + y * pic->stride[0];
    return pic->bpc > 8 ? ((const uint16_t *)(const void *)row)[x] : ((const uint8_t *)row)[x];
}

/* The definition, in wide arithmetic. */
static uint64_t defined_sad(const VmafPicture *earlier, const VmafPicture *current)
{
    static const int64_t taps[5] = {3571, 16004, 26386, 16004, 3571};
    const long w = current->w[0], h = current->h[0];
    int64_t *vertical = malloc((size_t)w * sizeof(*vertical));
    assert_non_null(vertical);
    uint64_t sad = 0;
    for (long y = 0; y < h; y++) {
        for (long x = 0; x < w; x++) {
            int64_t sum = 1 << (current->bpc - 1);
            for (long k = -2; k <= 2; k++) {
                const long row = reflect(y + k, h);
                sum += taps[k + 2] * (sample_at(earlier, x, row) - sample_at(current, x, row));
            }
            vertical[x] = sum >> current->bpc;
        }
        for (long x = 0; x < w; x++) {
            int64_t sum = 1 << 15;
            for (long k = -2; k <= 2; k++)
                sum += taps[k + 2] * vertical[reflect(x + k, w)];
            sad += (uint64_t)llabs(sum >> 16);
        }
    }
    free(vertical);
    return sad;
}

static uint64_t accumulated_sad(const char *options, const PictureFormat *format,
                                const FrameInput *input)
{
    harness_start(&harness, &motion_extractor, options, format);
    VmafRecordMotion record;
    harness_accumulate_bands(&harness, input, NULL, 0, &record);
    harness_stop(&harness);
    return record.sad;
}

static void check_against_definition(HarnessSample sample, unsigned bpc, unsigned w, unsigned h)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    VmafPicture pics[2] = {harness_picture(&format, sample, 0),
                           harness_picture(&format, sample, 1)};
    const FrameInput input = {.ref = &pics[1], .earlier_ref = {&pics[0]}};
    assert_int_equal(accumulated_sad("", &format, &input), defined_sad(&pics[0], &pics[1]));
    harness_picture_free(&pics[0]);
    harness_picture_free(&pics[1]);
}

CASE(any_depth_and_size_gives_the_sum_of_the_definition)
{
    random_state = 1;
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        for (unsigned size = 3; size < 9; size++) {
            check_against_definition(random_sample, bpc, size, 11 - size);
            check_against_definition(extreme_sample, bpc, size, 3);
        }
        check_against_definition(random_sample, bpc, 50, 37);
        check_against_definition(extreme_sample, bpc, 61, 40);
    }
}

static unsigned alternating_frames(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                   unsigned bpc)
{
    return frame * ((1u << bpc) - 1);
}

CASE(sum_of_a_row_may_exceed_32_bits)
{
    const unsigned w = 100000, h = 3;
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, w, h);
    VmafPicture pics[2] = {harness_picture(&format, alternating_frames, 0),
                           harness_picture(&format, alternating_frames, 1)};
    const FrameInput input = {.ref = &pics[1], .earlier_ref = {&pics[0]}};
    assert_int_equal(accumulated_sad("", &format, &input), 255 * 256 * (uint64_t)w * h);
    harness_picture_free(&pics[0]);
    harness_picture_free(&pics[1]);
}

static unsigned changing_in_the_middle(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                       unsigned bpc)
{
    const bool changes = x >= 10 && x < 12 && y >= 20 && y < 23;
    return motion_pattern(x, y, plane, changes ? frame : 0, bpc);
}

CASE(rows_without_change_are_skipped_without_harm)
{
    static const unsigned depths[] = {8, 10, 16};
    for (unsigned i = 0; i < 3; i++)
        check_against_definition(changing_in_the_middle, depths[i], 40, 40);
}

CASE(bands_merge_to_the_record_of_the_frame)
{
    random_state = 2;
    for (unsigned round = 0; round < 60; round++) {
        const unsigned bpc = 8 + random_below(9), h = 3 + random_below(40);
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, bpc, 3 + random_below(40), h);
        VmafPicture pics[3];
        for (unsigned t = 0; t < 3; t++)
            pics[t] = harness_picture(&format, random_sample, t);
        const FrameInput input = {.ref = &pics[2], .earlier_ref = {&pics[1], &pics[0]}};
        harness_start(&harness, &motion_extractor, round % 2 ? "" : "motion_five_frame_window=true",
                      &format);

        unsigned cuts[6], n_cuts = 0, cut = 0;
        while (n_cuts < 6 && (cut += random_below(h)) < h) /* bands may be empty */
            cuts[n_cuts++] = cut;
        harness_frame(&harness, &input, 0);
        assert_true(((const VmafRecordMotion *)harness.record)->sad > 0);
        expect_bands(&input, cuts, n_cuts);

        harness_stop(&harness);
        for (unsigned t = 0; t < 3; t++)
            harness_picture_free(&pics[t]);
    }
}

CASE(variants_of_one_plan_are_computed_as_if_alone)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 67, 35);
    VmafPicture pics[3];
    for (unsigned t = 0; t < 3; t++)
        pics[t] = harness_picture(&format, motion_pattern, t);
    const FrameInput input = {.ref = &pics[2], .earlier_ref = {&pics[1], &pics[0]}};

    static const MotionOptions lag1 = {.fps_weight = 1}, lag2 = {.five_frame_window = true},
                               zero = {.force_zero = true, .five_frame_window = true};
    const void *variants[] = {&zero, &lag2, &lag1};
    void *params, *scratch;
    assert_int_equal(motion_extractor.params_create(&params, &format, variants, 3, 0), 0);
    assert_int_equal(motion_extractor.scratch_create(&scratch, params), 0);
    const RowBand all = {0, format.h[0]};

    VmafRecordMotion sums[3] = {{0}, {0}, {0}};
    assert_int_equal(motion_extractor.accumulate(params, scratch, &input, all,
                                                 (void *[]){&sums[0], &sums[1], &sums[2]}),
                     0);
    assert_int_equal(sums[0].sad, 0);
    assert_int_equal(sums[1].sad, defined_sad(&pics[0], &pics[2]));
    assert_int_equal(sums[2].sad, defined_sad(&pics[1], &pics[2]));

    memset(sums, 0, sizeof(sums));
    assert_int_equal(
        motion_extractor.accumulate(params, scratch, &input, all, (void *[]){NULL, NULL, &sums[2]}),
        0);
    assert_int_equal(sums[2].sad, defined_sad(&pics[1], &pics[2]));

    motion_extractor.scratch_destroy(scratch);
    memory_free(params);
    for (unsigned t = 0; t < 3; t++)
        harness_picture_free(&pics[t]);
}

/* Motion from records to scores. Known scores: libvmaf 3.2 reference values. */

enum { N_KNOWN = 5 };

/* Frames of the pattern from 0, under indices 0, 1, ... unless others are given. */
static void run_pattern(const char *options, unsigned bpc, unsigned w, unsigned h,
                        unsigned n_frames, const unsigned *indices)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    run_frames(&motion_extractor, options, &format, motion_pattern, NULL, n_frames, indices);
}

/* Frames whose differences are given, in grey levels. */
static void run_levels(const char *options, const unsigned *levels, unsigned n_frames)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 4, 3);
    harness_start(&harness, &motion_extractor, options, &format);
    for (unsigned t = 0; t < n_frames; t++) {
        const VmafRecordMotion record = {.sad = (uint64_t)levels[t] * 256 * 4 * 3};
        harness_record(&harness, &record, t);
    }
    harness_flush(&harness);
    harness_stop(&harness);
}

#define FIVE_AVERAGED "motion_five_frame_window=true:motion_moving_average=true"

CASE(one_frame_has_no_motion)
{
    static const char *const options[] = {"", "motion_moving_average=true",
                                          "motion_five_frame_window=true"};
    for (unsigned i = 0; i < 3; i++) {
        run_pattern(options[i], 8, 33, 21, 1, NULL);
        expect_scores(MOTION_OUTPUT_SAD, (double[]){0}, 1);
        expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0}, 1);
        expect_scores(MOTION_OUTPUT_MOTION3, (double[]){0}, 1);
    }
}

CASE(two_frames_share_the_one_difference)
{
    const double m = 10.227035984848484;
    run_pattern("", 8, 33, 21, 2, NULL);
    expect_scores(MOTION_OUTPUT_SAD, (double[]){0, m}, 2);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, m}, 2);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){m, m}, 2);
}

CASE(five_frame_window_needs_three_frames)
{
    const double m = 19.323142135642136;
    run_pattern("motion_five_frame_window=true", 8, 33, 21, 2, NULL);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 0}, 2);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){0, 0}, 2);
    run_pattern("motion_five_frame_window=true", 8, 33, 21, 3, NULL);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 0, m}, 3);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){m, m, m}, 3);
}

CASE(motion2_is_the_smaller_neighbour)
{
    static const unsigned levels[] = {0, 5, 3, 8, 2, 9};
    run_levels("", levels, 6);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 3, 3, 2, 2, 9}, 6);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){5, 3, 3, 2, 2, 9}, 6);
    /* Differences to the frame two back: the first of them looks ahead only, the others around. */
    static const unsigned levels_two_back[] = {0, 0, 5, 6, 2, 9, 4};
    run_levels("motion_five_frame_window=true", levels_two_back, 7);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 0, 6, 2, 6, 2, 4}, 7);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){5, 5, 6, 2, 6, 2, 4}, 7);
}

CASE(moving_average_takes_the_unaveraged_predecessor)
{
    static const unsigned levels[] = {0, 5, 3, 8, 2, 9};
    run_levels("motion_moving_average=true", levels, 6);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 3, 3, 2, 2, 9}, 6);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){5, 4, 3, 2.5, 2, 5.5}, 6);
}

CASE(options_act_at_both_ends_of_their_ranges)
{
    static const unsigned levels[] = {0, 100, 60, 20000};
    static const struct {
        const char *options;
        double motion2[4], motion3[4];
    } cases[] = {
        {"motion_blend_factor=0", {0, 60, 60, 10000}, {40, 40, 40, 40}},
        {"motion_blend_factor=1", {0, 60, 60, 10000}, {100, 60, 60, 10000}},
        {"motion_blend_offset=0:motion_blend_factor=0.5", {0, 60, 60, 10000}, {50, 30, 30, 5000}},
        {"motion_blend_offset=1000:motion_blend_factor=0.5",
         {0, 60, 60, 10000},
         {100, 60, 60, 5500}},
        {"motion_fps_weight=0", {0, 0, 0, 0}, {0, 0, 0, 0}},
        {"motion_fps_weight=5", {0, 300, 300, 10000}, {500, 300, 300, 10000}},
        {"motion_max_val=0", {0, 0, 0, 0}, {0, 0, 0, 0}},
        {"motion_max_val=10000", {0, 60, 60, 10000}, {100, 60, 60, 10000}},
        {"motion_max_val=70", {0, 60, 60, 70}, {70, 60, 60, 70}},
        {"motion_five_frame_window=true", {0, 0, 10000, 10000}, {60, 60, 10000, 10000}},
        {"motion_five_frame_window=false", {0, 60, 60, 10000}, {100, 60, 60, 10000}},
        {"motion_moving_average=true", {0, 60, 60, 10000}, {100, 80, 60, 5030}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_levels(cases[i].options, levels, 4);
        expect_scores(MOTION_OUTPUT_MOTION2, cases[i].motion2, 4);
        expect_scores(MOTION_OUTPUT_MOTION3, cases[i].motion3, 4);
    }
}

CASE(options_out_of_range_are_refused)
{
    static const OptionRange ranges[] = {
        {"motion_blend_factor", "0", "1", "-0.1", "1.1"},
        {"motion_blend_offset", "0", "1000", "-1", "1001"},
        {"motion_fps_weight", "0", "5", "-1", "5.1"},
        {"motion_max_val", "0", "10000", "-1", "10001"},
    };
    expect_ranges(&motion_extractor, ranges, sizeof(ranges) / sizeof(ranges[0]));
    assert_null(harness_options(&motion_extractor, "motion_force_zero=1"));
}

CASE(debug_repeats_the_difference)
{
    static const unsigned levels[] = {0, 5, 3};
    run_levels("debug=true", levels, 3);
    expect_scores(MOTION_OUTPUT_SAD, (double[]){0, 5, 3}, 3);
    expect_scores(MOTION_OUTPUT_MOTION, (double[]){0, 5, 3}, 3);
    run_levels("", levels, 3);
    assert_null(harness_find(&harness, MOTION_OUTPUT_MOTION, 0));
}

CASE(force_zero_reads_nothing_and_knows_all_at_once)
{
    static const unsigned frames = 3;
    run_pattern("motion_force_zero=true:debug=true", 8, 1, 1, frames, NULL);
    for (unsigned output = MOTION_OUTPUT_SAD; output <= MOTION_OUTPUT_MOTION3; output++) {
        for (unsigned i = 0; i < frames; i++) {
            assert_true(harness_score(&harness, output, i) == 0);
            assert_int_equal(harness_find(&harness, output, i)->n_frames, i + 1);
        }
    }
    MotionOptions *options = harness_options(&motion_extractor, "motion_force_zero=true");
    const FeatureNeeds needs = extractor_needs(&motion_extractor, options, VMAF_PIX_FMT_YUV420P);
    assert_int_equal(needs.planes, 0);
    assert_int_equal(needs.ref_history, 0);
    free(options);
}

CASE(luma_and_the_frames_that_the_window_spans_are_needed)
{
    for (unsigned lag = 1; lag <= 2; lag++) {
        MotionOptions *options =
            harness_options(&motion_extractor, lag == 2 ? "motion_five_frame_window=true" : "");
        const FeatureNeeds needs =
            extractor_needs(&motion_extractor, options, VMAF_PIX_FMT_YUV420P);
        assert_int_equal(needs.planes, PLANE_Y);
        assert_int_equal(needs.ref_history, lag);
        assert_int_equal(needs.dist_history, 0);
        free(options);
    }
}

CASE(scores_belong_to_their_index_and_follow_the_order_of_calls)
{
    static const unsigned indices[N_KNOWN] = {7, 2, 4000000000u, 0, 4};
    static const char *const options[] = {"", FIVE_AVERAGED};
    for (unsigned k = 0; k < 2; k++) {
        double expected[3][N_KNOWN];
        static const unsigned outputs[3] = {MOTION_OUTPUT_SAD, MOTION_OUTPUT_MOTION2,
                                            MOTION_OUTPUT_MOTION3};
        run_pattern(options[k], 8, 33, 21, N_KNOWN, NULL);
        for (unsigned o = 0; o < 3; o++) {
            for (unsigned t = 0; t < N_KNOWN; t++)
                expected[o][t] = harness_score(&harness, outputs[o], t);
        }
        run_pattern(options[k], 8, 33, 21, N_KNOWN, indices);
        for (unsigned o = 0; o < 3; o++) {
            for (unsigned t = 0; t < N_KNOWN; t++)
                assert_true(harness_score(&harness, outputs[o], indices[t]) == expected[o][t]);
        }
    }
}

CASE(scores_are_written_with_the_frame_that_determines_them)
{
    static const unsigned levels[] = {0, 5, 3, 8, 2, 9};
    for (unsigned lag = 1; lag <= 2; lag++) {
        for (unsigned n = 1; n <= 6; n++) {
            const char *text = lag == 2 ? "motion_five_frame_window=true" : "";
            MotionOptions *options = harness_options(&motion_extractor, text);
            run_levels(text, levels, n);
            assert_int_equal(harness.n_scores, 3 * n);
            for (unsigned i = 0; i < harness.n_scores; i++) {
                const HarnessScore *score = &harness.scores[i];
                uint64_t last =
                    motion_extractor.determined_by(options, score->output, score->index);
                if (last >= n)
                    last = n - 1; /* the end of the stream */
                assert_int_equal(score->n_frames, last + 1);
            }
            free(options);
        }
    }
}

CASE(determining_frames_are_the_next_or_the_first_difference)
{
    MotionOptions *lag1 = harness_options(&motion_extractor, "");
    MotionOptions *lag2 = harness_options(&motion_extractor, "motion_five_frame_window=true");
    assert_int_equal(motion_extractor.determined_by(lag1, MOTION_OUTPUT_SAD, 4), 4);
    assert_int_equal(motion_extractor.determined_by(lag1, MOTION_OUTPUT_MOTION2, 0), 0);
    assert_int_equal(motion_extractor.determined_by(lag1, MOTION_OUTPUT_MOTION3, 0), 1);
    assert_int_equal(motion_extractor.determined_by(lag1, MOTION_OUTPUT_MOTION2, 1), 2);
    assert_int_equal(motion_extractor.determined_by(lag2, MOTION_OUTPUT_MOTION2, 1), 1);
    assert_int_equal(motion_extractor.determined_by(lag2, MOTION_OUTPUT_MOTION3, 0), 2);
    assert_int_equal(motion_extractor.determined_by(lag2, MOTION_OUTPUT_MOTION3, 2), 3);
    free(lag1);
    free(lag2);
}

CASE(small_pictures_are_refused_with_the_minimum)
{
    static const unsigned sizes[][2] = {{2, 3}, {3, 2}, {1, 1}};
    for (unsigned i = 0; i < 3; i++) {
        const unsigned w = sizes[i][0], h = sizes[i][1];
        expect_format(&motion_extractor, "", VMAF_PIX_FMT_YUV400P, 8, w, h, "3x3");
        expect_format(&motion_extractor, "motion_force_zero=true", VMAF_PIX_FMT_YUV400P, 8, w, h,
                      NULL);
    }
    expect_format(&motion_extractor, "", VMAF_PIX_FMT_YUV400P, 9, 3, 3, NULL);
}

CASE(only_what_changes_the_record_separates_records)
{
    for (const OptionSpec *spec = motion_extractor.options; spec->name; spec++) {
        const bool changes = !strcmp(spec->name, "motion_force_zero") ||
                             !strcmp(spec->name, "motion_five_frame_window");
        assert_int_equal(!!(spec->flags & OPTION_ACCUMULATE), changes);
        assert_int_equal(!!(spec->flags & OPTION_NAMED), !!strcmp(spec->name, "debug"));
    }
}

CASE(given_sums_of_samples_then_the_peak_bounds_them)
{
    /* Samples of 10 bits are stored in 16 bits. */
    VmafRecordMotion motion = {UINT64_C(65535) * 54 << 6};
    assert_true(record_within("motion", &motion, NULL));
    motion.sad++;
    assert_false(record_within("motion", &motion, NULL));

    PictureFormat bytes;
    assert_int_equal(picture_format_init(&bytes, VMAF_PIX_FMT_YUV420P, 8, 9, 6), 0);
    const VmafRecordMotion brightest = {65535 * 54}, brighter = {65535 * 54 + 1};
    assert_true(record_of("motion")->is_possible(&brightest, NULL, &bytes));
    assert_false(record_of("motion")->is_possible(&brighter, NULL, &bytes));
}
