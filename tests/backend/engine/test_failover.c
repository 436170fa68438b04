/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Backends that fail while they score. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

/* For an answer, in milliseconds: many times what one takes here, whatever else runs. */
#ifdef VMAF_SANITIZED
#define TIME_LIMIT 3000
enum { STEP = 3 }; /* of combinations: sanitizers make the self-test of each run slow */
#else
#define TIME_LIMIT 1000
enum { STEP = 1 };
#endif
#define TEXT(number)      #number
#define AS_TEXT(number)   TEXT(number)
#define NO_ANSWER_IN_TIME "no answer to a frame within " AS_TEXT(TIME_LIMIT) " ms"

enum { N_FRAMES = 80 };

static Outcome outcome;
static const char *const only_one[] = {"fakeone", NULL};

typedef struct Expected {
    int error;
    const char *reason;
} Expected;

static const Expected expected[N_FAULTS] = {
    [FAULT_SUBMIT_LOST] = {-ENODEV, "the device is lost in submit: as \"the test\" wants it"},
    [FAULT_COLLECT_LOST] = {-ENODEV, "the device is lost in collect: as \"the test\" wants it"},
    [FAULT_COLLECT_OUT_OF_MEMORY] = {-ENOMEM, "out of memory in collect: as \"the test\" wants it"},
    [FAULT_COLLECT_FAILED] = {-EIO, "it failed in collect: as \"the test\" wants it"},
    [FAULT_STATUS] = {-ENOMEM, "no record of a frame"},
    [FAULT_OUT_OF_BOUNDS] = {-EIO, "out of bounds"},
    [FAULT_OUT_OF_ORDER] = {-EIO, "out of order"},
    [FAULT_TWICE] = {-EIO, "out of order"},
    [FAULT_OVERWRITE] = {-EIO, "wrote beyond a record"},
    [FAULT_NOTHING_OUTSTANDING] = {-EIO, "in collect"},
    [FAULT_NEVER] = {-ETIMEDOUT, NO_ANSWER_IN_TIME},
    [FAULT_HANG_SUBMIT] = {-ETIMEDOUT, "it does not return from submit"},
    [FAULT_HANG_COLLECT] = {-ETIMEDOUT, "it does not return from collect"},
    [FAULT_NEVER_AND_HANG_CLOSE] = {-ETIMEDOUT, NO_ANSWER_IN_TIME},
};

/* Faults that leave the plugin unusable come last, each in a process of its own. */
static bool kills_the_plugin(FakeFault fault)
{
    return fault == FAULT_HANG_SUBMIT || fault == FAULT_HANG_COLLECT ||
           fault == FAULT_NEVER_AND_HANG_CLOSE;
}

/* Only those that wait for it are to see the time limit. */
static unsigned time_limit(FakeFault fault)
{
    return expected[fault].error == -ETIMEDOUT ? TIME_LIMIT : 0;
}

/* Whether the backend came so far as to fail: on a busy machine the CPU may be faster. */
static bool check_failover(const Clip *clip, const FakeSettings *fake)
{
    const FakeFault fault = fake->fault;
    clip_run(clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_true(clip_equal(clip, &outcome, clip_truth(clip)));
    if (!outcome.n_events && (clip->n_threads || atomic_load(&fake->n_frames) <= fake->fault_frame))
        return false;
    assert_int_equal(outcome.n_events, 1);
    assert_non_null(strstr(outcome.event_reason, expected[fault].reason));
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
    assert_int_equal(outcome.status.error, expected[fault].error);
    assert_int_equal(outcome.status.failed_active, 1);
    assert_int_equal(outcome.status.frame, outcome.event_frame);
    assert_non_null(
        strstr(outcome.report, "\"backend_events\": [\n    {\"backend\": \"fakeone\", "));
    if (strchr(expected[fault].reason, '"'))
        assert_non_null(strstr(outcome.report, ": as \\\"the test\\\" wants it\"}"));
    return true;
}

/* Notes whether the backend came so far, with threads and late in the clip. At its first frame it
 * has to. */
static void fail_at_frame_k(FakeFault fault, unsigned k, bool *with_threads, bool *late)
{
    static const unsigned frames[] = {0, 1, 2, 9, 25};
    Clip clip = {
        .considered = only_one,
        .n_frames = N_FRAMES,
        .n_threads = k < 3 ? k : 0,
        .join_after = 1,
        .wait_at = 1,
        .n_pictures = 4 + 2 * k,
        .feed_us = k < 3 ? 0 : 200, /* so that the backend gets its share */
        .time_limit = time_limit(fault),
    };
    bool failed = false;
    for (; !failed; clip.feed_us += 100) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->fault = fault;
        fake->fault_frame = frames[k];
        failed = check_failover(&clip, fake);
        assert_int_equal(outcome.pictures_kept, 0);
        fake_expect_closed(fake);
        if (k > 0)
            break;
    }
    *with_threads |= failed && clip.n_threads;
    *late |= failed && frames[k] > 2;
}

CASE(given_auto_when_a_backend_fails_at_frame_k_then_the_cpu_goes_on)
{
    bool with_threads = false, late = false;
    while (!with_threads || !late) {
        for (int fault = FAULT_NONE + 1; fault < N_FAULTS; fault++) {
            for (unsigned k = 0; k < 5 && !kills_the_plugin((FakeFault)fault); k++) {
                if ((time_limit((FakeFault)fault) && k % 2) /* which is waited for each time */
                    || ((unsigned)fault + k) % STEP)
                    continue;
                fail_at_frame_k((FakeFault)fault, k, &with_threads, &late);
            }
        }
    }
}

