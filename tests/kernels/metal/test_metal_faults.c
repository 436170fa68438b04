/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The Metal layer when something fails. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "application.h"
#include "layer_faults.h"
#include "metal_layer.h"
#include "support/cases.h"

static const VmafDeviceOpenParams usual;

/* In another order each time. */
static void use_machine(const char *machine)
{
    static const char *const orders[] = {"late", "early", "others"};
    static size_t n;
    metal_use_machine(machine, orders[n++ % 3]);
}

static void leave_machine(const char *machine)
{
    assert_int_equal(emulated_metal_count("memory"), 0);
    metal_end(0);
}

/* The run's command buffers, in turn: of copies, of a list; where errors signal events, too. */
CASE(given_a_command_buffer_that_fails_the_error_is_told_and_waits_end)
{
    static const struct {
        int code, error;
    } cases[] = {{1, -EIO},    {2, -ENODEV}, {3, -ENODEV}, {4, -ENODEV},
                 {7, -ENODEV}, {8, -ENOMEM}, {9, -EIO},    {11, -ENODEV}};
    const uint64_t calls = layer_faults_calls("commit");
    assert_int_equal(calls, 4);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (uint64_t n = 0; n < 2 * calls; n++) {
            Trip trip;
            char machine[96];
            snprintf(machine, sizeof(machine), "fail commit %u %d%s", (unsigned)(n / 2 + 1),
                     cases[i].code, n % 2 ? "\nerrors-signal" : "");
            metal_use_machine(machine, n % 3 ? "late" : "early");
            const int err = layer_faults_session(&trip);
            layer_faults_assert_told(&trip, err, machine);
            if (err != cases[i].error)
                fail_msg("%s: error %d", machine, err);
            trip_end(&trip);
            metal_end(0);
        }
    }
}

/* What was started of it has ended, and what was not started never will run. */
CASE(given_a_submission_that_fails_nothing_of_it_runs_on)
{
    Trip trip;
    VmafDeviceTicket ticket;
    VmafDeviceCommandList *down;
    metal_use_machine("fail blitCommandEncoder 4 8", "late"); /* the copy behind two kernels */
    assert_int_equal(trip_begin(&trip, &usual), 0);
    assert_int_equal(trip_run(&trip, 2), 0);
    assert_int_equal(trip_submit(&trip, 4, 0, &ticket), -ENOMEM);
    assert_int_equal(emulated_metal_count("MTLCommandBuffer"), 0);
    uint32_t *words = trip.upload->mapped; /* they may be written now */
    for (int i = 0; i < TRIP_WORDS; i++)
        words[i] = 5;
    const VmafDeviceCopy copy = {
        .dst = trip.download, .src = trip.memory[2], .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceCopy up = {
        .dst = trip.memory[0], .src = trip.upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit), .copies = &up, .n_copies = 1};
    assert_int_equal(trip.layer->command_list_begin(trip.device, &down), 0);
    assert_int_equal(vmaf_device_cmd_copy(down, &copy), 0);
    assert_int_equal(trip.layer->command_list_end(down), 0);
    assert_int_equal(vmaf_device_submit(trip.queue, down, &submit, &ticket), 0);
    assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), 0);
    trip_assert_arrived(&trip, 4);
    trip.layer->command_list_destroy(down);
    trip_end(&trip);
    metal_end(0);
}

int main(int argc, char **argv)
{
    static const LayerFaults faults = {
        .layer = "metal",
        .use_machine = use_machine,
        .leave_machine = leave_machine,
        .count = emulated_metal_count,
        .functions = {"newCommandQueueWithMaxCommandBufferCount:", "newSharedEvent",
                      "newBufferWithLength:options:", "newLibraryWithSource:options:error:",
                      "newFunctionWithName:", "newComputePipelineStateWithFunction:error:",
                      "commandBuffer",
                      "computeCommandEncoderWithDispatchType:", "blitCommandEncoder"},
        .query = "", /* which cannot fail */
        .errors = {{"8", -ENOMEM}},
        .is_vague = true,
        .hanging = "commit",
        .n_hanging = 2,
        .hang_limit = "0.2",
        .ends_hangs = true,
    };
    select_cases(argc, argv);
    const int failed = layer_faults_run(&faults);
    return end_cases(failed + run_defined_cases(NULL, NULL));
}
