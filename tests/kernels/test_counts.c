/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The cost of a frame besides the kernels: one submission, and no objects or allocations. A
 * counting layer lies between the session and the device layer; the linker wraps the functions of
 * the C library and of Vulkan that allocate. Takes the layer's name.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "counts.h"
#include "device_state.h"
#include "fixture.h"
#include "session.h"
#include "support/cases.h"
#include "test_sets.h"
#include "tested_metrics.h"

enum { WIDTH = 66, HEIGHT = 50, FRAMES = 60, IN_FLIGHT = 4 };
enum { EVERYTHING = (1 << N_TESTED_METRICS) - 1 }; /* is wanted */

/* ---- The counting layer ---- */

static const VmafDeviceLayer *counted;         /* the one behind it */
static atomic_uint n_submissions, n_creations; /* several threads find kernels */
static unsigned n_in_lane[VMAF_DEVICE_STREAMS], n_destroyed_buffers;

static int count_buffer_create(VmafDevice *device, VmafDeviceBuffer **buffer,
                               const VmafDeviceBufferParams *params)
{
    n_creations++;
    return counted->buffer_create(device, buffer, params);
}

static int count_kernel_find(VmafDevice *device, const VmafDeviceKernel **kernel, const char *name)
{
    n_creations++;
    return counted->kernel_find(device, kernel, name);
}

static int count_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list)
{
    n_creations++;
    return counted->command_list_begin(device, list);
}

static int count_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                        const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    n_submissions++;
    n_in_lane[params->stream]++;
    return counted->submit(queue, list, params, ticket);
}

static void count_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer)
{
    n_destroyed_buffers += buffer != NULL;
    counted->buffer_destroy(device, buffer);
}

/* ---- A session ---- */

static uint64_t split_above; /* 0: as the device is */

typedef struct Run {
    Fixture fixture;
    VmafDeviceLayer counting;
    VmafBackendPlan *plan;
    VmafBackendSession *session;
    unsigned slots;
    void *records[N_TESTED_METRICS];
    unsigned char *pixels;
    VmafBackendPicture picture;
    uint64_t sequence;
    unsigned outstanding;
} Run;

static void open_plan(Run *run)
{
    const VmafBackendPlanParams params = {.width = WIDTH,
                                          .height = HEIGHT,
                                          .depth = 8,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .frames_in_flight = IN_FLIGHT};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    assert_int_equal(tested_plan_create(run->fixture.device, tested_metrics, &params, &run->plan),
                     0);
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    assert_int_equal(vmaf_plan_info(run->plan, &info), 0);
    run->slots = info.slots;
    for (unsigned r = 0; r < N_TESTED_METRICS; r++) {
        VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
        assert_int_equal(vmaf_plan_answer(run->plan, r, &answer), 0);
        assert_true(answer.accepted);
        run->records[r] = calloc(1, answer.record_size);
        assert_non_null(run->records[r]);
    }
    assert_int_equal(vmaf_session_open(run->plan, &run->session, &why), 0);
}

static void begin(Run *run)
{
    *run = (Run){0};
    fixture_open_kernels(&run->fixture, product_kernel_set(layer_name), NULL);
    counted = run->fixture.device->layer;
    run->counting = *counted;
    run->counting.buffer_create = count_buffer_create;
    run->counting.kernel_find = count_kernel_find;
    run->counting.command_list_begin = count_command_list_begin;
    run->counting.submit = count_submit;
    run->counting.buffer_destroy = count_buffer_destroy;
    run->fixture.device->layer = &run->counting;
    if (split_above)
        run->fixture.device->state->split_above = split_above;
    open_plan(run);
    run->pixels = calloc(HEIGHT, WIDTH);
    assert_non_null(run->pixels);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        run->pixels[i] = (unsigned char)(i * 7 + i / 13);
    run->picture = (VmafBackendPicture){.struct_size = sizeof(run->picture)};
    for (unsigned p = 0; p < 3; p++) {
        run->picture.data[p] = run->pixels;
        run->picture.stride[p] = p ? WIDTH / 2 : WIDTH;
    }
}

static void end(Run *run)
{
    vmaf_session_close(run->session);
    vmaf_plan_destroy(run->plan);
    for (unsigned r = 0; r < N_TESTED_METRICS; r++)
        free(run->records[r]);
    free(run->pixels);
    fixture_close(&run->fixture);
}

