/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several devices at one clip: "many" has three, "other" has two of which the first is the last of
 * "many", and "soft" has two that are software. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

/* TIME_LIMIT: for an answer, in milliseconds: many times what one takes here, whatever else runs.
 * STEP: sanitizers make the self-tests of each run slow, and do with every fifth. */
#ifdef VMAF_SANITIZED
enum { TIME_LIMIT = 3000, STEP = 5 };
#else
enum { TIME_LIMIT = 1500, STEP = 1 };
#endif
/* Few, of which only some have a feature of the CPU's: that is what the tests' time goes into. */
enum { N_FRAMES = 60, EVERY_FRAME = 1 };

static Outcome outcome;
static FakeSettings *many, *other, *soft;

static void reset(void)
{
    many = fake_reset("many");
    other = fake_reset("other");
    soft = fake_reset("soft");
    soft->device_kind = 4;
}

static unsigned sum(const atomic_uint counts[], unsigned n)
{
    unsigned total = 0;
    for (unsigned i = 0; i < n; i++)
        total += atomic_load(&counts[i]);
    return total;
}

/* What the run has taken of them. The plugin may have given an answer more, as it was lost. */
static unsigned sum_of_run(void)
{
    unsigned total = 0;
    for (unsigned i = 0; i < outcome.n_devices; i++)
        total += (unsigned)outcome.devices[i].frames;
    return total;
}

/* ---- all devices of one backend ---- */

CASE(given_all_devices_of_a_backend_then_they_share_the_frames)
{
    for (unsigned variant = 0; variant < 15; variant += STEP) {
        reset();
        many->slots = 1 + variant % 3;
        for (unsigned i = 0; i < 3; i++) {
            many->frame_us[i] = 300 + 200 * i;
            many->share[i] = 1;
        }
        const Clip clip = {.backend = "many",
                           .all_devices = true,
                           .n_frames = N_FRAMES,
                           .n_threads = variant & 1 ? 2 : 0,
                           .n_subsample = variant % 3 == 1 ? 3 : 0,
                           .backwards = variant % 4 >= 2,
                           .five_frames = variant % 5 < 2,
                           .n_pictures = variant % 5 % 2 ? 12 : 0,
                           .no_vif = variant % 4 != 1,
                           .spot_check = EVERY_FRAME};
        clip_run_true(&clip, &outcome);
        assert_int_equal(outcome.n_devices, 3);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(outcome.devices[i].device_index, i);
            assert_int_equal(outcome.devices[i].phase, VMAF_BACKEND_PHASE_ACTIVE);
            assert_int_equal(outcome.devices[i].frames, atomic_load(&many->n_frames_of[i]));
            assert_true(outcome.devices[i].frames > 0);
            assert_int_equal(outcome.devices[i].frames_in_flight, 1 + variant % 3);
        }
        assert_int_equal(sum(many->n_frames_of, 3), N_FRAMES); /* the CPU does none */
        assert_int_equal(outcome.status.frames_by_backend, N_FRAMES);
        assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
        assert_int_equal(outcome.status.spot_checks, N_FRAMES);
        assert_int_equal(outcome.status.device_index, 0);
        fake_expect_closed(many);
        assert_int_equal(atomic_load(&other->n_opened), 0);
    }
}

CASE(given_several_devices_then_the_report_has_a_table_of_them)
{
    reset();
    Clip clip = {.backend = "many",
                 .all_devices = true,
                 .n_frames = N_FRAMES,
                 .n_threads = 1,
                 .no_vif = true};
    clip_run(&clip, &outcome);
    char table[512];
    snprintf(table, sizeof(table),
             "\"backend_devices\": [\n"
             "    {\"backend\": \"many\", \"device\": 0, \"name\": \"Fake device 0\", "
             "\"frames\": %u},\n"
             "    {\"backend\": \"many\", \"device\": 1, \"name\": \"Fake device 1\", "
             "\"frames\": %u},\n"
             "    {\"backend\": \"many\", \"device\": 2, \"name\": \"Fake device 2\", "
             "\"frames\": %u},\n"
             "    {\"backend\": \"cpu\", \"frames\": 0}\n"
             "  ],\n"
             "  \"backend_used\": \"many\"",
             atomic_load(&many->n_frames_of[0]), atomic_load(&many->n_frames_of[1]),
             atomic_load(&many->n_frames_of[2]));
    assert_non_null(strstr(outcome.report, table));
    assert_non_null(
        strstr(outcome.report, "{\"extractor\": \"psnr_many\", \"backend\": \"many\"}"));

    clip.all_devices = false; /* one is no table */
    clip_run(&clip, &outcome);
    assert_null(strstr(outcome.report, "backend_devices"));
    assert_int_equal(outcome.n_devices, 1);
}

