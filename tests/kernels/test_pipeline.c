/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The pipeline (plans and sessions) at its limits: invalid calls, pictures that are too large,
 * memory that runs out at every possible place, devices that hang. Takes the layer's name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "fixture.h"
#include "gpu_timer.h"
#include "session.h"
#include "support/cases.h"
#include "test_sets.h"
#include "tested_metrics.h"

enum { WIDTH = 50, HEIGHT = 38, PATIENCE_MS = 3600000 }; /* software devices compile for a minute */

/* Those for devices that compile each kernel for seconds. */
static const char *const quick_metrics[N_TESTED_METRICS] = {"motion", "psnr", "motion", "psnr"};

static bool is_slow(void)
{
    return strcmp(layer_name, "vulkan") == 0 && !getenv("VMAF_TEST_ALL");
}

static const char *const *metrics_of_layer(void)
{
    return is_slow() ? quick_metrics : tested_metrics;
}

static int32_t make_plan(Fixture *fixture, uint32_t w, uint32_t h, uint32_t in_flight,
                         VmafBackendPlan **plan)
{
    const VmafBackendPlanParams params = {.width = w,
                                          .height = h,
                                          .depth = 8,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .frames_in_flight = in_flight};
    return tested_plan_create(fixture->device, metrics_of_layer(), &params, plan);
}

static int32_t open_session(VmafBackendPlan *plan, VmafBackendSession **session)
{
    VmafBackendReason why = {.struct_size = sizeof(why)};
    const int32_t result = vmaf_session_open(plan, session, &why);
    assert_true((result == VMAF_BACKEND_OK) == (*session != NULL));
    if (result != VMAF_BACKEND_OK)
        assert_true(why.text[0] != '\0');
    return result;
}

static unsigned char grey[HEIGHT * WIDTH];

static int32_t submit(VmafBackendSession *session, uint64_t sequence, uint32_t flags,
                      const void *luma)
{
    const VmafBackendPicture picture = {.struct_size = sizeof(picture),
                                        .data = {luma, grey, grey},
                                        .stride = {WIDTH, WIDTH / 2, WIDTH / 2}};
    VmafBackendFrame frame = {.struct_size = sizeof(frame),
                              .flags = flags,
                              .sequence = sequence,
                              .ref = &picture,
                              .dist = &picture};
    frame.wanted[0] = flags ? 0 : (UINT64_C(1) << N_TESTED_METRICS) - 1;
    return vmaf_session_submit(session, &frame);
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, uint64_t *sequence)
{
    _Alignas(16) unsigned char memory[N_TESTED_METRICS][1024];
    void *records[N_TESTED_METRICS];
    int32_t status[N_TESTED_METRICS];
    for (unsigned r = 0; r < N_TESTED_METRICS; r++) {
        assert_true(vmaf_metric_find(tested_metrics[r])->record_size <= sizeof(memory[r]));
        records[r] = memory[r];
    }
    VmafBackendResult result = {.struct_size = sizeof(result),
                                .n_requests = N_TESTED_METRICS,
                                .records = records,
                                .status = status};
    const int32_t answer = vmaf_session_collect(session, timeout_ms, &result);
    *sequence = result.sequence;
    return answer;
}

/* A session of a plan of that size for the metrics, which has to be granted. */
typedef struct Run {
    Fixture fixture; /* is open before */
    VmafBackendPlan *plan;
    VmafBackendSession *session;
} Run;

static void run_begin(Run *run, const char *const features[N_TESTED_METRICS], uint32_t w,
                      uint32_t h)
{
    const VmafBackendPlanParams params = {.width = w,
                                          .height = h,
                                          .depth = 8,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .frames_in_flight = 2};
    assert_int_equal(tested_plan_create(run->fixture.device, features, &params, &run->plan),
                     VMAF_BACKEND_OK);
    assert_int_equal(open_session(run->plan, &run->session), VMAF_BACKEND_OK);
}

static void run_end(Run *run)
{
    vmaf_session_close(run->session);
    vmaf_plan_destroy(run->plan);
    fixture_close(&run->fixture);
}

