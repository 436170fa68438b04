/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Motion from records to scores. Known scores: libvmaf 3.2 reference values. */
#include <stdlib.h>
#include <string.h>

#include "feature/motion/motion.h"
#include "libvmaf/backend_records.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/motion_pattern.h"

enum { MAX_FRAMES = 8, N_KNOWN = 5 };

static FinishHarness harness;

/* Frames of the pattern from 0, under indices 0, 1, ... unless others are given. */
static void run_pattern(const char *options, unsigned bpc, unsigned w, unsigned h,
                        unsigned n_frames, const unsigned *indices)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    VmafPicture pics[MAX_FRAMES];
    harness_start(&harness, &motion_extractor, options, &format);
    for (unsigned t = 0; t < n_frames; t++) {
        pics[t] = harness_picture(&format, motion_pattern, t);
        const FrameInput input = {
            .ref = &pics[t],
            .earlier_ref = {t > 0 ? &pics[t - 1] : NULL, t > 1 ? &pics[t - 2] : NULL},
        };
        harness_frame(&harness, &input, indices ? indices[t] : t);
    }
    harness_flush(&harness);
    harness_stop(&harness);
    for (unsigned t = 0; t < n_frames; t++)
        harness_picture_free(&pics[t]);
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

static void expect_scores(unsigned output, const double *expected, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const double score = harness_score(&harness, output, i);
        if (memcmp(&score, &expected[i], sizeof(score)))
            fail_msg("output %u of frame %u is %.17g, not %.17g", output, i, score, expected[i]);
    }
}

typedef struct KnownScores {
    unsigned bpc, w, h;
    const char *options;
    unsigned output;
    double scores[N_KNOWN];
} KnownScores;

#define FIVE_AVERAGED "motion_five_frame_window=true:motion_moving_average=true"
#define WEIGHTED                                                                                   \
    "motion_fps_weight=1.5:motion_max_val=9.5:motion_blend_factor=0.5:motion_blend_offset=7"

static const KnownScores known_scores[] = {
    {8,
     64,
     48,
     "",
     MOTION_OUTPUT_SAD,
     {0, 9.5307655334472656, 9.1968154907226562, 9.4863395690917969, 9.5325241088867188}},
    {8,
     64,
     48,
     "",
     MOTION_OUTPUT_MOTION2,
     {0, 9.1968154907226562, 9.1968154907226562, 9.4863395690917969, 9.5325241088867188}},
    {8,
     64,
     48,
     "",
     MOTION_OUTPUT_MOTION3,
     {9.5307655334472656, 9.1968154907226562, 9.1968154907226562, 9.4863395690917969,
      9.5325241088867188}},
    {8,
     64,
     48,
     FIVE_AVERAGED,
     MOTION_OUTPUT_SAD,
     {0, 0, 18.524256388346355, 18.350807189941406, 18.827524820963543}},
    {8,
     64,
     48,
     FIVE_AVERAGED,
     MOTION_OUTPUT_MOTION2,
     {0, 0, 18.350807189941406, 18.524256388346355, 18.827524820963543}},
    {8,
     64,
     48,
     FIVE_AVERAGED,
     MOTION_OUTPUT_MOTION3,
     {18.524256388346355, 18.524256388346355, 18.437531789143883, 18.437531789143883,
      18.675890604654949}},
    {8, 64, 48, WEIGHTED, MOTION_OUTPUT_SAD, {0, 9.5, 9.5, 9.5, 9.5}},
    {8, 64, 48, WEIGHTED, MOTION_OUTPUT_MOTION3, {8.25, 8.25, 8.25, 8.25, 8.25}},
    {10,
     67,
     35,
     "",
     MOTION_OUTPUT_SAD,
     {0, 9.6364888726012801, 9.140125266524521, 9.7669143123667386, 9.4791178038379531}},
    {10,
     67,
     35,
     "",
     MOTION_OUTPUT_MOTION2,
     {0, 9.140125266524521, 9.140125266524521, 9.4791178038379531, 9.4791178038379531}},
    {10,
     67,
     35,
     FIVE_AVERAGED,
     MOTION_OUTPUT_SAD,
     {0, 0, 18.565313499466949, 18.641999267057571, 19.027765191897654}},
    {10,
     67,
     35,
     FIVE_AVERAGED,
     MOTION_OUTPUT_MOTION3,
     {18.565313499466949, 18.565313499466949, 18.603656383262262, 18.603656383262262,
      18.796539345682302}},
    {12,
     33,
     21,
     "",
     MOTION_OUTPUT_SAD,
     {0, 10.229138483044734, 9.0920082521645025, 10.391927083333334, 10.15850468975469}},
    {16,
     33,
     21,
     "",
     MOTION_OUTPUT_SAD,
     {0, 10.228247880591631, 9.1333874458874451, 10.364493145743145, 10.154463158369408}},
    {8,
     3,
     3,
     "",
     MOTION_OUTPUT_SAD,
     {0, 14.02734375, 6.4565972222222223, 13.794270833333334, 6.0043402777777777}},
    {8,
     3,
     3,
     FIVE_AVERAGED,
     MOTION_OUTPUT_MOTION3,
     {20.485677083333332, 20.485677083333332, 20.368923611111111, 20.025607638888889,
      19.799045138888889}},
    {8, 3, 3, WEIGHTED, MOTION_OUTPUT_SAD, {0, 9.5, 9.5, 9.5, 9.0065104166666661}},
    {8,
     3,
     3,
     WEIGHTED,
     MOTION_OUTPUT_MOTION3,
     {8.25, 8.25, 8.25, 8.0032552083333321, 8.0032552083333321}},
};