CASE(given_software_devices_alone_then_all_take_part)
{
    reset();
    const Clip clip = {
        .backend = "soft", .all_devices = true, .n_frames = N_FRAMES, .no_vif = true};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.n_devices, 2);
}

/* A multiple of what is wanted is given to a busy machine; there it is the waiting that counts. */
static bool is_balanced(unsigned scale)
{
    enum { N = 2000 };
    static const unsigned us[3] = {1000, 2000, 4000};
    const double ideal = N / (1.0 / us[0] + 1.0 / us[1] + 1.0 / us[2]);
    reset();
    for (unsigned i = 0; i < 3; i++)
        many->frame_us[i] = us[i] * scale;
    const Clip clip = {.backend = "many",
                       .all_devices = true,
                       .n_frames = N,
                       .n_threads = 1,
                       .no_vif = true,
                       .spot_check = VMAF_SPOT_CHECK_OFF};
    VmafContext *vmaf = clip_open(&clip);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(clip_read(vmaf, &clip, i), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_int_equal(sum(many->n_frames_of, 3), N);
    bool balanced = true;
    for (unsigned i = 0; i < 3; i++) {
        const double took = (double)us[i] * atomic_load(&many->n_frames_of[i]);
        balanced &= took > 0.95 * ideal && took < 1.05 * ideal;
    }
    return balanced;
}

CASE(given_devices_of_different_speeds_then_each_works_as_long_as_the_others)
{
    unsigned scale = 1;
    while (!is_balanced(scale) && scale < 30)
        scale *= 3;
    assert_true(scale < 30);
}

/* ---- which take part ---- */

CASE(given_devices_that_do_not_start_or_compute_less_then_they_are_left_out)
{
    static const struct {
        unsigned dead, decline, taking_part;
    } cases[] = {{1, 0, 6}, {2, 0, 5}, {3, 0, 4}, {0, 1, 6}, {0, 6, 1}, {0, 7, 7}, {1, 2, 4}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i += STEP) {
        reset();
        many->dead_devices = cases[i].dead;
        many->decline_devices = cases[i].decline;
        many->frame_us[0] = many->frame_us[1] = many->frame_us[2] = 500;
        const Clip clip = {
            .backend = "many",
            .all_devices = true,
            .n_frames = N_FRAMES,
            .n_threads = i % 3,
            .no_vif = i > 3,
        };
        clip_run_true(&clip, &outcome);
        assert_int_equal(outcome.n_events, 0);
        for (unsigned d = 0; d < 3; d++) {
            const bool takes_part = cases[i].taking_part >> d & 1;
            assert_int_equal(outcome.devices[d].phase,
                             takes_part ? VMAF_BACKEND_PHASE_ACTIVE : VMAF_BACKEND_PHASE_FAILED);
            assert_true((atomic_load(&many->n_frames_of[d]) > 0) == takes_part);
        }
        assert_int_equal(sum(many->n_frames_of, 3), N_FRAMES);
        fake_expect_closed(many);
    }
}

CASE(given_no_device_that_starts_then_the_run_fails_at_its_start)
{
    reset();
    many->dead_devices = 7;
    const Clip clip = {.backend = "many", .all_devices = true, .n_frames = 10, .n_threads = 1};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, -EIO);
    assert_int_equal(outcome.n_read, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_FAILED);
    assert_string_equal(outcome.reason, "device 0 makes no plans");
    fake_expect_closed(many);
}