static void collect(Run *run)
{
    int32_t status[N_TESTED_METRICS];
    VmafBackendResult result = {.struct_size = sizeof(result),
                                .n_requests = N_TESTED_METRICS,
                                .records = run->records,
                                .status = status};
    assert_int_equal(vmaf_session_collect(run->session, 1800000, &result), 0);
    run->outstanding--;
}

static void collect_all(Run *run)
{
    while (run->outstanding)
        collect(run);
}

static void submit(Run *run, uint64_t wanted, bool context)
{
    const VmafBackendFrame frame = {.struct_size = sizeof(frame),
                                    .flags = context ? VMAF_BACKEND_SUBMIT_CONTEXT : 0,
                                    .sequence = run->sequence++,
                                    .wanted = {context ? 0 : wanted},
                                    .ref = &run->picture,
                                    .dist = &run->picture};
    if (run->outstanding == run->slots)
        collect(run);
    assert_int_equal(vmaf_session_submit(run->session, &frame), 0);
    run->outstanding += !context;
}

typedef struct Totals {
    unsigned submissions, creations, allocations, vulkan_creations;
} Totals;

static Totals totals_now(void)
{
    return (Totals){atomic_load(&n_submissions), atomic_load(&n_creations), counts_allocations(),
                    counts_vulkan_creations()};
}

static void assert_only_submissions(Totals before, unsigned n)
{
    const Totals after = totals_now();
    assert_int_equal(after.submissions - before.submissions, n);
    assert_int_equal(after.creations, before.creations);
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.vulkan_creations, before.vulkan_creations);
}

/* ---- Tests ---- */

CASE(given_a_session_opening_it_is_counted)
{
    Run run;
    const Totals before = totals_now();
    begin(&run);
    const Totals after = totals_now();
    assert_true(after.creations > before.creations + 10);
    assert_true(after.allocations > before.allocations + 10);
    if (strcmp(layer_name, "vulkan") == 0)
        assert_true(after.vulkan_creations > before.vulkan_creations + 10);
    end(&run);
}

CASE(given_an_open_session_a_frame_is_one_submission_and_nothing_else)
{
    Run run;
    begin(&run);
    const Totals before = totals_now();
    for (unsigned f = 0; f < FRAMES; f++)
        submit(&run, EVERYTHING, false);
    collect_all(&run);
    assert_only_submissions(before, FRAMES);
    end(&run);
}

/* Of the last of some frames. */
static unsigned char *records_of(Run *run)
{
    enum { ROOM = 1024 };
    unsigned char *all = calloc(N_TESTED_METRICS, ROOM);
    assert_non_null(all);
    for (unsigned f = 0; f < FRAMES; f++)
        submit(run, EVERYTHING, false);
    collect_all(run);
    for (unsigned r = 0; r < N_TESTED_METRICS; r++)
        memcpy(all + r * (size_t)ROOM, run->records[r],
               vmaf_metric_find(tested_metrics[r])->record_size);
    return all;
}

CASE(given_a_large_frame_it_is_submitted_in_parts)
{
    Run run;
    begin(&run);
    unsigned char *expected = records_of(&run);
    end(&run);
    split_above = (uint64_t)WIDTH * HEIGHT - 1;
    begin(&run);
    const Totals before = totals_now();
    unsigned char *found = records_of(&run);
    const unsigned parts = run.plan->program->n_steps;
    const unsigned submitted = totals_now().submissions - before.submissions;
    assert_true(submitted >= 4 * FRAMES && submitted <= (parts + 1) * FRAMES);
    assert_int_equal(totals_now().creations, before.creations);
    assert_memory_equal(found, expected, (size_t)N_TESTED_METRICS * 1024);
    end(&run);
    split_above = (uint64_t)WIDTH * HEIGHT; /* not larger than that */
    begin(&run);
    const Totals whole = totals_now();
    free(records_of(&run));
    assert_int_equal(totals_now().submissions - whole.submissions, FRAMES);
    end(&run);
    split_above = 0;
    free(expected);
    free(found);
}