static void run_frame(const Run *run, uint64_t number)
{
    uint64_t sequence;
    assert_int_equal(submit(run->session, number, 0, grey), VMAF_BACKEND_OK);
    assert_int_equal(collect(run->session, PATIENCE_MS, &sequence), VMAF_BACKEND_OK);
    assert_int_equal(sequence, number);
}

/* All are accepted but this one. */
static void assert_declined(VmafBackendPlan *plan, const char *const features[N_TESTED_METRICS],
                            const char *declined)
{
    for (uint32_t r = 0; r < N_TESTED_METRICS; r++) {
        VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
        assert_int_equal(vmaf_plan_answer(plan, r, &answer), VMAF_BACKEND_OK);
        assert_int_equal(answer.accepted, strcmp(features[r], declined) != 0);
    }
}

/* ---- Plans ---- */

static uint32_t slots_of(Fixture *fixture, uint32_t in_flight)
{
    VmafBackendPlan *plan;
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    assert_int_equal(make_plan(fixture, WIDTH, HEIGHT, in_flight, &plan), VMAF_BACKEND_OK);
    assert_int_equal(vmaf_plan_info(plan, &info), VMAF_BACKEND_OK);
    assert_true(info.device_memory > 0);
    vmaf_plan_destroy(plan);
    return info.slots;
}

CASE(given_any_number_of_frames_wanted_some_are_granted)
{
    Fixture fixture;
    fixture_open_faulty(&fixture, NULL);
    assert_int_equal(slots_of(&fixture, 0), 2);
    assert_int_equal(slots_of(&fixture, 5), 5);
    assert_int_equal(slots_of(&fixture, UINT32_MAX), 8);
    fixture_close(&fixture);
}

CASE(given_broken_parameters_there_is_no_plan)
{
    static const struct {
        uint32_t flags, width, height, depth, format, n_requests;
    } broken[] = {
        {1, 64, 64, 8, VMAF_BACKEND_PIXEL_420, 0},
        {0, 0, 64, 8, VMAF_BACKEND_PIXEL_420, 0},
        {0, 64, UINT32_MAX, 8, VMAF_BACKEND_PIXEL_420, 0},
        {0, 64, 64, 7, VMAF_BACKEND_PIXEL_420, 0},
        {0, 64, 64, 17, VMAF_BACKEND_PIXEL_420, 0},
        {0, 64, 64, 8, 0, 0},
        {0, 64, 64, 8, 5, 0},
        {0, 64, 64, 8, VMAF_BACKEND_PIXEL_420, 257},
    };
    Fixture fixture;
    fixture_open_faulty(&fixture, NULL);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                              .flags = broken[i].flags,
                                              .width = broken[i].width,
                                              .height = broken[i].height,
                                              .depth = broken[i].depth,
                                              .pixel_format = broken[i].format,
                                              .n_requests = broken[i].n_requests};
        VmafBackendReason why = {.struct_size = sizeof(why)};
        VmafBackendPlan *plan;
        assert_int_equal(vmaf_plan_create(fixture.device, &params, &plan, &why),
                         VMAF_BACKEND_INVALID);
        assert_null(plan);
        assert_true(why.text[0] != '\0');
    }
    fixture_close(&fixture);
}

CASE(given_pictures_that_are_too_large_all_is_declined)
{
    static const uint32_t sizes[][2] = {
        {INT32_MAX / 4, INT32_MAX / 4}, {INT32_MAX / 4, 3}, {3, INT32_MAX / 4},
        {1u << 16, 1u << 16},           {1u << 24, 64},
    };
    Fixture fixture;
    fixture_open_faulty(&fixture, NULL);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        VmafBackendPlan *plan;
        const int32_t result = make_plan(&fixture, sizes[i][0], sizes[i][1], 4, &plan);
        assert_int_equal(result, VMAF_BACKEND_OK);
        for (uint32_t r = 0; r < N_TESTED_METRICS; r++) {
            VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
            assert_int_equal(vmaf_plan_answer(plan, r, &answer), VMAF_BACKEND_OK);
            assert_false(answer.accepted);
            assert_true(answer.reason[0] != '\0');
        }
        vmaf_plan_destroy(plan);
    }
    fixture_close(&fixture);
}