CASE(given_a_second_backend_when_the_first_fails_then_it_takes_over)
{
    unsigned n_frames_of_second = 0;
    /* Opening the second one takes a while on a busy machine, so the frames may have to come more
     * slowly. */
    for (unsigned feed_us = 500; !n_frames_of_second; feed_us *= 2) {
        FakeSettings *one = fake_reset("fakeone"), *two = fake_reset("faketwo");
        one->fault = FAULT_COLLECT_LOST;
        one->fault_frame = 3;
        const Clip clip = {.n_frames = 300, .n_threads = 1, .wait_at = 1, .feed_us = feed_us};
        clip_run_true(&clip, &outcome);
        assert_int_equal(outcome.n_events, 1);
        assert_int_equal(atomic_load(&one->n_frames), 3);
        assert_int_equal(atomic_load(&two->n_open_sessions), 0);
        n_frames_of_second = atomic_load(&two->n_frames);
    }
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
    assert_string_equal(outcome.device, "Fake device");
}

CASE(given_backends_that_cannot_be_opened_then_the_cpu_scores)
{
    FakeSettings *one = fake_reset("fakeone"), *two = fake_reset("faketwo");
    one->plan_result = -4;
    two->session_result = -2;
    const Clip clip = {.n_frames = 30, .n_threads = 1, .wait_at = 2};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.n_events, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
    assert_string_equal(outcome.reason, "no session today");
    assert_int_equal(outcome.status.error, -ENOMEM);
    assert_null(strstr(outcome.report, "backend_used"));
    assert_int_equal(atomic_load(&two->n_open_sessions), 0);
}

CASE(given_little_memory_then_fewer_frames_are_in_flight)
{
    static const struct {
        unsigned asked_for, memory_for, taken, rejected;
    } cases[] = {
        {0, 2, 2, 1}, {0, 1, 1, 2}, {0, 3, 2, 1}, {0, 4, 4, 0}, {7, 1, 1, 2}, {1, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        FakeSettings *one = fake_reset("fakeone");
        one->memory_for = cases[i].memory_for;
        one->slots = 8;
        const Clip clip = {.backend = "fakeone",
                           .n_frames = 40,
                           .n_threads = i % 3 ? 1 : 0,
                           .in_flight = cases[i].asked_for};
        clip_run_true(&clip, &outcome);
        assert_int_equal(outcome.status.frames_in_flight, cases[i].taken);
        assert_in_range(atomic_load(&one->most_in_flight), 1, cases[i].taken);
        assert_int_equal(atomic_load(&one->n_refused), cases[i].rejected);
        assert_int_equal(atomic_load(&one->n_open_sessions), 0);
    }
}

CASE(given_no_memory_for_any_frame_then_the_cpu_scores_or_the_run_fails)
{
    FakeSettings *one = fake_reset("fakeone");
    one->session_result = -2; /* for any number */
    Clip clip = {.backend = "fakeone", .n_frames = 30};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, -ENOMEM);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_FAILED);
    assert_string_equal(outcome.reason, "no session today");
    assert_int_equal(atomic_load(&one->n_open_sessions), 0);
    clip = (Clip){.considered = only_one, .n_frames = 30, .n_threads = 1, .wait_at = 2};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
    assert_int_equal(outcome.status.error, -ENOMEM);
}

CASE(given_a_strict_choice_when_it_fails_then_reads_return_the_error)
{
    for (int fault = FAULT_NONE + 1; fault < N_FAULTS; fault++) {
        if (kills_the_plugin((FakeFault)fault))
            continue;
        for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
            if (STEP > 1 && ((unsigned)fault + n_threads / 2) % 2)
                continue;
            FakeSettings *fake = fake_reset("fakeone");
            fake->fault = (FakeFault)fault;
            fake->fault_frame = 5;
            const Clip clip = {.backend = "fakeone",
                               .n_frames = N_FRAMES,
                               .n_threads = n_threads,
                               .n_pictures = 6,
                               .time_limit = time_limit((FakeFault)fault)};
            clip_run(&clip, &outcome);
            assert_int_equal(outcome.error, expected[fault].error);
            assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_FAILED);
            assert_int_equal(outcome.status.error, expected[fault].error);
            if (fault == FAULT_SUBMIT_LOST) /* with the frames before that were in flight */
                assert_in_range(outcome.status.frame, 1, 5);
            else
                assert_int_equal(outcome.status.frame, 5);
            assert_non_null(strstr(outcome.reason, expected[fault].reason));
            assert_string_equal(outcome.report, "");
            const Outcome *truth = clip_truth(&clip);
            for (unsigned i = 0; i < N_FRAMES; i++) /* what was known stays, nothing comes after */
                assert_true(outcome.scores[0][i] ==
                            (i < outcome.status.frame ? truth->scores[0][i] : -1));
            fake_expect_closed(fake);
        }
    }
}

static void given_a_hang_then_its_pictures_are_kept_and_the_pool_does_not_starve(void **state)
{
    FakeSettings *fake;
    Clip clip = {.considered = only_one,
                 .n_frames = N_FRAMES,
                 .n_threads = 0,
                 .n_pictures = 4,
                 .wait_at = 1,
                 .time_limit = TIME_LIMIT};
    do {
        fake = fake_reset("fakeone");
        fake->fault = *(FakeFault *)*state;
        fake->fault_frame = 4;
        clip.feed_us += 100;
    } while (!check_failover(&clip, fake));
    assert_true(outcome.pictures_kept >= 2);
    fake_release(fake); /* its threads find nothing left to do */
    const Clip again = {.considered = only_one, .n_frames = 10, .wait_at = 2};
    clip_run(&again, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
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
        const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(
            given_a_hang_then_its_pictures_are_kept_and_the_pool_does_not_starve, &fault)};
        if (take_argument(&argc, &argv, hangs[i].name))
            return run_cases_of(argc, argv, tests);
    }
    return run_cases(argc, argv);
}