CASE(given_jumps_each_neighbour_is_at_most_one_submission_more)
{
    Run run;
    begin(&run);
    /* Where kernels read what the host has written, neighbours need nothing. */
    const unsigned of_neighbours = run.fixture.device->info.caps.unified_memory ? 0 : 2;
    const Totals before = totals_now();
    for (unsigned f = 0; f < FRAMES / 3; f++) {
        run.sequence += 10;
        submit(&run, 0, true);
        submit(&run, 0, true);
        submit(&run, EVERYTHING, false);
    }
    collect_all(&run);
    assert_only_submissions(before, FRAMES / 3 * (1 + of_neighbours));
    end(&run);
}

/* Command lists for unusual sets of requests are made on first use. */
CASE(given_subsampling_nothing_is_created_after_the_first_lap)
{
    Run run;
    Totals before = {0};
    begin(&run);
    const unsigned lap = 3 * vmaf_plan_positions(run.plan);
    for (unsigned f = 0; f < 3 * lap; f++) {
        if (f == lap)
            before = totals_now();
        submit(&run, f % 3 == 0 ? EVERYTHING : f % 3, false);
    }
    collect_all(&run);
    assert_only_submissions(before, 2 * lap);
    end(&run);
}

CASE(given_frames_in_flight_they_take_lanes_in_turn)
{
    Run run;
    begin(&run);
    const unsigned before[] = {n_in_lane[0], n_in_lane[1]};
    for (unsigned f = 0; f < FRAMES; f++)
        submit(&run, EVERYTHING, false);
    collect_all(&run);
    assert_int_equal(run.plan->streams, VMAF_DEVICE_STREAMS);
    assert_true(n_in_lane[0] - before[0] >= FRAMES / 2);
    assert_true(n_in_lane[1] - before[1] >= FRAMES / 3);
    end(&run);
}

/* A buffer that is the run's picture from now on. */
static VmafBackendBuffer *use_buffer(Run *run)
{
    const VmafBackendBufferParams params = {.struct_size = sizeof(params),
                                            .kind = VMAF_BACKEND_BUFFER_PINNED,
                                            .width = WIDTH,
                                            .height = HEIGHT,
                                            .depth = 8,
                                            .pixel_format = VMAF_BACKEND_PIXEL_420,
                                            .planes = 7};
    VmafBackendBuffer *buffer;
    assert_int_equal(vmaf_buffer_create(run->fixture.device, &params, &buffer), 0);
    run->picture = (VmafBackendPicture){.struct_size = sizeof(run->picture), .buffer = buffer};
    return buffer;
}

/* What a submission reads is not freed before it has ended, whatever the host does. */
CASE(given_a_buffer_in_use_it_outlives_its_release)
{
    for (unsigned cancelled = 0; cancelled < 2; cancelled++) {
        Run run;
        begin(&run);
        VmafBackendBuffer *buffer = use_buffer(&run);
        submit(&run, EVERYTHING, false);
        const unsigned before = n_destroyed_buffers;
        if (cancelled)
            vmaf_session_cancel(run.session);
        vmaf_buffer_release(buffer);
        assert_int_equal(n_destroyed_buffers, before);
        if (!cancelled) {
            collect(&run);
            assert_int_equal(n_destroyed_buffers, before + 1);
        }
        end(&run);
        assert_true(n_destroyed_buffers > before + 1);
    }
}

/* That an earlier one has ended says nothing of a later one. */
CASE(given_two_buffers_in_use_each_waits_for_its_own_frame)
{
    Run run;
    VmafBackendBuffer *buffers[2];
    begin(&run);
    for (unsigned i = 0; i < 2; i++) {
        buffers[i] = use_buffer(&run);
        submit(&run, EVERYTHING, false);
    }
    const unsigned before = n_destroyed_buffers;
    for (unsigned i = 0; i < 2; i++)
        vmaf_buffer_release(buffers[i]);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(n_destroyed_buffers, before + i);
        collect(&run);
    }
    assert_int_equal(n_destroyed_buffers, before + 2);
    end(&run);
}

/* Drivers wait for all work of a device before they free memory. So nothing is given back, and what
 * is left is reached from here. The last test. */
CASE(given_a_device_on_which_something_is_stuck_a_session_closes_without_freeing)
{
    static Run run;
    begin(&run);
    atomic_store(&run.fixture.device->stuck, true);
    n_destroyed_buffers = 0;
    vmaf_session_close(run.session);
    assert_int_equal(n_destroyed_buffers, 0);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
