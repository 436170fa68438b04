/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Backends whose records turn wrong after the self-test, within all bounds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

enum { N_FRAMES = 60, WRONG_FROM = 20, EVERY_FRAME = 1 };

static Outcome outcome;
static const char *const only_one[] = {"fakeone", NULL};

/* No score is handed out, nor a report. */
static void assert_nothing_is_trusted(const Clip *clip)
{
    for (unsigned k = 0; k < CLIP_KEYS; k++) {
        for (unsigned i = 0; i < clip->n_frames; i++)
            assert_true(outcome.scores[k][i] == -1);
    }
    assert_string_equal(outcome.report, "");
}

CASE(given_a_strict_choice_that_turns_wrong_then_the_run_fails_at_that_frame)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->psnr_turns_wrong = true;
        fake->wrong_from = WRONG_FROM;
        const Clip clip = {.backend = "fakeone",
                           .n_frames = N_FRAMES,
                           .n_threads = n_threads,
                           .spot_check = EVERY_FRAME};
        clip_run(&clip, &outcome);
        assert_int_equal(outcome.error, -EIO);
        assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_FAILED);
        assert_int_equal(outcome.status.spot_check_failed, 1);
        assert_int_equal(outcome.status.failed_active, 1);
        assert_int_equal(outcome.status.frame, WRONG_FROM);
        assert_int_equal(outcome.status.spot_checks, WRONG_FROM + 1);
        assert_non_null(strstr(outcome.reason, "psnr of frame 20"));
        assert_non_null(strstr(outcome.reason, "the last frame found right is 19"));
        assert_int_equal(outcome.n_events, 1);
        assert_string_equal(outcome.event_reason, outcome.reason);
        assert_nothing_is_trusted(&clip);
        fake_expect_closed(fake);
    }
}

CASE(given_auto_when_a_backend_turns_wrong_then_the_run_fails_and_names_it)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->motion_turns_wrong = true;
        const Clip clip = {.considered = only_one,
                           .n_frames = 300,
                           .n_threads = n_threads,
                           .wait_at = 1,
                           .feed_us = 200,
                           .spot_check = EVERY_FRAME};
        do { /* on a busy machine the CPU may be faster */
            clip_run(&clip, &outcome);
        } while (!atomic_load(&fake->n_frames));
        assert_int_equal(outcome.error, -EIO);
        assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
        assert_int_equal(outcome.status.spot_check_failed, 1);
        assert_int_equal(outcome.status.error, -EIO);
        assert_string_equal(outcome.device, "Fake device");
        assert_string_equal(outcome.status.name, "fakeone");
        assert_non_null(strstr(outcome.reason, "record of motion of frame"));
        assert_non_null(strstr(outcome.reason, "no frame was found right before"));
        assert_int_equal(outcome.n_events, 1);
        assert_nothing_is_trusted(&clip);
        assert_int_equal(atomic_load(&fake->n_open_sessions), 0);
    }
}

CASE(given_auto_when_a_backend_has_turned_wrong_then_no_other_is_brought_up)
{
    FakeSettings *fake = fake_reset("fakeone"), *two = fake_reset("faketwo");
    fake->psnr_turns_wrong = true;
    two->plan_result = -4; /* another one might do the work */
    const Clip clip = {.backend = "auto", .spot_check = EVERY_FRAME};
    VmafContext *vmaf = clip_open(&clip);
    int err = 0;
    for (unsigned i = 0; !err; i++) {
        if (i == 1)
            assert_int_equal(clip_wait(vmaf), VMAF_BACKEND_PHASE_ACTIVE);
        err = clip_read(vmaf, &clip, i);
    }
    assert_int_equal(err, -EIO);
    clip_wait_until_started(vmaf);
    assert_int_equal(atomic_load(&fake->n_opened), 1);
    assert_true(atomic_load(&two->n_opened) <= 1);
    vmaf_close(vmaf);
}

CASE(given_the_default_rate_then_a_wrong_backend_is_caught_within_seconds)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->psnr_turns_wrong = true;
    fake->wrong_from = 2;
    const Clip clip = {.backend = "fakeone", .n_frames = 500, .n_threads = 1, .feed_us = 500};
    do { /* a busy machine may have no time for a check */
        clip_run(&clip, &outcome);
    } while (!outcome.error);
    assert_int_equal(outcome.error, -EIO);
    assert_int_equal(outcome.status.spot_check_failed, 1);
    assert_true(outcome.status.frame >= 2);
}

