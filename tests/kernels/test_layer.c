/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What device.h promises for every device layer. Takes the layer's name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "reduce/reduce_args.h"
#include "support/cases.h"
#include "test_sets.h"

enum { WORDS = 1024, BYTES = 4 * WORDS };

/* Words go up, across and down: upload buffer, device buffer, download buffer. */
typedef struct Trip {
    Fixture fixture;
    VmafDeviceBuffer *upload, *memory, *download;
    VmafDeviceCommandList *list;
} Trip;

static void begin_trip(Trip *trip, const VmafDeviceFaults *faults)
{
    fixture_open_faulty(&trip->fixture, faults);
    const VmafDeviceLayer *layer = trip->fixture.layer;
    trip->upload = fixture_buffer(&trip->fixture, VMAF_MEMORY_UPLOAD, BYTES);
    trip->memory = fixture_buffer(&trip->fixture, VMAF_MEMORY_DEVICE, BYTES);
    trip->download = fixture_buffer(&trip->fixture, VMAF_MEMORY_DOWNLOAD, BYTES);
    const VmafDeviceCopy up = {
        .dst = trip->memory, .src = trip->upload, .row_size = BYTES, .rows = 1};
    const VmafDeviceCopy down = {
        .dst = trip->download, .src = trip->memory, .row_size = BYTES, .rows = 1};
    assert_int_equal(layer->command_list_begin(trip->fixture.device, &trip->list), 0);
    assert_int_equal(vmaf_device_cmd_copy(trip->list, &up), 0);
    assert_int_equal(layer->cmd_barrier(trip->list), 0);
    assert_int_equal(vmaf_device_cmd_copy(trip->list, &down), 0);
    assert_int_equal(layer->command_list_end(trip->list), 0);
}

static void end_trip(Trip *trip)
{
    const VmafDeviceLayer *layer = trip->fixture.layer;
    VmafDevice *device = trip->fixture.device;
    layer->command_list_destroy(trip->list);
    layer->buffer_destroy(device, trip->upload);
    layer->buffer_destroy(device, trip->memory);
    layer->buffer_destroy(device, trip->download);
    fixture_close(&trip->fixture);
}

CASE(given_one_command_list_it_runs_any_number_of_times)
{
    Trip trip;
    VmafDeviceTicket ticket = 0, last = 0;
    begin_trip(&trip, NULL);
    assert_null(trip.memory->mapped);
    for (uint32_t run = 0; run < 20; run++) {
        uint32_t *words = trip.upload->mapped;
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = run * 1000 + i;
        assert_int_equal(fixture_submit(&trip.fixture, trip.list, &ticket), 0);
        assert_true(ticket > last);
        last = ticket;
        assert_int_equal(fixture_wait(&trip.fixture, ticket, UINT64_MAX), 0);
        assert_int_equal(fixture_wait(&trip.fixture, ticket, 0), 0);
        assert_memory_equal(trip.download->mapped, words, BYTES);
    }
    end_trip(&trip);
}

