/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Traces of runs with backends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"
#include "trace/child.h"
#include "trace/trace_file.h"

#define FEATURES "psnr motion vif"

enum { N_FRAMES = 24 };

static const char *const only_one[] = {"fakeone", NULL};

typedef struct Run {
    Clip clip;
    FakeSettings one, two; /* what is not 0 is set */
    Outcome outcome;
    bool profiled;
} Run;

static Run *runs; /* shared with children */

static void set(const char *name, const FakeSettings *wanted, FakeSettings **settings)
{
    FakeSettings *fake = fake_reset(name);
    fake->fault = wanted->fault;
    fake->fault_frame = wanted->fault_frame;
    fake->has_times = wanted->has_times;
    fake->answer_us = wanted->answer_us;
    fake->slots = wanted->slots ? wanted->slots : fake->slots;
    *settings = fake;
}

static void run(void *argument)
{
    Run *of = argument;
    FakeSettings *one, *two;
    set("fakeone", &of->one, &one);
    set("faketwo", &of->two, &two);
    clip_run(&of->clip, &of->outcome);
    of->profiled = atomic_load(&one->profiled);
}

static Run *begin_run(unsigned i, const Clip *clip)
{
    memset(&runs[i], 0, sizeof(runs[i]));
    runs[i].clip = *clip;
    return &runs[i];
}

static Trace trace_of(Run *of)
{
    const char *path = child_file("run.json");
    child_run(path, run, of, NULL, 0);
    assert_int_equal(of->outcome.error, 0);
    return trace_load(path);
}

CASE(given_a_backend_then_all_its_stages_are_there)
{
    /* More than wait at a time, each for longer than a busy machine takes to read one. */
    enum { MANY_FRAMES = 60, ANSWER_US = 50000 };
    const Clip clip = {.backend = "fakeone", .n_frames = MANY_FRAMES, .n_threads = 1};
    Run *plain = begin_run(0, &clip), *traced = begin_run(1, &clip);
    traced->one.answer_us = plain->one.answer_us = ANSWER_US;
    traced->one.slots = plain->one.slots = 2;
    child_run(NULL, run, plain, NULL, 0);
    Trace trace = trace_of(traced);
    assert_true(clip_equal(&clip, &plain->outcome, &traced->outcome));
    assert_false(plain->profiled);
    assert_true(traced->profiled);
    trace_check_frames(&trace, 1, MANY_FRAMES, FEATURES);

    static const char *const stages[] = {"select a backend", "open the device",   "plan",
                                         "self-test",        "open a session",    "close a session",
                                         "close the device", "end of the backend"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        const Match stage = {.name = stages[i]};
        if (!trace_count(&trace, &stage))
            fail_msg("there is no \"%s\"", stages[i]);
    }
    for (unsigned frame = 0; frame < MANY_FRAMES; frame++) {
        expect_count(&trace, 1, .row = "submit: fakeone, Fake device", .category = "backend",
                     .name = "submit", .with_frame = true, .frame = frame);
        expect_some(&trace, .row = "collect: fakeone, Fake device", .category = "backend",
                    .name = "collect", .with_frame = true, .frame = frame);
    }
    /* The device takes two frames and is slow: all wait for it. */
    const Match collects = {.name = "collect"};
    assert_int_equal(trace_rows(&trace, 1, "call with a time limit"), 1);
    assert_int_equal(trace_rows(&trace, 1, "supervisor of a device: fakeone"), 1);
    assert_int_equal(trace_rows(&trace, 1, "supervisor of backends"),
                     0); /* one that is named is brought up by the caller */
    assert_true(trace_sum(&trace, &collects) >= (double)ANSWER_US * MANY_FRAMES);
    expect_some(&trace, .row = "submit", .category = "wait", .name = "wait for the device");
    expect_some(&trace, .row = "application", .category = "wait", .name = "wait for room");
    expect_some(&trace, .category = "wait", .name = "wait for a call");
    trace_free(&trace);
}

CASE(given_a_device_that_measures_then_it_has_a_row)
{
    const Clip clip = {.backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1};
    Run *traced = begin_run(0, &clip);
    traced->one.has_times = true;
    Trace trace = trace_of(traced);
    const Match uploads = {.row = "device: Fake device", .category = "device", .name = "upload"};
    const Match kernels = {.row = "device: Fake device", .category = "device", .name = FAKE_KERNEL};
    assert_int_equal(trace_count(&trace, &uploads), N_FRAMES);
    assert_int_equal(trace_count(&trace, &kernels), N_FRAMES);
    assert_float_equal(trace_sum(&trace, &uploads), N_FRAMES * FAKE_UPLOAD_NS / 1000.0, 0.01);
    assert_float_equal(trace_sum(&trace, &kernels), N_FRAMES * FAKE_KERNEL_NS / 1000.0, 0.01);
    for (unsigned frame = 0; frame < N_FRAMES; frame++) {
        expect_count(&trace, 1, .name = FAKE_KERNEL, .with_frame = true, .frame = frame);
    }
    trace_free(&trace);
}

CASE(given_a_device_that_does_not_measure_then_it_has_none)
{
    const Clip clip = {.backend = "fakeone", .n_frames = 3};
    Trace trace = trace_of(begin_run(0, &clip));
    expect_count(&trace, 0, .category = "device");
    trace_free(&trace);
}