static void known_frames_give_the_scores_of_the_reference(void **state)
{
    for (size_t i = 0; i < sizeof(known_scores) / sizeof(known_scores[0]); i++) {
        const KnownScores *known = &known_scores[i];
        run_pattern(known->options, known->bpc, known->w, known->h, N_KNOWN, NULL);
        expect_scores(known->output, known->scores, N_KNOWN);
    }
}

static void one_frame_has_no_motion(void **state)
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

static void two_frames_share_the_one_difference(void **state)
{
    const double m = 10.227035984848484;
    run_pattern("", 8, 33, 21, 2, NULL);
    expect_scores(MOTION_OUTPUT_SAD, (double[]){0, m}, 2);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, m}, 2);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){m, m}, 2);
}

static void five_frame_window_needs_three_frames(void **state)
{
    const double m = 19.323142135642136;
    run_pattern("motion_five_frame_window=true", 8, 33, 21, 2, NULL);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 0}, 2);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){0, 0}, 2);
    run_pattern("motion_five_frame_window=true", 8, 33, 21, 3, NULL);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 0, m}, 3);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){m, m, m}, 3);
}

static void motion2_is_the_smaller_neighbour(void **state)
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

static void moving_average_takes_the_unaveraged_predecessor(void **state)
{
    static const unsigned levels[] = {0, 5, 3, 8, 2, 9};
    run_levels("motion_moving_average=true", levels, 6);
    expect_scores(MOTION_OUTPUT_MOTION2, (double[]){0, 3, 3, 2, 2, 9}, 6);
    expect_scores(MOTION_OUTPUT_MOTION3, (double[]){5, 4, 3, 2.5, 2, 5.5}, 6);
}

static void options_act_at_both_ends_of_their_ranges(void **state)
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

static void options_out_of_range_are_refused(void **state)
{
    static const char *const refused[] = {
        "motion_blend_factor=-0.1", "motion_blend_factor=1.1", "motion_blend_offset=-1",
        "motion_blend_offset=1001", "motion_fps_weight=-1",    "motion_fps_weight=5.1",
        "motion_max_val=-1",        "motion_max_val=10001",    "motion_force_zero=1",
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        assert_null(harness_options(&motion_extractor, refused[i]));
}

static void debug_repeats_the_difference(void **state)
{
    static const unsigned levels[] = {0, 5, 3};
    run_levels("debug=true", levels, 3);
    expect_scores(MOTION_OUTPUT_SAD, (double[]){0, 5, 3}, 3);
    expect_scores(MOTION_OUTPUT_MOTION, (double[]){0, 5, 3}, 3);
    run_levels("", levels, 3);
    assert_null(harness_find(&harness, MOTION_OUTPUT_MOTION, 0));
}

static void force_zero_reads_nothing_and_knows_all_at_once(void **state)
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

static void luma_and_the_frames_that_the_window_spans_are_needed(void **state)
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

static void scores_belong_to_their_index_and_follow_the_order_of_calls(void **state)
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

static void scores_are_written_with_the_frame_that_determines_them(void **state)
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

static void determining_frames_are_the_next_or_the_first_difference(void **state)
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

static void small_pictures_are_refused_with_the_minimum(void **state)
{
    static const unsigned sizes[][2] = {{2, 3}, {3, 2}, {1, 1}};
    MotionOptions *options = harness_options(&motion_extractor, "");
    MotionOptions *zero = harness_options(&motion_extractor, "motion_force_zero=true");
    for (unsigned i = 0; i < 3; i++) {
        Reason why = {""};
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, 8, sizes[i][0], sizes[i][1]);
        assert_true(extractor_check_format(&motion_extractor, options, &format, &why) < 0);
        assert_non_null(strstr(why.text, "3x3"));
        assert_int_equal(extractor_check_format(&motion_extractor, zero, &format, &why), 0);
    }
    const PictureFormat smallest = harness_format(VMAF_PIX_FMT_YUV400P, 9, 3, 3);
    assert_int_equal(extractor_check_format(&motion_extractor, options, &smallest, NULL), 0);
    free(options);
    free(zero);
}

static void only_what_changes_the_record_separates_records(void **state)
{
    for (const OptionSpec *spec = motion_extractor.options; spec->name; spec++) {
        const bool changes = !strcmp(spec->name, "motion_force_zero") ||
                             !strcmp(spec->name, "motion_five_frame_window");
        assert_int_equal(!!(spec->flags & OPTION_ACCUMULATE), changes);
        assert_int_equal(!!(spec->flags & OPTION_NAMED), !!strcmp(spec->name, "debug"));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_frames_give_the_scores_of_the_reference),
        cmocka_unit_test(one_frame_has_no_motion),
        cmocka_unit_test(two_frames_share_the_one_difference),
        cmocka_unit_test(five_frame_window_needs_three_frames),
        cmocka_unit_test(motion2_is_the_smaller_neighbour),
        cmocka_unit_test(moving_average_takes_the_unaveraged_predecessor),
        cmocka_unit_test(options_act_at_both_ends_of_their_ranges),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(debug_repeats_the_difference),
        cmocka_unit_test(force_zero_reads_nothing_and_knows_all_at_once),
        cmocka_unit_test(luma_and_the_frames_that_the_window_spans_are_needed),
        cmocka_unit_test(scores_belong_to_their_index_and_follow_the_order_of_calls),
        cmocka_unit_test(scores_are_written_with_the_frame_that_determines_them),
        cmocka_unit_test(determining_frames_are_the_next_or_the_first_difference),
        cmocka_unit_test(small_pictures_are_refused_with_the_minimum),
        cmocka_unit_test(only_what_changes_the_record_separates_records),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