CASE(given_choices_that_contradict_then_they_are_refused)
{
    reset();
    const Clip clip = {.backend = "many", .all_devices = true};
    VmafContext *vmaf = clip_open(&clip);
    assert_int_equal(vmaf_backend_select(vmaf, "many", -2), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "many", -1), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "many", 0), -EBUSY);
    assert_int_equal(vmaf_backend_select(vmaf, "other", -2), -EBUSY);
    VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
    assert_int_equal(vmaf_backend_device_use(vmaf, 2, &use), 0);
    assert_string_equal(use.backend, "many");
    assert_string_equal(use.device, "Fake device 2");
    assert_int_equal(use.device_index, 2);
    assert_int_equal(use.phase, VMAF_BACKEND_PHASE_STARTING);
    assert_int_equal(use.frames, 0);
    assert_int_equal(vmaf_backend_device_use(vmaf, 3, &use), -ERANGE);
    assert_int_equal(vmaf_backend_device_use(vmaf, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_backend_device_use(NULL, 0, &use), -EINVAL);
    assert_int_equal(vmaf_close(vmaf), 0);
    fake_expect_closed(many);

    const Clip one = {.backend = "many"};
    vmaf = clip_open(&one);
    assert_int_equal(vmaf_backend_select(vmaf, "many", -2), -EBUSY);
    assert_int_equal(vmaf_close(vmaf), 0);

    const Clip none = {0};
    vmaf = clip_open(&none);
    assert_int_equal(vmaf_backend_select(vmaf, "auto", -2), -EINVAL);
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -2), -EINVAL);
    assert_int_equal(vmaf_backend_select(vmaf, "many", -3), -EINVAL);
    assert_int_equal(vmaf_backend_consider(vmaf, "many", -2), 0);
    assert_int_equal(vmaf_backend_consider(vmaf, "many", -3), -EINVAL);
    assert_int_equal(vmaf_backend_device_use(vmaf, 0, &use), -ERANGE);
    assert_int_equal(vmaf_close(vmaf), 0);
}

/* ---- "auto" ---- */

CASE(given_auto_then_every_device_joins_once_and_software_does_not)
{
    for (unsigned variant = 0; variant < 6; variant += STEP) {
        reset();
        const Clip clip = {.backend = variant & 1 ? "auto" : NULL,
                           .n_frames = 150,
                           .n_threads = variant / 2,
                           .five_frames = true,
                           .no_vif = true,
                           .wait_for = 4};
        clip_run_true(&clip, &outcome);
        assert_int_equal(outcome.n_devices, 4);
        assert_int_equal(sum(many->n_sessions_of, 3), 3);
        assert_int_equal(atomic_load(&other->n_sessions_of[0]), 0); /* the last one of "many" */
        assert_int_equal(atomic_load(&other->n_sessions_of[1]), 1);
        assert_int_equal(atomic_load(&soft->n_opened), 0);
        const unsigned n = sum(many->n_frames_of, 3) + sum(other->n_frames_of, 2);
        assert_int_equal(outcome.status.frames_by_backend, n);
        assert_true(n > 0);
        assert_non_null(strstr(outcome.report, "\"backend\": \"other\", \"device\": 1,"));
        fake_expect_closed(many);
        fake_expect_closed(other);
    }
}

CASE(given_a_backend_is_excluded_then_the_next_one_uses_the_device)
{
    reset();
    static const char *const considered[] = {"other", NULL};
    const Clip clip = {.considered = considered, .n_frames = 60, .n_threads = 1, .wait_for = 2};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.n_devices, 2);
    assert_int_equal(sum(other->n_sessions_of, 2), 2);
    assert_int_equal(atomic_load(&many->n_opened), 0);
}

/* Another backend may do what the first cannot. */
CASE(given_a_device_that_does_not_start_then_the_next_backend_uses_it)
{
    reset();
    many->dead_devices = 4;
    const Clip clip = {.n_frames = 60, .n_threads = 1, .wait_for = 4};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(sum(many->n_sessions_of, 3), 2);
    assert_int_equal(sum(other->n_sessions_of, 2), 2);
}