CASE(given_little_memory_fewer_frames_are_granted)
{
    Fixture fixture;
    VmafBackendPlan *plan;
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    fixture_open_faulty(&fixture, NULL);
    assert_int_equal(make_plan(&fixture, 640, 360, 8, &plan), VMAF_BACKEND_OK);
    assert_int_equal(vmaf_plan_info(plan, &info), VMAF_BACKEND_OK);
    assert_int_equal(info.slots, 8);
    assert_int_equal(plan->streams, 2);
    vmaf_plan_destroy(plan);
    for (uint32_t slots = 8; slots > 2; slots--) { /* the second lane goes first */
        fixture.device->info.caps.memory_size = info.device_memory - 1;
        assert_int_equal(make_plan(&fixture, 640, 360, 8, &plan), VMAF_BACKEND_OK);
        assert_int_equal(vmaf_plan_info(plan, &info), VMAF_BACKEND_OK);
        assert_int_equal(info.slots, slots);
        assert_int_equal(plan->streams, 1);
        assert_true(info.device_memory <= fixture.device->info.caps.memory_size);
        vmaf_plan_destroy(plan);
    }
    fixture_close(&fixture);
}

/* Drivers that do not tell their limits say 0. */
CASE(given_unknown_limits_nothing_is_declined)
{
    Run run;
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    fixture_open_faulty(&run.fixture, NULL);
    run.fixture.device->info.caps.memory_size = 0;
    run.fixture.device->info.caps.max_buffer_size = 0;
    run.fixture.device->info.caps.max_binding_size = 0;
    assert_int_equal(make_plan(&run.fixture, WIDTH, HEIGHT, 8, &run.plan), VMAF_BACKEND_OK);
    assert_int_equal(vmaf_plan_info(run.plan, &info), VMAF_BACKEND_OK);
    assert_int_equal(info.slots, 8);
    assert_declined(run.plan, tested_metrics, "");
    assert_int_equal(open_session(run.plan, &run.session), VMAF_BACKEND_OK);
    run_frame(&run, 0);
    run_end(&run);
}

/* The metric that does not fit is left to the host, not all. */
CASE(given_a_small_device_the_largest_metric_is_declined)
{
    const char *const features[N_TESTED_METRICS] = {is_slow() ? "psnr" : "vif", "ssim", "motion",
                                                    "ssim"};
    Run run;
    fixture_open_faulty(&run.fixture, NULL);
    /* A number of 8 bytes for each pixel. */
    run.fixture.device->info.caps.max_binding_size = 8 * 96 * 64 - 1;
    run_begin(&run, features, 96, 64);
    assert_declined(run.plan, features, "ssim");
    run_end(&run);
}

CASE(given_a_buffer_as_large_as_a_binding_may_be_the_session_opens)
{
    const char *const features[N_TESTED_METRICS] = {is_slow() ? "psnr" : "vif", "ssim", "motion",
                                                    "psnr"};
    Run run;
    fixture_open_faulty(&run.fixture, NULL);
    run.fixture.device->info.caps.max_binding_size = 8 * WIDTH * HEIGHT;
    run_begin(&run, features, WIDTH, HEIGHT);
    assert_declined(run.plan, features, "");
    run_frame(&run, 0);
    run_end(&run);
}

/* ---- Sessions ---- */

