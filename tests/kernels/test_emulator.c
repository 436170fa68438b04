/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The emulator finds the errors that it checks for, and injects those that are requested. */
#include <errno.h>
#include <string.h>

#include "fixture.h"
#include "kernels/broken_args.h"
#include "reduce/reduce_args.h"
#include "support/cases.h"
#include "test_sets.h"

enum { ELEMENTS = 64 };

static void open_emulator(Fixture *fixture, const EmulatorOptions *options,
                          const VmafDeviceFaults *faults)
{
    const VmafDeviceOpenParams params = {
        .kernels = &test_kernels_emulator, .external = options, .faults = faults};
    fixture_open(fixture, "emulator", &params);
}

static void assert_error_names(Fixture *fixture, const char *text)
{
    char error[256];
    fixture->layer->last_error(fixture->device, error, sizeof(error));
    if (!strstr(error, text))
        fail_msg("\"%s\" does not name \"%s\"", error, text);
}

static int run_with_distance(Fixture *fixture, const char *kernel, int32_t distance,
                             uint32_t result[ELEMENTS])
{
    uint32_t src[ELEMENTS];
    const uint32_t groups[3] = {strcmp(kernel, "races") == 0 ? 1 : ELEMENTS / 8, 1, 1};
    const broken_args args = {distance};
    for (uint32_t i = 0; i < ELEMENTS; i++)
        src[i] = 1000 + i;
    const FixtureBuffer buffers[] = {{.size = sizeof(src), .in = src},
                                     {.size = sizeof(src), .out = result}};
    return fixture_run(fixture, kernel, buffers, &args, groups);
}

CASE(given_an_index_outside_a_buffer_the_submission_fails)
{
    uint32_t result[ELEMENTS];
    Fixture fixture;
    open_emulator(&fixture, NULL, NULL);
    assert_int_equal(run_with_distance(&fixture, "reads_outside", 0, result), 0);
    assert_int_equal(result[ELEMENTS - 1], 1000 + ELEMENTS - 1);
    assert_int_equal(run_with_distance(&fixture, "reads_outside", 1, result), -EIO);
    assert_error_names(&fixture, "element 64 of src, which has 64");
    assert_int_equal(run_with_distance(&fixture, "reads_outside", -1, result), -EIO);
    assert_error_names(&fixture, "element -1 of src");
    fixture_close(&fixture);
}

/* The race gives each lane its neighbour's element, or noise, depending on the order of lanes. */
CASE(given_a_race_results_differ_from_order_to_order)
{
    uint32_t results[3][ELEMENTS] = {{0}};
    for (unsigned order = 0; order < 3; order++) {
        const EmulatorOptions options = {.order = (enum EmulatorOrder)order, .seed = 3};
        Fixture fixture;
        open_emulator(&fixture, &options, NULL);
        assert_int_equal(run_with_distance(&fixture, "races", 0, results[order]), 0);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(results[order][i], 1000 + i);
        assert_int_equal(run_with_distance(&fixture, "races", 1, results[order]), 0);
        fixture_close(&fixture);
    }
    assert_memory_not_equal(results[0], results[1], 8 * sizeof(uint32_t));
    assert_memory_not_equal(results[0], results[2], 8 * sizeof(uint32_t));
}

/* Records two commands that touch the same bytes, with or without a barrier between them. */
static int record_chain(Fixture *fixture, bool barrier)
{
    VmafDeviceCommandList *list;
    VmafDeviceBuffer *upload = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, 256);
    VmafDeviceBuffer *memory = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, 256);
    VmafDeviceBuffer *download = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, 256);
    const VmafDeviceCopy up = {.dst = memory, .src = upload, .row_size = 256, .rows = 1};
    const VmafDeviceCopy down = {.dst = download, .src = memory, .row_size = 256, .rows = 1};
    assert_int_equal(fixture->layer->command_list_begin(fixture->device, &list), 0);
    assert_int_equal(vmaf_device_cmd_copy(list, &up), 0);
    if (barrier)
        assert_int_equal(fixture->layer->cmd_barrier(list), 0);
    assert_int_equal(vmaf_device_cmd_copy(list, &down), 0);
    const int status = fixture->layer->command_list_end(list);
    fixture->layer->command_list_destroy(list);
    fixture->layer->buffer_destroy(fixture->device, upload);
    fixture->layer->buffer_destroy(fixture->device, memory);
    fixture->layer->buffer_destroy(fixture->device, download);
    return status;
}

CASE(given_a_missing_barrier_the_command_list_fails)
{
    Fixture fixture;
    open_emulator(&fixture, NULL, NULL);
    assert_int_equal(record_chain(&fixture, true), 0);
    assert_int_equal(record_chain(&fixture, false), -EINVAL);
    assert_error_names(&fixture, "no barrier between command 0, copy, and command 1, copy");
    fixture_close(&fixture);
}