/* With the CPU for the rest; a frame is never with two devices. */
CASE(given_devices_that_compute_different_features_then_scores_are_equal)
{
    for (unsigned variant = 0; variant < 12; variant += STEP) {
        reset();
        many->decline_devices = 1 + variant % 6;
        for (unsigned i = 0; i < 3; i++)
            many->frame_us[i] = variant & 1 ? 200 * (i + 1) : 900 - 300 * i;
        other->frame_us[1] = 400;
        const Clip clip = {.backend = "auto",
                           .n_frames = N_FRAMES,
                           .n_threads = variant % 3,
                           .n_subsample = variant & 2 ? 3 : 0,
                           .n_pictures = variant & 4 ? 16 : 0,
                           .wait_for = variant % 3 ? 4 : 1,
                           .wait_until_started = true,
                           .no_vif = variant & 1};
        clip_run_true(&clip, &outcome);
        /* Without threads only those take part that compute what the first one does. Another
         * backend has the device that is rejected, and one more. */
        assert_int_equal(outcome.n_devices, clip.n_threads || variant % 6 ? 4 : 1);
    }
}

/* ---- what goes wrong ---- */

CASE(given_one_device_that_is_lost_then_the_others_go_on)
{
    static const FakeFault faults[] = {FAULT_SUBMIT_LOST,  FAULT_COLLECT_LOST, FAULT_STATUS,
                                       FAULT_OUT_OF_ORDER, FAULT_OVERWRITE,    FAULT_OUT_OF_BOUNDS};
    for (size_t f = 0; f < sizeof(faults) / sizeof(faults[0]); f += STEP) {
        for (unsigned k = 0; k < 2; k++) {
            const unsigned lost = (unsigned)(f + k) % 3;
            reset();
            many->fault = faults[f];
            many->fault_frame = 5;
            many->fault_devices = 1u << lost;
            many->share[lost] = 6;
            many->frame_us[0] = many->frame_us[1] = many->frame_us[2] = 400;
            const Clip clip = {.backend = "many",
                               .all_devices = true,
                               .n_frames = N_FRAMES,
                               .n_threads = lost,
                               .five_frames = true,
                               .no_vif = lost != 1,
                               .n_pictures = lost ? 30 : 0};
            clip_run_true(&clip, &outcome);
            assert_int_equal(outcome.n_events, 1);
            assert_int_equal(outcome.event_device, lost);
            assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
            assert_int_equal(outcome.status.device_index, lost ? 0 : 1);
            assert_int_equal(outcome.status.hangs, 0);
            assert_int_equal(outcome.status.starting, 0);
            assert_int_equal(outcome.devices[lost].phase, VMAF_BACKEND_PHASE_FAILED);
            assert_in_range(outcome.devices[lost].frames, 1, 5);
            assert_int_equal(sum_of_run(), N_FRAMES);
            assert_int_equal(outcome.status.frames_by_backend, N_FRAMES);
            char event[64];
            snprintf(event, sizeof(event),
                     "{\"backend\": \"many\", \"device\": %u, \"frame\":", lost);
            assert_non_null(strstr(outcome.report, event));
            fake_expect_closed(many);
        }
    }
}

CASE(given_auto_when_devices_are_lost_then_what_is_left_goes_on)
{
    for (unsigned variant = 1; variant <= 8; variant += STEP) {
        /* The last time without threads, while the caller waits for pictures that devices have. */
        const bool waits = variant == 8;
        const unsigned lost = waits ? 7 : variant;
        reset();
        many->fault = FAULT_COLLECT_LOST;
        many->fault_frame = 3;
        many->fault_devices = lost;
        if (lost == 7) {
            other->fault = FAULT_SUBMIT_LOST;
            other->fault_frame = 4;
        }
        for (unsigned d = 0; d < 3 && waits; d++)
            many->frame_us[d] = other->frame_us[d] = 20000;
        const Clip clip = {.backend = "auto",
                           .n_frames = 200,
                           .no_vif = lost != 7,
                           .n_threads = waits ? 0 : lost % 3,
                           .n_pictures = waits      ? 4
                                         : lost & 1 ? 20
                                                    : 0,
                           .feed_us = waits ? 0 : 300,
                           .wait_for = 4};
        clip_run_true(&clip, &outcome);
        for (unsigned d = 0; d < 3; d++) {
            if (!(lost >> d & 1))
                assert_int_equal(outcome.devices[d].phase, VMAF_BACKEND_PHASE_ACTIVE);
        }
        fake_expect_closed(many);
        fake_expect_closed(other);
    }
}

