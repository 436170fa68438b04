/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists are arrays of commands. The API may make an object of its own from them when they
 * end, such as a graph; otherwise a submission puts them on the stream one by one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream_internal.h"

static VmafStreamDevice *device_of(const VmafStreamCommandList *list)
{
    return (VmafStreamDevice *)list->head.device;
}

/* -- life -- */

static void release(VmafStreamCommandList *list)
{
    VmafStreamDevice *device = device_of(list);
    const VmafStreamApi *api = device->api;
    for (uint32_t i = 0; i < VMAF_DEVICE_MAX_TIMESTAMPS; i++) {
        if (list->times[i])
            api->event_destroy(device, list->times[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (list->copy_times[i])
            api->event_destroy(device, list->copy_times[i]);
    }
    if (api->list_release)
        api->list_release(device, list);
    for (size_t i = 0; i < list->n_commands && api->dispatch_release; i++) {
        if (list->commands[i].kind == VMAF_STREAM_DISPATCH)
            api->dispatch_release(device, &list->commands[i].dispatch);
    }
}

void vmaf_stream_command_list_destroy(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    if (!list)
        return;
    if (vmaf_stream_enter(device_of(list)) == 0) {
        release(list);
        vmaf_stream_leave(device_of(list));
    }
    free(list->commands);
    free(list);
}

int vmaf_stream_command_list_begin(VmafDevice *base, VmafDeviceCommandList **begun)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    *begun = NULL;
    if (vmaf_stream_check(device))
        return -ENODEV;
    VmafStreamCommandList *list = calloc(1, device->api->list_size);
    if (!list)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a command list)");
    list->head.device = base;
    *begun = &list->head;
    return 0;
}

/* -- commands -- */

/* Appends a command. Returns 0, -ENODEV or -ENOMEM. */
static int append(VmafStreamCommandList *list, const VmafStreamCommand *command)
{
    if (vmaf_stream_check(device_of(list)))
        return -ENODEV;
    if (list->n_commands == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 32;
        VmafStreamCommand *grown = realloc(list->commands, capacity * sizeof(*grown));
        if (!grown)
            return vmaf_stream_fail(device_of(list), -ENOMEM, "out of memory (a command list)");
        list->commands = grown;
        list->capacity = capacity;
    }
    list->commands[list->n_commands++] = *command;
    return 0;
}

int vmaf_stream_cmd_barrier(VmafDeviceCommandList *base)
{
    const VmafStreamCommand command = {.kind = VMAF_STREAM_BARRIER};
    return append((VmafStreamCommandList *)base, &command);
}

VmafStreamRows vmaf_stream_rows_of(const VmafDeviceCopy *copy)
{
    VmafStreamRows rows = {
        .dst = (VmafStreamBuffer *)copy->dst,
        .src = (VmafStreamBuffer *)copy->src,
        .image = (const VmafStreamImage *)copy->image,
        .image_plane = copy->image_plane,
        .rows = copy->rows,
        .dst_offset = copy->dst_offset,
        .dst_stride = copy->dst_stride,
        .src_offset = copy->src_offset,
        .src_stride = copy->src_stride,
        .row_size = copy->row_size,
    };
    if (rows.src && rows.dst_stride == rows.row_size && rows.src_stride == rows.row_size) {
        rows.row_size *= rows.rows;
        rows.rows = 1;
    }
    if (rows.src && rows.rows == 1)
        rows.dst_stride = rows.src_stride = rows.row_size;
    return rows;
}

int vmaf_stream_cmd_copy(VmafDeviceCommandList *base, const VmafDeviceCopy *copy)
{
    const VmafStreamCommand command = {.kind = VMAF_STREAM_COPY, .copy = vmaf_stream_rows_of(copy)};
    return append((VmafStreamCommandList *)base, &command);
}

static int prepare_dispatch(VmafStreamDevice *device, VmafStreamDispatch *dispatch)
{
    if (!device->api->dispatch_prepare)
        return 0;
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->dispatch_prepare(device, dispatch);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    const VmafKernel *kernel = dispatch->kernel->kernel;
    const VmafStreamCommand command = {
        .kind = VMAF_STREAM_DISPATCH,
        .dispatch = {.kernel = (const VmafStreamKernel *)dispatch->kernel},
    };
    int err = append(list, &command);
    if (err)
        return err;
    VmafStreamDispatch *added = &list->commands[list->n_commands - 1].dispatch;
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[slot];
        added->bindings[slot] = (VmafStreamBinding){(const VmafStreamBuffer *)binding->buffer,
                                                    binding->offset, binding->size};
    }
    memcpy(added->args, dispatch->args, kernel->args_size);
    memcpy(added->groups, dispatch->groups, sizeof(added->groups));
    err = prepare_dispatch(device_of(list), added);
    if (err)
        list->n_commands--;
    return err;
}

/* -- times -- */

static int create_event(VmafStreamDevice *device, void **event)
{
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->event_create(device, VMAF_STREAM_EVENT_TIME, event);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    if (vmaf_stream_check(device_of(list)))
        return -ENODEV;
    if (!list->times[index]) {
        const int err = create_event(device_of(list), &list->times[index]);
        if (err)
            return err;
    }
    const VmafStreamCommand command = {.kind = VMAF_STREAM_TIMESTAMP, .time = list->times[index]};
    return append(list, &command);
}

static int read_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                      uint32_t count)
{
    int err = vmaf_stream_check(device);
    for (uint32_t i = 0; i < count && !err; i++) {
        if (!events[i])
            err = -EINVAL;
    }
    if (!err)
        err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->event_times(device, events, times_ns, count);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    const VmafStreamCommandList *list = (const VmafStreamCommandList *)base;
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    return read_times(device_of(list), list->times, times_ns, count);
}

int vmaf_stream_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    const VmafStreamCommandList *list = (const VmafStreamCommandList *)base;
    return read_times(device_of(list), list->copy_times, times_ns, 2);
}

/* -- the end -- */

int vmaf_stream_command_list_end(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    VmafStreamDevice *device = device_of(list);
    int err = vmaf_stream_check(device);
    for (uint32_t i = 0; i < 2 && base->device->profiling && !err; i++)
        err = create_event(device, &list->copy_times[i]);
    if (err || !device->api->list_prepare)
        return err;
    err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->list_prepare(device, list);
    vmaf_stream_leave(device);
    return err;
}

static int put(VmafStreamDevice *device, const VmafStreamCommand *command, void *stream)
{
    const VmafStreamApi *api = device->api;
    switch (command->kind) {
    case VMAF_STREAM_COPY:
        return api->copy(device, stream, &command->copy);
    case VMAF_STREAM_DISPATCH:
        return api->dispatch(device, stream, &command->dispatch);
    case VMAF_STREAM_BARRIER:
        return api->barrier ? api->barrier(device, stream) : 0;
    case VMAF_STREAM_TIMESTAMP:
        return api->event_record(device, command->time, stream);
    }
    return -EINVAL;
}

int vmaf_stream_run(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream)
{
    int err = 0;
    if (list->is_prepared)
        return device->api->list_run(device, list, stream);
    for (size_t i = 0; i < list->n_commands && !err; i++)
        err = put(device, &list->commands[i], stream);
    return err;
}