CASE(given_broken_calls_the_session_goes_on)
{
    Run run;
    uint64_t sequence;
    fixture_open_faulty(&run.fixture, NULL);
    run_begin(&run, metrics_of_layer(), WIDTH, HEIGHT);
    VmafBackendSession *session = run.session;
    assert_int_equal(collect(session, 0, &sequence), VMAF_BACKEND_NOTHING);
    assert_int_equal(submit(session, 5, 0, NULL), VMAF_BACKEND_INVALID);
    assert_int_equal(submit(session, 5, 64, grey), VMAF_BACKEND_INVALID);
    for (uint64_t round = 0; round < 30; round += 2) {
        assert_int_equal(submit(session, 10 + round, 0, grey), VMAF_BACKEND_OK);
        assert_int_equal(submit(session, 11 + round, 0, grey), VMAF_BACKEND_OK);
        assert_int_equal(submit(session, 12 + round, 0, grey), VMAF_BACKEND_INVALID);
        for (uint64_t k = 0; k < 2; k++) {
            assert_int_equal(collect(session, PATIENCE_MS, &sequence), VMAF_BACKEND_OK);
            assert_int_equal(sequence, 10 + round + k);
        }
    }
    assert_int_equal(vmaf_session_reset(session), VMAF_BACKEND_OK);
    assert_int_equal(submit(session, 7, 0, grey), VMAF_BACKEND_OK);
    vmaf_session_cancel(session);
    assert_int_equal(collect(session, PATIENCE_MS, &sequence), VMAF_BACKEND_CANCELLED);
    assert_int_equal(submit(session, 8, 0, grey), VMAF_BACKEND_CANCELLED);
    run_end(&run);
}

/* More neighbours than positions in the ring; a frame that is not collected keeps its results. */
CASE(given_many_neighbours_results_outlive_them)
{
    Run run;
    uint64_t sequence;
    fixture_open_faulty(&run.fixture, NULL);
    run_begin(&run, metrics_of_layer(), WIDTH, HEIGHT);
    VmafBackendSession *session = run.session;
    assert_int_equal(submit(session, 1, 0, grey), VMAF_BACKEND_OK);
    for (uint64_t k = 0; k < 20; k++)
        assert_int_equal(submit(session, 100 + k, VMAF_BACKEND_SUBMIT_CONTEXT, grey),
                         VMAF_BACKEND_OK);
    assert_int_equal(submit(session, 120, 0, grey), VMAF_BACKEND_OK);
    assert_int_equal(collect(session, PATIENCE_MS, &sequence), VMAF_BACKEND_OK);
    assert_int_equal(sequence, 1);
    assert_int_equal(collect(session, PATIENCE_MS, &sequence), VMAF_BACKEND_OK);
    assert_int_equal(sequence, 120);
    assert_int_equal(collect(session, 0, &sequence), VMAF_BACKEND_NOTHING);
    run_end(&run);
}

/* ---- Profiles ---- */

CASE(given_profiling_each_work_of_a_frame_has_its_time)
{
    enum { FRAMES = 5 };
    Run run;
    VmafSdkProfileEntry entry = {.struct_size = sizeof(entry)};
    fixture_open_faulty(&run.fixture, NULL);
    run.fixture.device->profiling = true;
    run_begin(&run, metrics_of_layer(), WIDTH, HEIGHT);
    for (uint64_t k = 0; k < FRAMES; k++)
        run_frame(&run, k);
    VmafBackendSession *session = run.session;
    const uint32_t last = run.plan->program->n_steps + 2;
    if (!run.fixture.device->info.caps.timestamps) {
        assert_int_equal(vmaf_session_profile(session, 0, &entry), VMAF_BACKEND_NOT_SUPPORTED);
    } else {
        for (uint32_t i = 0; i <= last; i++) {
            assert_int_equal(vmaf_session_profile(session, i, &entry), VMAF_BACKEND_OK);
            assert_true(entry.bytes > 0);
            if (i > 0) /* with unified memory there is no upload */
                assert_int_equal(entry.runs, FRAMES);
        }
        assert_string_equal(entry.name, "read-back");
        assert_int_equal(vmaf_session_profile(session, last + 1, &entry), VMAF_BACKEND_INVALID);
    }
    run_end(&run);
}

CASE(given_no_profiling_there_are_no_times)
{
    Run run;
    VmafSdkProfileEntry entry = {.struct_size = sizeof(entry)};
    fixture_open_faulty(&run.fixture, NULL);
    run_begin(&run, metrics_of_layer(), WIDTH, HEIGHT);
    assert_int_equal(vmaf_session_profile(run.session, 0, &entry), VMAF_BACKEND_NOT_SUPPORTED);
    run_end(&run);
}

