/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trip.h"

#include <stdlib.h>
#include <string.h>

#include "broken_args.h"
#include "support/cases.h"
#include "test_sets.h"

static const char *layer;

void trip_use_layer(const char *name)
{
    layer = name;
}

static int create(const Trip *trip, enum VmafDeviceMemory memory, VmafDeviceBuffer **buffer)
{
    const VmafDeviceBufferParams params = {.memory = memory, .size = TRIP_BYTES};
    return trip->layer->buffer_create(trip->device, buffer, &params);
}

static int create_buffers(Trip *trip)
{
    int err = create(trip, VMAF_MEMORY_UPLOAD, &trip->upload);
    for (int i = 0; i < 3 && !err; i++)
        err = create(trip, VMAF_MEMORY_DEVICE, &trip->memory[i]);
    return err ? err : create(trip, VMAF_MEMORY_DOWNLOAD, &trip->download);
}

/* The kernel copies what is at that distance. */
static int cmd_kernel(const Trip *trip, VmafDeviceBuffer *to, VmafDeviceBuffer *from)
{
    const struct broken_args args = {.distance = 0};
    VmafDeviceDispatch dispatch = {.args = &args,
                                   .bindings = {{.buffer = from}, {.buffer = to}},
                                   .groups = {TRIP_WORDS / 8, 1, 1}};
    int err = trip->layer->kernel_find(trip->device, &dispatch.kernel, "reads_outside");
    if (!err)
        err = vmaf_device_cmd_dispatch(trip->list, &dispatch);
    return err ? err : trip->layer->cmd_barrier(trip->list);
}

static int make_list(Trip *trip)
{
    const VmafDeviceCopy down = {
        .dst = trip->download, .src = trip->memory[2], .row_size = TRIP_BYTES, .rows = 1};
    int err = trip->layer->command_list_begin(trip->device, &trip->list);
    if (!err)
        err = cmd_kernel(trip, trip->memory[1], trip->memory[0]);
    if (!err)
        err = cmd_kernel(trip, trip->memory[2], trip->memory[1]);
    if (!err)
        err = vmaf_device_cmd_copy(trip->list, &down);
    return err ? err : trip->layer->command_list_end(trip->list);
}

int trip_prepare(Trip *trip)
{
    const int err = create_buffers(trip);
    return err ? err : make_list(trip);
}

int trip_begin(Trip *trip, const VmafDeviceOpenParams *params)
{
    VmafDeviceOpenParams open = *params;
    char reason[256] = "";
    *trip = (Trip){.layer = fixture_load(layer)->layer};
    if (!open.kernels)
        open.kernels = test_kernel_set(layer);
    int err = trip->layer->open(&trip->device, &open, reason, sizeof(reason));
    if (err) {
        assert_string_not_equal(reason, "");
        trip->device = NULL;
        return err;
    }
    err = trip->layer->queue_create(trip->device, &trip->queue);
    return err ? err : trip_prepare(trip);
}

void trip_start(Trip *trip, const VmafDeviceOpenParams *params)
{
    const int err = trip_begin(trip, params);
    if (err)
        fail_msg("error %d", err);
}

void trip_forget(Trip *trip)
{
    if (trip->list)
        trip->layer->command_list_destroy(trip->list);
    trip->layer->buffer_destroy(trip->device, trip->upload);
    for (int i = 0; i < 3; i++)
        trip->layer->buffer_destroy(trip->device, trip->memory[i]);
    trip->layer->buffer_destroy(trip->device, trip->download);
    trip->list = NULL;
    trip->upload = trip->download = trip->memory[0] = trip->memory[1] = trip->memory[2] = NULL;
}

void trip_end(Trip *trip)
{
    if (!trip->device)
        return;
    trip_forget(trip);
    if (trip->queue)
        trip->layer->queue_destroy(trip->queue);
    trip->layer->close(trip->device);
}

static uint32_t word(uint32_t seed, uint32_t i)
{
    return seed * 2654435761u + i * 40503u;
}

int trip_submit(const Trip *trip, uint32_t seed, uint32_t stream, VmafDeviceTicket *ticket)
{
    const VmafDeviceCopy up = {
        .dst = trip->memory[0], .src = trip->upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit), .stream = stream, .copies = &up, .n_copies = 1};
    uint32_t *words = trip->upload->mapped;
    for (uint32_t i = 0; i < TRIP_WORDS; i++)
        words[i] = word(seed, i);
    return vmaf_device_submit(trip->queue, trip->list, &submit, ticket);
}

void trip_assert_arrived(const Trip *trip, uint32_t seed)
{
    const uint32_t *words = trip->download->mapped;
    for (uint32_t i = 0; i < TRIP_WORDS; i++) {
        if (words[i] != word(seed, i))
            fail_msg("seed %u: word %u is %08x, not %08x", seed, i, words[i], word(seed, i));
    }
}

int trip_run(const Trip *trip, uint32_t seed)
{
    VmafDeviceTicket ticket;
    int err = trip_submit(trip, seed, seed % VMAF_DEVICE_STREAMS, &ticket);
    if (!err)
        err = trip->layer->wait(trip->queue, ticket, UINT64_MAX);
    if (!err)
        trip_assert_arrived(trip, seed);
    return err;
}