/* Pictures of a pool are filled again at once: the check has to hold what it reads. */
CASE(given_every_frame_then_right_records_pass_with_their_neighbours)
{
    for (unsigned variant = 0; variant < 16; variant += COMBINATION_STEP) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->slots = 1 + variant % 3;
        const Clip clip = {.backend = variant & 1 ? "fakeone" : "auto",
                           .considered = only_one,
                           .n_frames = N_FRAMES,
                           .n_threads = variant & 2 ? 2 : 0,
                           .n_pictures = 7,
                           .n_subsample = variant & 4 ? 4 : 0,
                           .backwards = (variant & 8) != 0,
                           .five_frames = (variant & 2) != 0,
                           .wait_at = 4,
                           .spot_check = EVERY_FRAME};
        clip_run(&clip, &outcome);
        assert_int_equal(outcome.error, 0);
        assert_int_equal(outcome.status.spot_check_failed, 0);
        /* motion wants every frame, also where psnr skips it */
        assert_int_equal(outcome.status.spot_checks, atomic_load(&fake->n_frames));
        if (variant & 1)
            assert_int_equal(outcome.status.spot_checks, N_FRAMES);
        assert_int_equal(outcome.status.spot_check_downloads, 0);
        assert_true(clip_equal(&clip, &outcome, clip_truth(&clip)));
    }
}

/* Two requests of one feature, which are accumulated together. */
CASE(given_only_the_second_request_is_wrong_then_it_is_found)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->motion_turns_wrong = true;
    fake->right_requests = 2; /* psnr and motion */
    const Clip clip = {
        .backend = "fakeone", .n_threads = 1, .no_vif = true, .spot_check = EVERY_FRAME};
    VmafContext *vmaf = clip_open(&clip);
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "motion_five_frame_window", "true"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", dict), 0);
    int err = 0;
    for (unsigned i = 0; i < N_FRAMES && !err; i++)
        err = clip_read(vmaf, &clip, i);
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    assert_int_equal(err, -EIO);
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    assert_int_equal(vmaf_backend_status(vmaf, &status), 0);
    assert_int_equal(status.spot_check_failed, 1);
    vmaf_close(vmaf);
}

CASE(given_only_the_last_frame_is_wrong_then_the_flush_tells)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->psnr_turns_wrong = true;
    fake->wrong_from = N_FRAMES - 1;
    const Clip clip = {
        .backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1, .spot_check = EVERY_FRAME};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.n_read, N_FRAMES);
    assert_int_equal(outcome.error, -EIO);
    assert_nothing_is_trusted(&clip);
}

CASE(given_a_score_of_the_model_is_known_then_it_is_not_given_any_more)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->motion_turns_wrong = true;
    fake->wrong_from = WRONG_FROM;
    const Clip clip = {
        .backend = "fakeone", .n_threads = 1, .no_vif = true, .spot_check = EVERY_FRAME};
    VmafContext *vmaf = clip_open(&clip);
    VmafModel *model;
    VmafModelConfig cfg = {0};
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    int err = 0;
    double score;
    for (unsigned i = 0; i < N_FRAMES && !err; i++) {
        err = clip_read(vmaf, &clip, i);
        if (i == 2) /* which waits for frame 0 */
            assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 0), 0);
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    assert_int_equal(err, -EIO);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 0), -EIO);
    assert_int_equal(vmaf_close(vmaf), 0);
    vmaf_model_destroy(model);
}

static void run_wrong_without_checks(unsigned spot_check)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->psnr_turns_wrong = true;
    const Clip clip = {
        .backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1, .spot_check = spot_check};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status.spot_checks, 0);
    assert_non_null(
        strstr(outcome.report,
               "\"backend_spot_checks\": {\"every\": 0, \"frames\": 0, \"downloads\": 0}"));
}

CASE(given_no_checks_are_wanted_then_none_is_made_and_the_report_says_so)
{
    run_wrong_without_checks(VMAF_SPOT_CHECK_OFF);
    setenv("VMAF_BACKEND_SPOT_CHECK", "0", 1);
    run_wrong_without_checks(0);
    unsetenv("VMAF_BACKEND_SPOT_CHECK");
}