CASE(given_a_backend_that_fails_then_the_trace_says_when_and_why)
{
    for (unsigned n_threads = 0; n_threads <= 2; n_threads += 2) {
        const Clip clip = {.considered = only_one,
                           .n_frames = 60,
                           .n_threads = n_threads,
                           .join_after = 1,
                           .wait_at = 1,
                           .feed_us = 500};
        Run *traced = &runs[0];
        Trace trace = {0};
        for (int i = 0; i < 20; i++) { /* the CPU may be faster than the backend */
            trace_free(&trace);
            begin_run(0, &clip);
            traced->one.fault = FAULT_COLLECT_LOST;
            trace = trace_of(traced);
            if (traced->outcome.n_events)
                break;
        }
        assert_int_equal(traced->outcome.n_events, 1);
        trace_check_frames(&trace, 1, 60, FEATURES);
        const Match failure = {.row = "supervisor",
                               .category = "backend",
                               .name = "failure",
                               .with_frame = true,
                               .frame = traced->outcome.event_frame};
        assert_string_equal(trace_detail(&trace, &failure), traced->outcome.event_reason);
        expect_count(&trace, 1, .row = "supervisor", .category = "backend", .name = "failover");
        trace_free(&trace);
    }
}

CASE(given_a_second_backend_then_both_have_rows)
{
    const Clip clip = {.n_frames = 200, .n_threads = 1, .wait_at = 1, .feed_us = 3000};
    const Match answers = {.row = "collect: faketwo", .name = "collect"};
    Run *traced = &runs[0];
    Trace trace = {0};
    for (int i = 0; i < 20; i++) {
        trace_free(&trace);
        begin_run(0, &clip);
        traced->one.fault = FAULT_COLLECT_LOST;
        trace = trace_of(traced);
        if (traced->outcome.n_events && trace_count(&trace, &answers))
            break;
    }
    trace_check_frames(&trace, 1, 200, FEATURES);
    const Match tries = {.row = "supervisor", .name = "try"};
    expect_some(&trace, .row = "collect: fakeone", .name = "collect");
    expect_some(&trace, .row = "collect: faketwo", .name = "collect");
    assert_true(trace_count(&trace, &tries) >= 2);
    trace_free(&trace);
}

CASE(given_spot_checks_then_each_is_there)
{
    const Clip clip = {.backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1, .spot_check = 1};
    Run *traced = begin_run(0, &clip);
    Trace trace = trace_of(traced);
    const Match checks = {.row = "spot checks", .category = "work", .name = "spot check"};
    assert_true(traced->outcome.status.spot_checks > 0);
    assert_true(trace_count(&trace, &checks) >= traced->outcome.status.spot_checks);
    trace_free(&trace);
}

CASE(given_a_driver_that_hangs_then_its_call_is_unfinished)
{
    const Clip clip = {.considered = only_one,
                       .n_frames = 30,
                       .n_threads = 1,
                       .join_after = 1,
                       .wait_at = 1,
                       .feed_us = 500,
                       .time_limit = 1000,
                       .no_vif = true};
    Run *traced = begin_run(0, &clip);
    traced->one.fault = FAULT_HANG_SUBMIT;
    traced->one.fault_frame = 1;
    Trace trace = trace_of(traced);
    if (traced->outcome.n_events) { /* else the CPU was faster */
        size_t i, n = 0;
        json_t *event;
        json_array_foreach(trace.events, i, event) n +=
            json_is_true(json_object_get(json_object_get(event, "args"), "unfinished"));
        assert_true(n > 0);
    }
    trace_free(&trace);
}

/* ---- real kernels ---- */

static void score_with_kernels(void *argument)
{
    const char *backend = argument;
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.n_threads = 1};
    if (vmaf_init(&vmaf, cfg))
        abort();
    if (vmaf_backend_select(vmaf, backend, -1)) {
        vmaf_close(vmaf); /* there is no device here */
        return;
    }
    const Clip clip = {.n_frames = 8};
    if (vmaf_use_feature(vmaf, "psnr", NULL))
        abort();
    for (unsigned i = 0; i < clip.n_frames; i++) {
        if (clip_read(vmaf, &clip, i))
            abort();
    }
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0) || vmaf_close(vmaf))
        abort();
}

static void check_kernels(const char *folders, const char *backend)
{
    char before[1024];
    const char *path = child_file("kernels.json");
    if (!getenv(folders))
        skip();
    snprintf(before, sizeof(before), "%s", getenv("VMAF_BACKEND_PATH"));
    setenv("VMAF_BACKEND_PATH", getenv(folders), 1);
    child_run(path, score_with_kernels, (void *)backend, NULL, 0);
    setenv("VMAF_BACKEND_PATH", before, 1);
    Trace trace = trace_load(path);
    const Match frames = {.category = "frame"};
    if (!trace_count(&trace, &frames)) {
        print_message("skipped: %s finds no device here\n", backend);
        trace_free(&trace);
        skip();
    }
    trace_check_frames(&trace, 1, 8, "psnr");
    const Match any = {.row = "device: ", .category = "device"};
    const bool has_times = trace_count(&trace, &any) > 0; /* a driver may have no timestamps */
    assert_true(has_times || !strcmp(backend, "vulkan"));
    const Match kernel = {.row = "device: ", .category = "device", .name = "psnr_sse_8"};
    assert_true(!has_times || trace_count(&trace, &kernel) >= 8);
    trace_free(&trace);
}

CASE(given_kernels_on_the_emulator_then_their_times_are_there)
{
    check_kernels("TRACE_EMULATOR", "emulator");
}

CASE(given_kernels_on_vulkan_then_their_times_are_there)
{
    check_kernels("TRACE_VULKAN", "vulkan");
}

/* ---- */

static int begin(void **state)
{
    runs = child_memory(2 * sizeof(*runs));
    return 0;
}

CASES_SHARE(begin, child_remove_folder);