CASE(given_all_devices_are_lost_then_the_run_ends_with_the_last_error)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
        reset();
        many->fault = FAULT_COLLECT_LOST;
        many->fault_frame = 5;
        const Clip clip = {.backend = "many",
                           .all_devices = true,
                           .n_frames = N_FRAMES,
                           .n_threads = n_threads,
                           .no_vif = n_threads < 2,
                           .n_pictures = 14};
        clip_run(&clip, &outcome);
        assert_int_equal(outcome.error, -ENODEV);
        assert_int_equal(outcome.n_events, 3);
        assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_FAILED);
        assert_int_equal(outcome.status.failed_active, 1);
        assert_int_equal(outcome.status.device_index, outcome.event_device);
        assert_non_null(strstr(outcome.reason, "the device is lost in collect"));
        assert_int_equal(sum(many->n_frames_of, 3), 15);
        assert_string_equal(outcome.report, "");
        fake_expect_closed(many);
    }
}

CASE(given_one_device_that_lies_then_the_run_fails_and_names_it)
{
    for (unsigned liar = 0; liar < 3; liar++) {
        for (int automatic = 0; automatic < 2; automatic++) {
            reset();
            many->psnr_turns_wrong = true;
            many->wrong_devices = 1u << liar;
            many->wrong_from = 2;
            const Clip clip = {.backend = automatic ? "auto" : "many",
                               .all_devices = !automatic,
                               .n_frames = 500,
                               .no_vif = true,
                               .n_threads = liar,
                               .wait_for = automatic ? 4 : 0,
                               .feed_us = automatic ? 300 : 0,
                               .spot_check = EVERY_FRAME};
            do { /* on a busy machine others may be faster */
                clip_run(&clip, &outcome);
            } while (automatic && atomic_load(&many->n_frames_of[liar]) < 3);
            assert_int_equal(outcome.error, -EIO);
            assert_int_equal(outcome.status.spot_check_failed, 1);
            assert_int_equal(outcome.status.phase,
                             automatic ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_FAILED);
            assert_int_equal(outcome.status.device_index, liar);
            assert_int_equal(outcome.n_events, 1);
            assert_int_equal(outcome.event_device, liar);
            assert_non_null(strstr(outcome.reason, "record of psnr of frame"));
            /* of this device, which has had two */
            assert_non_null(strstr(outcome.reason, "the last frame found right is"));
            assert_string_equal(outcome.report, "");
            for (unsigned i = 0; i < clip.n_frames; i++)
                assert_true(outcome.scores[0][i] == -1);
            fake_expect_closed(many);
            fake_expect_closed(other);
        }
    }
}

/* Each in a process of its own. The other devices of the plugin are not given up with it. */
static void given_one_device_that_hangs_then_the_others_go_on(void **state)
{
    const FakeFault fault = *(FakeFault *)*state;
    reset();
    many->fault = fault;
    many->fault_frame = 4;
    many->fault_devices = 2;
    many->share[1] = 5;
    many->frame_us[0] = many->frame_us[1] = many->frame_us[2] = 400;
    const Clip clip = {.backend = "many",
                       .all_devices = true,
                       .n_frames = N_FRAMES,
                       .n_threads = 1,
                       .five_frames = true,
                       .time_limit = TIME_LIMIT};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.n_events, 1);
    assert_int_equal(outcome.event_device, 1);
    assert_true(outcome.pictures_kept >= 2);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
    assert_int_equal(outcome.status.error, -ETIMEDOUT);
    assert_int_equal(outcome.status.hangs, 1); /* nobody should wait for the driver */
    assert_int_equal(outcome.devices[1].phase, VMAF_BACKEND_PHASE_FAILED);
    assert_int_equal(sum_of_run(), N_FRAMES);
    assert_int_equal(outcome.status.frames_by_backend, N_FRAMES);
    assert_int_equal(atomic_load(&many->n_open_sessions), 1); /* the one that hangs */
    assert_int_equal(atomic_load(&many->n_devices_open), 1);
    fake_release(many); /* its threads find nothing left to do */
}