CASE(given_a_device_its_copies_are_measured)
{
    Fixture fixture;
    double bandwidth;
    fixture_open_faulty(&fixture, NULL);
    for (uint32_t copy = VMAF_SDK_COPY_DEVICE; copy <= VMAF_SDK_COPY_DOWNLOAD; copy++) {
        assert_int_equal(vmaf_measure_copy(fixture.device, copy, &bandwidth), VMAF_BACKEND_OK);
        assert_true(bandwidth > 1e6);
    }
    assert_int_equal(vmaf_measure_copy(fixture.device, VMAF_SDK_COPY_DOWNLOAD + 1, &bandwidth),
                     VMAF_BACKEND_INVALID);
    fixture_close(&fixture);
}

/* ---- Failures ---- */

CASE(given_no_memory_for_any_buffer_the_session_is_refused)
{
    int32_t result = VMAF_BACKEND_OUT_OF_MEMORY;
    uint64_t number = 0;
    while (result != VMAF_BACKEND_OK) {
        const VmafDeviceFaults faults = {.no_memory_from_buffer = ++number};
        Fixture fixture;
        VmafBackendPlan *plan;
        VmafBackendSession *session;
        fixture_open_faulty(&fixture, &faults);
        assert_int_equal(make_plan(&fixture, WIDTH, HEIGHT, 2, &plan), VMAF_BACKEND_OK);
        result = open_session(plan, &session);
        if (result != VMAF_BACKEND_OK)
            assert_int_equal(result, VMAF_BACKEND_OUT_OF_MEMORY);
        vmaf_session_close(session);
        vmaf_plan_destroy(plan);
        fixture_close(&fixture);
    }
    assert_true(number > 10);
}

static int32_t plan_and_open(Fixture *fixture)
{
    VmafBackendPlan *plan;
    VmafBackendSession *session;
    int32_t result = make_plan(fixture, WIDTH, HEIGHT, 2, &plan);
    if (result != VMAF_BACKEND_OK)
        return result;
    result = open_session(plan, &session);
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
    return result;
}

CASE(given_any_failing_allocation_it_is_out_of_memory)
{
    int32_t result = VMAF_BACKEND_OUT_OF_MEMORY;
    unsigned number = 0;
    Fixture fixture;
    fixture_open_faulty(&fixture, NULL);
    while (result != VMAF_BACKEND_OK) {
        counts_fail_allocation(++number);
        result = plan_and_open(&fixture);
        counts_fail_allocation(0);
        if (result != VMAF_BACKEND_OK)
            assert_int_equal(result, VMAF_BACKEND_OUT_OF_MEMORY);
    }
    assert_true(number > 50);
    fixture_close(&fixture);
}

CASE(given_a_device_lost_at_any_frame_the_session_closes)
{
    for (uint64_t lost = 1; lost < 12; lost++) {
        const VmafDeviceFaults faults = {.lose_at_submit = lost};
        Fixture fixture;
        VmafBackendPlan *plan;
        VmafBackendSession *session;
        uint64_t sequence;
        int32_t result;
        fixture_open_faulty(&fixture, &faults);
        assert_int_equal(make_plan(&fixture, WIDTH, HEIGHT, 2, &plan), VMAF_BACKEND_OK);
        result = open_session(plan, &session);
        for (uint64_t k = 0; k < 20 && result == VMAF_BACKEND_OK; k++) {
            result = submit(session, k, 0, grey);
            if (result == VMAF_BACKEND_OK && k > 0)
                result = collect(session, PATIENCE_MS, &sequence);
        }
        assert_int_equal(result, VMAF_BACKEND_DEVICE_LOST);
        if (session) {
            assert_int_equal(submit(session, 99, 0, grey), VMAF_BACKEND_DEVICE_LOST);
            result = collect(session, PATIENCE_MS, &sequence);
            assert_true(result == VMAF_BACKEND_DEVICE_LOST || result == VMAF_BACKEND_NOTHING);
        }
        vmaf_session_close(session);
        vmaf_plan_destroy(plan);
        fixture_close(&fixture);
    }
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