CASE(given_broken_calls_they_are_refused)
{
    Fixture fixture;
    VmafDeviceCommandList *list;
    const broken_args args = {0};
    open_emulator(&fixture, NULL, NULL);
    const VmafDeviceKernel *kernel;
    assert_int_equal(fixture.layer->kernel_find(fixture.device, &kernel, "none"), -ENOENT);
    assert_int_equal(fixture.layer->kernel_find(fixture.device, &kernel, "races"), 0);
    VmafDeviceBuffer *a = fixture_buffer(&fixture, VMAF_MEMORY_DEVICE, 1024);
    VmafDeviceBuffer *b = fixture_buffer(&fixture, VMAF_MEMORY_DEVICE, 1024);
    VmafDeviceBuffer *upload = fixture_buffer(&fixture, VMAF_MEMORY_UPLOAD, 1024);
    assert_int_equal(fixture.layer->command_list_begin(fixture.device, &list), 0);

    const VmafDeviceDispatch good = {.kernel = kernel,
                                     .bindings = {{a, 0, 0}, {b, 256, 512}},
                                     .args = &args,
                                     .groups = {1, 1, 1}};
    assert_int_equal(vmaf_device_cmd_dispatch(list, &good), 0);
    VmafDeviceDispatch bad = good;
    bad.groups[1] = 0;
    assert_int_equal(vmaf_device_cmd_dispatch(list, &bad), -EINVAL);
    bad = good;
    bad.bindings[0].offset = 4;
    assert_int_equal(vmaf_device_cmd_dispatch(list, &bad), -EINVAL);
    bad = good;
    bad.bindings[1].size = 1024;
    assert_int_equal(vmaf_device_cmd_dispatch(list, &bad), -EINVAL);
    bad = good;
    bad.bindings[0].buffer = upload;
    assert_int_equal(vmaf_device_cmd_dispatch(list, &bad), 0);
    fixture.device->info.caps.unified_memory = false;
    assert_int_equal(vmaf_device_cmd_dispatch(list, &bad), -EINVAL);
    fixture.device->info.caps.unified_memory = true;

    const VmafDeviceCopy rows = {
        .dst = a, .src = upload, .dst_stride = 128, .src_stride = 256, .row_size = 128, .rows = 4};
    assert_int_equal(vmaf_device_cmd_copy(list, &rows), 0);
    VmafDeviceCopy wrong = rows;
    wrong.rows = 5;
    assert_int_equal(vmaf_device_cmd_copy(list, &wrong), -EINVAL);
    wrong = rows;
    wrong.rows = UINT32_MAX;
    assert_int_equal(vmaf_device_cmd_copy(list, &wrong), -EINVAL);
    wrong = rows;
    wrong.src_offset = UINT64_MAX - 3;
    assert_int_equal(vmaf_device_cmd_copy(list, &wrong), -EINVAL);
    wrong = rows;
    wrong.row_size = 126;
    assert_int_equal(vmaf_device_cmd_copy(list, &wrong), -EINVAL);

    fixture.layer->command_list_destroy(list);
    fixture.layer->buffer_destroy(fixture.device, a);
    fixture.layer->buffer_destroy(fixture.device, b);
    fixture.layer->buffer_destroy(fixture.device, upload);
    fixture_close(&fixture);
}

CASE(given_a_loss_everything_after_it_is_refused)
{
    const VmafDeviceFaults faults = {.lose_at_submit = 2};
    uint32_t result[ELEMENTS];
    Fixture fixture;
    VmafDeviceBuffer *buffer;
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    open_emulator(&fixture, NULL, &faults);
    assert_int_equal(run_with_distance(&fixture, "reads_outside", 0, result), 0);
    assert_int_equal(run_with_distance(&fixture, "reads_outside", 0, result), -ENODEV);
    assert_error_names(&fixture, "device lost at submission 2");
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &buffer, &params), -ENODEV);
    fixture_close(&fixture);
}

CASE(given_no_memory_the_buffer_is_refused)
{
    const VmafDeviceFaults faults = {.no_memory_from_buffer = 2};
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    Fixture fixture;
    VmafDeviceBuffer *first, *second;
    open_emulator(&fixture, NULL, &faults);
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &first, &params), 0);
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &second, &params), -ENOMEM);
    fixture.layer->buffer_destroy(fixture.device, first);
    fixture_close(&fixture);
}

CASE(given_a_hang_waiting_times_out)
{
    const VmafDeviceFaults faults = {.hang_at_submit = 1};
    Fixture fixture;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    open_emulator(&fixture, NULL, &faults);
    assert_int_equal(fixture.layer->command_list_begin(fixture.device, &list), 0);
    assert_int_equal(fixture_submit(&fixture, list, &ticket), -EINVAL); /* not ended */
    assert_int_equal(fixture.layer->command_list_end(list), 0);
    assert_int_equal(fixture_submit(&fixture, list, &ticket), 0);
    assert_int_equal(fixture_wait(&fixture, ticket, 1000000), -ETIMEDOUT);
    assert_int_equal(fixture_submit(&fixture, list, &ticket), -EINVAL); /* running */
    fixture.layer->command_list_destroy(list);
    fixture_close(&fixture);
}

CASE(given_rows_of_partial_sums_each_row_is_rounded_once)
{
    const VmafDeviceOpenParams params = {.kernels = &vmaf_kernels_emulator};
    const partial_sum sums[] = {
        {.first = 1,
         .rows = 3,
         .row_stride = 2,
         .columns = 2,
         .column_stride = 1,
         .shift = 2,
         .result = 1},
        {.first = 1,
         .rows = 3,
         .row_stride = 2,
         .columns = 2,
         .column_stride = 1,
         .shift = 2,
         .is_unsigned = 1,
         .result = 0},
    };
    const uint64_t partials[] = {99, 1, 1, 5, 0, (uint64_t)-7, 0};
    uint64_t results[2];
    const FixtureBuffer buffers[] = {{.size = sizeof(sums), .in = sums},
                                     {.size = sizeof(partials), .in = partials},
                                     {.size = sizeof(results), .out = results}};
    const sum_partials_args args = {0};
    const uint32_t groups[3] = {2, 1, 1};
    Fixture fixture;
    fixture_open(&fixture, "emulator", &params);
    assert_int_equal(fixture_run(&fixture, "sum_partials", buffers, &args, groups), 0);
    assert_int_equal(results[1], (uint64_t)(1 + 1 - 2)); /* 2/4, 5/4 and -7/4 rounded */
    assert_int_equal(results[0], 1 + 1 + (UINT64_MAX - 6 + 2) / 4);
    fixture_close(&fixture);
}