/* ---- several videos ---- */

CASE(given_a_group_then_its_members_share_the_devices)
{
    enum { MEMBERS = 3, N = 40 };
    for (unsigned variant = 0; variant < 4; variant++) {
        reset();
        many->fault = variant & 1 ? FAULT_COLLECT_LOST : FAULT_NONE;
        many->fault_frame = 4;
        many->fault_devices = 1;
        const Clip clip = {
            .backend = "many", .all_devices = true, .n_frames = N, .no_vif = variant < 3};
        const VmafGroupConfiguration cfg = {sizeof(cfg), variant / 2};
        VmafGroup *group;
        VmafContext *members[MEMBERS];
        assert_int_equal(vmaf_group_create(&group, &cfg), 0);
        for (unsigned m = 0; m < MEMBERS; m++) {
            members[m] = clip_open(&clip);
            assert_int_equal(vmaf_group_add(group, members[m]), 0);
        }
        for (unsigned i = 0; i < N; i++) {
            VmafPicture ref = clip_picture(i, false), dist[MEMBERS];
            int status[MEMBERS];
            for (unsigned m = 0; m < MEMBERS; m++)
                dist[m] = clip_picture(i, true);
            assert_int_equal(vmaf_group_read_pictures(group, &ref, dist, status, i), 0);
            for (unsigned m = 0; m < MEMBERS; m++)
                assert_int_equal(status[m], 0);
        }
        const Outcome *truth = clip_truth(&clip);
        for (unsigned m = 0; m < MEMBERS; m++) {
            assert_int_equal(vmaf_read_pictures(members[m], NULL, NULL, 0), 0);
            for (unsigned i = 0; i < N; i++) {
                double score;
                assert_int_equal(vmaf_feature_score_at_index(members[m], clip_keys[4], &score, i),
                                 0);
                assert_true(score == truth->scores[4][i]);
                assert_int_equal(vmaf_feature_score_at_index(members[m], clip_keys[0], &score, i),
                                 0);
                assert_true(score == truth->scores[0][i]);
            }
        }
        assert_int_equal(vmaf_group_close(group), 0);
        for (unsigned m = 0; m < MEMBERS; m++)
            assert_int_equal(vmaf_close(members[m]), 0);
        assert_int_equal(sum(many->n_frames_of, 3), MEMBERS * N);
        fake_expect_closed(many);
    }
}

CASE(given_a_context_is_closed_early_then_nothing_is_left)
{
    for (unsigned i = 0; i < 20; i += STEP) {
        reset();
        const Clip clip = {.backend = i & 1 ? "many" : "auto",
                           .all_devices = i & 1,
                           .n_frames = i,
                           .n_threads = i % 3,
                           .close_at_once = true};
        clip_run(&clip, &outcome);
        fake_expect_closed(many);
        fake_expect_closed(other);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        FakeFault fault;
    } hangs[] = {{"submit", FAULT_HANG_SUBMIT},
                 {"collect", FAULT_HANG_COLLECT},
                 {"close", FAULT_NEVER_AND_HANG_CLOSE}};
    for (size_t i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
        FakeFault fault = hangs[i].fault;
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(given_one_device_that_hangs_then_the_others_go_on, &fault)};
        if (take_argument(&argc, &argv, hangs[i].name))
            return run_cases_of(argc, argv, tests);
    }
    return run_cases(argc, argv);
}