CASE(given_the_environment_then_it_counts_where_the_program_says_nothing)
{
    static const struct {
        const char *text;
        unsigned set;
        const char *reported;
    } cases[] = {
        {"1", 0, "{\"every\": 1, \"frames\": 60"},
        {"0", 1, "{\"every\": 1, \"frames\": 60"},
        {"7", 0, "{\"every\": 7,"},
        {"", 0, "{\"every\": 128,"},
        {"often", 0, "{\"every\": 128,"},
        {"-1", 0, "{\"every\": 128,"},
        {"99999999999", 0, "{\"every\": 128,"},
        {"7", 9, "{\"every\": 9,"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake_reset("fakeone");
        setenv("VMAF_BACKEND_SPOT_CHECK", cases[i].text, 1);
        const Clip clip = {
            .backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1, .spot_check = cases[i].set};
        clip_run(&clip, &outcome);
        assert_int_equal(outcome.error, 0);
        assert_non_null(strstr(outcome.report, cases[i].reported));
    }
    unsetenv("VMAF_BACKEND_SPOT_CHECK");
}

/* psnr of this one is only within a bound: nothing to compare byte for byte. */
CASE(given_a_bounded_feature_then_it_is_not_compared)
{
    FakeSettings *fake = fake_reset("fakebound");
    fake->psnr_turns_wrong = true;
    const Clip clip = {
        .backend = "fakebound", .n_frames = N_FRAMES, .n_threads = 1, .spot_check = EVERY_FRAME};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status.spot_checks, N_FRAMES); /* of motion */
}

CASE(given_the_device_is_lost_after_wrong_records_then_the_run_fails_all_the_same)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->psnr_turns_wrong = true;
    fake->wrong_from = 5;
    fake->fault = FAULT_COLLECT_LOST;
    fake->fault_frame = 6;
    const Clip clip = {.considered = only_one,
                       .n_frames = N_FRAMES,
                       .n_threads = 0,
                       .wait_at = 1,
                       .feed_us = 500,
                       .spot_check = EVERY_FRAME};
    clip_run(&clip, &outcome);
    if (!outcome.n_events) /* the CPU was faster */
        return;
    assert_int_equal(outcome.error, -EIO);
    assert_int_equal(outcome.status.spot_check_failed, 1);
    assert_nothing_is_trusted(&clip);
}

CASE(given_a_context_is_closed_during_a_check_then_nothing_is_left)
{
    for (unsigned i = 0; i < 40; i += COMBINATION_STEP) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->psnr_turns_wrong = i % 2;
        fake->wrong_from = 3;
        const Clip clip = {.backend = i & 2 ? "fakeone" : "auto",
                           .n_frames = 2 + i % 9,
                           .n_threads = i % 3,
                           .n_pictures = i & 4 ? 6 : 0,
                           .wait_at = 1,
                           .spot_check = EVERY_FRAME,
                           .close_at_once = true};
        clip_run(&clip, &outcome);
        fake_expect_closed(fake);
    }
}

/* Compiled against an older header, which had no such member. */
CASE(given_a_shorter_structure_then_the_rest_is_as_if_nothing_was_said)
{
    fake_reset("fakeone");
    const Clip clip = {.backend = "fakeone", .n_frames = 1};
    VmafContext *vmaf = clip_open(&clip);
    VmafBackendTuning tuning = {.join_after = 1, .spot_check = 77};
    tuning.struct_size = offsetof(VmafBackendTuning, reserved);
    assert_int_equal(vmaf_backend_tune(vmaf, &tuning), 0);
    assert_int_equal(clip_read(vmaf, &clip, 0), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    char path[] = "/tmp/vmaf-spot-XXXXXX", report[4096];
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *in = fdopen(file, "r");
    assert_int_equal(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_JSON), 0);
    assert_non_null(in = freopen(path, "r", in));
    report[fread(report, 1, sizeof(report) - 1, in)] = '\0';
    fclose(in);
    remove(path);
    assert_non_null(strstr(report, "{\"every\": 128,"));
    tuning.struct_size = sizeof(size_t);
    assert_int_equal(vmaf_backend_tune(vmaf, &tuning), -EINVAL);
    vmaf_close(vmaf);
}
