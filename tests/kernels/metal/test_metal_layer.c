/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The rules of the Metal layer, on the emulated Metal: what it commits and when, what it keeps,
 * how it compiles. What every layer has to do is in test_layer.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "application.h"
#include "layer_rules.h"
#include "metal_layer.h"
#include "support/cases.h"
#include "test_sets.h"

static const VmafDeviceLayer *layer;
static const VmafDeviceOpenParams usual;

static uint64_t count(const char *what)
{
    return emulated_metal_count(what);
}

/* -- times -- */

enum { PASSES = 30 };

static VmafDeviceCommandList *new_timed_list(const Trip *trip)
{
    VmafDeviceCommandList *list;
    const VmafDeviceCopy move = {
        .dst = trip->memory[1], .src = trip->memory[0], .row_size = TRIP_BYTES, .rows = 1};
    assert_int_equal(trip->layer->command_list_begin(trip->device, &list), 0);
    for (uint32_t i = 0; i <= PASSES; i++) {
        assert_int_equal(trip->layer->cmd_timestamp(list, i), 0);
        assert_int_equal(vmaf_device_cmd_copy(list, &move), 0);
        assert_int_equal(trip->layer->cmd_barrier(list), 0);
    }
    assert_int_equal(trip->layer->command_list_end(list), 0);
    return list;
}

static void assert_times(const Trip *trip, VmafDeviceCommandList *list)
{
    uint64_t times[PASSES + 1], copies[2];
    assert_int_equal(trip->layer->timestamps(list, times, PASSES + 1), 0);
    assert_int_equal(trip->layer->copy_times(list, copies), 0);
    /* A copy takes some microseconds there. */
    for (int i = 0; i < PASSES; i++)
        assert_in_range(times[i + 1] - times[i], 500, 1000000);
    assert_in_range(copies[1] - copies[0], 500, 1000000);
    assert_true(copies[1] <= times[0]);
}

/* More borders at a time than a stream remembers: those that have ended make room. */
CASE(given_times_they_are_those_of_the_borders_of_the_work)
{
    enum { LISTS = 4, RUNS = 5 };
    Trip trip;
    VmafDeviceTicket tickets[LISTS];
    VmafDeviceCommandList *lists[LISTS];
    metal_use_machine(NULL, "late");
    trip_start(&trip, &usual);
    trip.device->profiling = true;
    for (int i = 0; i < LISTS; i++)
        lists[i] = new_timed_list(&trip);
    const VmafDeviceCopy up = {
        .dst = trip.memory[0], .src = trip.upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit), .copies = &up, .n_copies = 1};
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < LISTS; i++)
            assert_int_equal(vmaf_device_submit(trip.queue, lists[i], &submit, &tickets[i]), 0);
        for (int i = 0; i < LISTS; i++) {
            assert_int_equal(trip.layer->wait(trip.queue, tickets[i], UINT64_MAX), 0);
            assert_times(&trip, lists[i]);
        }
    }
    for (int i = 0; i < LISTS; i++)
        trip.layer->command_list_destroy(lists[i]);
    trip_end(&trip);
    metal_end(0);
}

/* -- kernels -- */

/* Fast math is on unless it is turned off; newer systems have a second switch. */
CASE(given_a_system_kernels_are_compiled_exactly)
{
    for (int version = 11; version <= 15; version++) {
        Trip trip;
        char machine[32];
        snprintf(machine, sizeof(machine), "driver %d", version);
        metal_use_machine(machine, NULL);
        trip_start(&trip, &usual);
        assert_int_equal(count("setFastMathEnabled:"), 1);
        assert_int_equal(count("setMathMode:"), version >= 15);
        assert_int_equal(count("setLanguageVersion:"), 1);
        trip_end(&trip);
        metal_end(0);
    }
}

CASE(given_text_that_the_system_refuses_the_kernel_is_not_found)
{
    static const struct {
        const char *message, *words;
        int error;
    } cases[] = {
        {"newLibraryWithSource:options:error:", "reads_outside does not compile: ", -EIO},
        {"newFunctionWithName:", "reads_outside is not in its text", -EIO},
        {"newComputePipelineStateWithFunction:error:", "reads_outside has no pipeline: ", -EIO}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char machine[96];
        snprintf(machine, sizeof(machine), "fail %s 1 1", cases[i].message);
        layer_rules_refuse_kernel(machine, cases[i].error, cases[i].words);
        metal_end(0);
    }
}

/* A system may offer fewer threads than a kernel needs, unless its text says how many these are. */
CASE(given_too_few_threads_the_kernel_is_refused)
{
    static char text[65536];
    const VmafKernel *source = vmaf_kernel_set_find(product_kernel_set("metal"), "psnr_sse_8");
    const char *whole = source->codes[0].code;
    const char *attribute = strstr(whole, "[[max_total_threads");
    VmafKernel kernel = *source;
    const VmafKernelCode code = {"", text, sizeof(text)};
    const VmafKernelSet set = {.target = "metal", .kernels = &kernel, .count = 1};
    const VmafDeviceOpenParams params = {.kernels = &set};
    const VmafDeviceKernel *found;
    VmafDevice *device;
    char words[256];
    assert_non_null(attribute);
    snprintf(text, sizeof(text), "%.*s%s", (int)(attribute - whole), whole,
             strstr(attribute, "]]") + 2);
    kernel.codes = &code;
    metal_use_machine(NULL, NULL);
    assert_int_equal(layer->open(&device, &params, words, sizeof(words)), 0);
    assert_int_equal(layer->kernel_find(device, &found, "psnr_sse_8"), -ENOTSUP);
    layer->last_error(device, words, sizeof(words));
    assert_non_null(strstr(words, "psnr_sse_8 cannot run with "));
    layer->close(device);
    metal_end(0);
}

/* Command buffers of copies and of the list, with a copy, two kernels in one encoder, a copy. */
static void assert_calls(uint32_t submissions)
{
    assert_int_equal(count("commit"), 2 * submissions);
    assert_int_equal(count("launch"), 2 * submissions);
    assert_int_equal(count("computeCommandEncoderWithDispatchType:"), submissions);
    assert_int_equal(count("blitCommandEncoder"), 2 * submissions);
    assert_int_equal(count("memoryBarrierWithScope:"), 2 * submissions);
}

/* Metal has nothing that is current in a thread. */
static void assert_caller_untouched(void)
{
}

static void leave_machine(void)
{
    metal_end(0);
}

int main(int argc, char **argv)
{
    layer = fixture_load("metal")->layer;
    const LayerRules rules = {
        .layer = "metal",
        .configure = emulated_metal_configure,
        .use_machine = metal_use_machine,
        .leave_machine = leave_machine,
        .assert_caller_untouched = assert_caller_untouched,
        .count = emulated_metal_count,
        .assert_calls = assert_calls,
        .allocations = "allocation",
        .objects = "objects", /* pools are emptied */
        .loaded_from = "MTLLibrary",
        .load = "newLibraryWithSource:options:error:",
        .refuses_memory = "fail newBufferWithBytesNoCopy:length:options:deallocator: 2 1",
        .n_refused = 1,
    };
    select_cases(argc, argv);
    const int failed = layer_rules_run(&rules);
    return end_cases(failed + run_defined_cases(NULL, NULL));
}
