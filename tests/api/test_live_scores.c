/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Scores while the stream runs: they are available as soon as the frames that determine them have
 * been read, and not before. Covers the ways in which GStreamer's element and libaom use the
 * library.
 */
#include "api/api_support.h"
#include "support/cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned thread_counts[] = {0, 1, 4};
enum { N_THREAD_COUNTS = 3, N_FRAMES = 8 };

/* Model scores of the clip, requested after the flush. */
static void scores_after_the_flush(double scores[N_FRAMES])
{
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafContext *vmaf = open_with_model(0, 0, model);
    read_clip(vmaf, clip_f, N_FRAMES);
    for (unsigned i = 0; i < N_FRAMES; i++)
        scores[i] = model_score(vmaf, model, i);
    close_with_model(vmaf, model);
}

/* Like GStreamer's element: requests frame i after frame i + 1, the last one after the flush. */
CASE(scores_one_frame_late_as_gstreamer_asks)
{
    double expected[N_FRAMES];
    scores_after_the_flush(expected);
    for (unsigned t = 0; t < N_THREAD_COUNTS; t++) {
        VmafModel *model = load_model("vmaf_v0.6.1");
        VmafContext *vmaf = open_with_model(thread_counts[t], 0, model);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            if (i > 0)
                expect_score(model_score(vmaf, model, i - 1), expected[i - 1]);
        }
        assert_success(flush(vmaf));
        expect_score(model_score(vmaf, model, N_FRAMES - 1), expected[N_FRAMES - 1]);
        double mean;
        assert_success(
            vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &mean, 0, N_FRAMES - 1));
        close_with_model(vmaf, model);
    }
}

/* Each score appears with the frame that completes it; asking too early fails harmlessly. */
CASE(scores_appear_with_the_frame_that_determines_them)
{
    double expected[N_FRAMES];
    scores_after_the_flush(expected);
    for (unsigned t = 0; t < N_THREAD_COUNTS; t++) {
        VmafModel *model = load_model("vmaf_v0.6.1");
        VmafContext *vmaf = open_with_model(thread_counts[t], 0, model);
        double score;
        assert_refused(vmaf_score_at_index(vmaf, model, &score, 0));
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_refused(vmaf_score_at_index(vmaf, model, &score, i));
            assert_success(read_frame(vmaf, clip_f, i, i));
            assert_true(has_feature_score(vmaf, "VMAF_integer_feature_adm2_score", i));
            assert_true(has_feature_score(vmaf, "VMAF_integer_feature_motion_sad_score", i));
            /* Motion looks one frame ahead, except that frame 0 has no motion. */
            assert_int_equal(vmaf_score_at_index(vmaf, model, &score, i) == 0, i == 0);
            if (i > 0) {
                assert_true(has_feature_score(vmaf, "VMAF_integer_feature_motion2_score", i - 1));
                expect_score(model_score(vmaf, model, i - 1), expected[i - 1]);
            }
            assert_refused(vmaf_score_at_index(vmaf, model, &score, i + 1));
            assert_refused(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, i + 1));
            if (i > 0)
                assert_success(
                    vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MIN, &score, 0, i - 1));
        }
        assert_success(flush(vmaf));
        expect_score(model_score(vmaf, model, N_FRAMES - 1), expected[N_FRAMES - 1]);
        close_with_model(vmaf, model);
    }
}

/* Like libaom's tune=vmaf: one frame per context, asks at once, releases twice, may or may not
 * flush. */
static double score_as_libaom(VmafModel *model, unsigned n_threads, unsigned frame,
                              bool flush_first)
{
    VmafConfiguration cfg;
    memset(&cfg, 0xc3, sizeof(cfg)); /* gpumask is never set */
    cfg.log_level = VMAF_LOG_LEVEL_NONE;
    cfg.n_threads = n_threads;
    cfg.n_subsample = 0;
    cfg.cpumask = 0;
    VmafContext *vmaf;
    assert_success(vmaf_init(&vmaf, cfg));
    assert_success(vmaf_use_features_from_model(vmaf, model));
    VmafPicture ref = make_picture(clip_f, false, frame), dist = make_picture(clip_f, true, frame);
    assert_success(vmaf_read_pictures(vmaf, &ref, &dist, 0));
    if (flush_first)
        assert_success(flush(vmaf));
    double score = model_score(vmaf, model, 0);
    assert_refused(vmaf_picture_unref(&ref));
    assert_refused(vmaf_picture_unref(&dist));
    assert_success(vmaf_close(vmaf));
    return score;
}