CASE(given_rows_only_they_are_copied)
{
    enum { ROWS = 100, ROW = 16, SRC_STRIDE = 40, DST_STRIDE = 32 };
    Fixture fixture;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    fixture_open_faulty(&fixture, NULL);
    VmafDeviceBuffer *upload = fixture_buffer(&fixture, VMAF_MEMORY_UPLOAD, BYTES);
    VmafDeviceBuffer *memory = fixture_buffer(&fixture, VMAF_MEMORY_DEVICE, BYTES);
    VmafDeviceBuffer *download = fixture_buffer(&fixture, VMAF_MEMORY_DOWNLOAD, BYTES);
    unsigned char *bytes = upload->mapped;
    for (unsigned i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    const VmafDeviceCopy up = {.dst = memory, .src = upload, .row_size = BYTES, .rows = 1};
    const VmafDeviceCopy rows = {.dst = download,
                                 .src = memory,
                                 .dst_offset = 8,
                                 .src_offset = 4,
                                 .dst_stride = DST_STRIDE,
                                 .src_stride = SRC_STRIDE,
                                 .row_size = ROW,
                                 .rows = ROWS};
    memset(download->mapped, 0xee, BYTES);
    assert_int_equal(fixture.layer->command_list_begin(fixture.device, &list), 0);
    assert_int_equal(vmaf_device_cmd_copy(list, &up), 0);
    assert_int_equal(fixture.layer->cmd_barrier(list), 0);
    assert_int_equal(vmaf_device_cmd_copy(list, &rows), 0);
    assert_int_equal(fixture.layer->command_list_end(list), 0);
    assert_int_equal(fixture_submit(&fixture, list, &ticket), 0);
    assert_int_equal(fixture_wait(&fixture, ticket, UINT64_MAX), 0);
    const unsigned char *found = download->mapped;
    for (unsigned row = 0; row < ROWS; row++) {
        assert_memory_equal(found + 8 + row * DST_STRIDE, bytes + 4 + row * SRC_STRIDE, ROW);
        assert_int_equal(found[8 + row * DST_STRIDE + ROW], 0xee);
    }
    fixture.layer->command_list_destroy(list);
    fixture.layer->buffer_destroy(fixture.device, upload);
    fixture.layer->buffer_destroy(fixture.device, memory);
    fixture.layer->buffer_destroy(fixture.device, download);
    fixture_close(&fixture);
}

CASE(given_an_unknown_kernel_it_is_not_found)
{
    Fixture fixture;
    const VmafDeviceKernel *kernel;
    char text[256] = "?";
    fixture_open_faulty(&fixture, NULL);
    fixture.layer->last_error(fixture.device, text, sizeof(text));
    assert_string_equal(text, "");
    assert_int_equal(fixture.layer->kernel_find(fixture.device, &kernel, "no_such"), -ENOENT);
    fixture.layer->last_error(fixture.device, text, sizeof(text));
    assert_non_null(strstr(text, "no_such"));
    fixture.layer->last_error(fixture.device, text, 4);
    assert_int_equal(strlen(text), 3);
    fixture_close(&fixture);
}

CASE(given_an_unknown_device_it_is_not_opened)
{
    Fixture fixture;
    VmafDevice *device;
    char reason[256] = "";
    fixture_open_faulty(&fixture, NULL);
    const VmafDeviceOpenParams params = {.id = "nobody", .kernels = fixture.device->kernels};
    assert_int_equal(fixture.layer->open(&device, &params, reason, sizeof(reason)), -ENODEV);
    assert_non_null(strstr(reason, "nobody"));
    const VmafDeviceOpenParams same = {.id = fixture.device->info.id,
                                       .kernels = fixture.device->kernels};
    assert_int_equal(fixture.layer->open(&device, &same, reason, sizeof(reason)), 0);
    fixture.layer->close(device);
    fixture_close(&fixture);
}

CASE(given_a_lost_device_every_call_says_so)
{
    const VmafDeviceFaults faults = {.lose_at_submit = 3};
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    Trip trip;
    VmafDeviceTicket ticket;
    VmafDeviceBuffer *buffer;
    VmafDeviceCommandList *list;
    const VmafDeviceKernel *kernel;
    char text[256];
    begin_trip(&trip, &faults);
    const VmafDeviceLayer *layer = trip.fixture.layer;
    VmafDevice *device = trip.fixture.device;
    for (int run = 0; run < 2; run++) {
        assert_int_equal(fixture_submit(&trip.fixture, trip.list, &ticket), 0);
        assert_int_equal(fixture_wait(&trip.fixture, ticket, UINT64_MAX), 0);
    }
    VmafDeviceTicket none;
    for (int again = 0; again < 2; again++)
        assert_int_equal(fixture_submit(&trip.fixture, trip.list, &none), -ENODEV);
    layer->last_error(device, text, sizeof(text));
    assert_non_null(strstr(text, "lost"));
    assert_int_equal(fixture_wait(&trip.fixture, ticket, UINT64_MAX), -ENODEV);
    assert_int_equal(layer->buffer_create(device, &buffer, &params), -ENODEV);
    assert_int_equal(layer->command_list_begin(device, &list), -ENODEV);
    assert_int_equal(layer->kernel_find(device, &kernel, "sum_partials"), -ENODEV);
    end_trip(&trip);
}

CASE(given_a_submission_that_hangs_waiting_times_out)
{
    const VmafDeviceFaults faults = {.hang_at_submit = 2};
    Trip trip;
    VmafDeviceTicket first, second;
    begin_trip(&trip, &faults);
    assert_int_equal(fixture_submit(&trip.fixture, trip.list, &first), 0);
    assert_int_equal(fixture_wait(&trip.fixture, first, UINT64_MAX), 0);
    assert_int_equal(fixture_submit(&trip.fixture, trip.list, &second), 0);
    assert_int_equal(fixture_wait(&trip.fixture, second, 0), -ETIMEDOUT);
    assert_int_equal(fixture_wait(&trip.fixture, second, 2000000), -ETIMEDOUT);
    assert_int_equal(fixture_wait(&trip.fixture, first, 0), 0);
    end_trip(&trip);
}

CASE(given_no_memory_the_buffer_is_refused)
{
    const VmafDeviceFaults faults = {.no_memory_from_buffer = 2};
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4};
    Fixture fixture;
    VmafDeviceBuffer *first, *second;
    fixture_open_faulty(&fixture, &faults);
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &first, &params), 0);
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &second, &params), -ENOMEM);
    const VmafDeviceKernel *kernel; /* the device goes on */
    assert_int_equal(fixture.layer->kernel_find(fixture.device, &kernel, "psnr_sse_8"), 0);
    assert_int_equal(fixture.layer->buffer_create(fixture.device, &second, &params), -ENOMEM);
    fixture.layer->buffer_destroy(fixture.device, first);
    fixture_close(&fixture);
}

CASE(given_timestamps_they_grow)
{
    Fixture fixture;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    uint64_t times[2];
    fixture_open_faulty(&fixture, NULL);
    const VmafDeviceLayer *layer = fixture.layer;
    if (fixture.device->info.caps.timestamps) {
        assert_int_equal(layer->command_list_begin(fixture.device, &list), 0);
        assert_int_equal(layer->cmd_timestamp(list, 0), 0);
        assert_int_equal(layer->cmd_barrier(list), 0);
        assert_int_equal(layer->cmd_timestamp(list, 1), 0);
        assert_int_equal(layer->cmd_timestamp(list, VMAF_DEVICE_MAX_TIMESTAMPS), -EINVAL);
        assert_int_equal(layer->command_list_end(list), 0);
        for (int run = 0; run < 2; run++) {
            assert_int_equal(fixture_submit(&fixture, list, &ticket), 0);
            assert_int_equal(fixture_wait(&fixture, ticket, UINT64_MAX), 0);
            assert_int_equal(layer->timestamps(list, times, 2), 0);
            assert_true(times[0] <= times[1]);
        }
        layer->command_list_destroy(list);
    }
    fixture_close(&fixture);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