CASE(one_frame_per_context_as_libaom_does)
{
    VmafModel *model = load_model("vmaf_v0.6.1");
    for (unsigned t = 0; t < N_THREAD_COUNTS; t++) {
        expect_score(score_as_libaom(model, thread_counts[t], 0, false), 88.088684460453138);
        expect_score(score_as_libaom(model, thread_counts[t], 0, true), 88.088684460453138);
        expect_score(score_as_libaom(model, thread_counts[t], 3, false),
                     score_as_libaom(model, 0, 3, true));
    }
    vmaf_model_destroy(model);
}

/*
 * With five-frame windows differences reach back two frames, so the first two frames have no
 * motion2 to wait for, and motion3, which repeats the first difference for them, waits for frame 2.
 */
CASE(five_frame_windows_wait_for_one_frame_more)
{
    static const char motion2[] = "integer_motion2_mffw", motion3[] = "integer_motion3_mffw";
    for (unsigned t = 0; t < N_THREAD_COUNTS; t++) {
        VmafContext *vmaf = open_context(thread_counts[t], 0);
        VmafContext *flushed = open_context(0, 0);
        use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
        use(flushed, "motion", options("motion_five_frame_window", "true", NULL));
        read_clip(flushed, clip_f, N_FRAMES);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            for (unsigned f = 0; f <= i; f++) {
                assert_int_equal(has_feature_score(vmaf, motion2, f), f < 2 || f < i);
                assert_int_equal(has_feature_score(vmaf, motion3, f), i >= 2 && (f < 2 || f < i));
            }
            if (i > 0)
                expect_score(feature_score(vmaf, motion2, i - 1),
                             feature_score(flushed, motion2, i - 1));
        }
        assert_success(flush(vmaf));
        for (unsigned i = 0; i < N_FRAMES; i++) {
            expect_score(feature_score(vmaf, motion2, i), feature_score(flushed, motion2, i));
            expect_score(feature_score(vmaf, motion3, i), feature_score(flushed, motion3, i));
        }
        assert_success(vmaf_close(vmaf));
        assert_success(vmaf_close(flushed));
    }
}

/* The report does not depend on when and in which order scores are requested. */
CASE(reports_do_not_depend_on_when_scores_were_asked_for)
{
    char *expected = NULL;
    for (unsigned t = 0; t < 2 * N_THREAD_COUNTS; t++) {
        const bool live = t % 2;
        VmafModel *model = load_model("vmaf_v0.6.1");
        VmafContext *vmaf = open_with_model(thread_counts[t / 2], 0, model);
        use(vmaf, "psnr", options("enable_apsnr", "true", NULL));
        double score;
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            if (live && i > 0)
                score = model_score(vmaf, model, i - 1);
        }
        assert_success(flush(vmaf));
        assert_success(
            vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, N_FRAMES - 1));
        char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
        if (!expected)
            expected = strdup(text);
        assert_string_equal(text, expected);
        free(text);
        close_with_model(vmaf, model);
    }
    free(expected);
}

/* A report in the middle of the stream contains the scores so far, and the stream continues. */
CASE(a_report_can_be_written_before_the_flush)
{
    double expected[N_FRAMES];
    scores_after_the_flush(expected);
    for (unsigned t = 0; t < N_THREAD_COUNTS; t++) {
        VmafModel *model = load_model("vmaf_v0.6.1");
        VmafContext *vmaf = open_with_model(thread_counts[t], 0, model);
        char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_CSV);
        assert_string_equal(text, "Frame,\n");
        free(text);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            if (i > 0)
                model_score(vmaf, model, i - 1);
            for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
                text = report_text(vmaf, (enum VmafOutputFormat)format);
                if (i > 0)
                    assert_non_null(strstr(text, "vmaf"));
                free(text);
            }
        }
        assert_success(flush(vmaf));
        for (unsigned i = 0; i < N_FRAMES; i++)
            expect_score(model_score(vmaf, model, i), expected[i]);
        close_with_model(vmaf, model);
    }
}
