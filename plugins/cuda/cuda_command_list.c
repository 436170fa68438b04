/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists are arrays of commands, which a submission puts on the stream one by one. A stream
 * runs in order, and each command sees what those before it wrote: barriers need nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"

enum CudaCommandKind { COPY, COPY_ROWS, DISPATCH, TIMESTAMP };

typedef struct CudaDispatch {
    const CudaKernel *kernel;
    CudaAddress addresses[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    uint32_t groups[3];
} CudaDispatch;

typedef struct CudaCommand {
    enum CudaCommandKind kind;
    union {
        struct {
            CudaAddress dst, src;
            uint64_t size;
        } copy;
        CudaCopy2D rows;
        CudaDispatch dispatch;
        CudaEvent time;
    };
} CudaCommand;

static CudaDevice *device_of(const CudaCommandList *list)
{
    return (CudaDevice *)list->head.device;
}

void cuda_command_list_destroy(VmafDeviceCommandList *base)
{
    CudaCommandList *list = (CudaCommandList *)base;
    if (!list)
        return;
    cuda_stop_tracking(device_of(list), list);
    if (cuda_enter(device_of(list)) == CUDA_SUCCESS) {
        for (uint32_t i = 0; i < VMAF_DEVICE_MAX_TIMESTAMPS; i++) {
            if (list->times[i])
                cuEventDestroy_v2(list->times[i]);
        }
        if (list->done)
            cuEventDestroy_v2(list->done);
        cuda_leave();
    }
    free(list->commands);
    free(list);
}

static CudaResult create_event(const CudaDevice *device, CudaEvent *event, unsigned flags)
{
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = cuEventCreate(event, flags);
        cuda_leave();
    }
    return result;
}

int cuda_command_list_begin(VmafDevice *base, VmafDeviceCommandList **begun)
{
    CudaDevice *device = (CudaDevice *)base;
    *begun = NULL;
    const int err = cuda_check(device);
    if (err)
        return err;
    CudaCommandList *list = calloc(1, sizeof(*list));
    if (!list)
        return -ENOMEM;
    list->head.device = base;
    const CudaResult result = create_event(device, &list->done, CUDA_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) {
        free(list);
        return cuda_failed(device, result, "a command list");
    }
    *begun = &list->head;
    return 0;
}

/* Appends a command. 0; -ENOMEM. */
static int append(CudaCommandList *list, const CudaCommand *command)
{
    if (list->n_commands == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 32;
        CudaCommand *grown = realloc(list->commands, capacity * sizeof(*grown));
        if (!grown)
            return cuda_fail(device_of(list), -ENOMEM, "out of memory (a command list)");
        list->commands = grown;
        list->capacity = capacity;
    }
    list->commands[list->n_commands++] = *command;
    return 0;
}

int cuda_cmd_barrier(VmafDeviceCommandList *base)
{
    (void)base;
    return 0;
}

static int append_range(CudaCommandList *list, CudaAddress dst, CudaAddress src, uint64_t size)
{
    const CudaCommand command = {.kind = COPY, .copy = {.dst = dst, .src = src, .size = size}};
    return append(list, &command);
}

int cuda_cmd_copy(VmafDeviceCommandList *base, const VmafDeviceCopy *copy)
{
    CudaCommandList *list = (CudaCommandList *)base;
    const CudaAddress dst = ((CudaBuffer *)copy->dst)->address + copy->dst_offset;
    const CudaAddress src = ((CudaBuffer *)copy->src)->address + copy->src_offset;
    const uint64_t max_pitch = device_of(list)->max_pitch;
    if (copy->rows == 1)
        return append_range(list, dst, src, copy->row_size);
    if (copy->dst_stride == copy->row_size && copy->src_stride == copy->row_size)
        return append_range(list, dst, src, copy->rows * copy->row_size);
    if (copy->dst_stride <= max_pitch && copy->src_stride <= max_pitch) {
        const CudaCommand command = {
            .kind = COPY_ROWS,
            .rows = {.src_type = CUDA_MEMORY_UNIFIED,
                     .src_device = src,
                     .src_pitch = copy->src_stride,
                     .dst_type = CUDA_MEMORY_UNIFIED,
                     .dst_device = dst,
                     .dst_pitch = copy->dst_stride,
                     .width = copy->row_size,
                     .height = copy->rows},
        };
        return append(list, &command);
    }
    int err = 0;
    for (uint32_t row = 0; row < copy->rows && !err; row++)
        err = append_range(list, dst + row * copy->dst_stride, src + row * copy->src_stride,
                           copy->row_size);
    return err;
}

int cuda_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->kernel;
    CudaCommand command = {.kind = DISPATCH,
                           .dispatch = {.kernel = (const CudaKernel *)dispatch->kernel}};
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[slot];
        command.dispatch.addresses[slot] =
            ((CudaBuffer *)binding->buffer)->address + binding->offset;
    }
    memcpy(command.dispatch.args, dispatch->args, kernel->args_size);
    memcpy(command.dispatch.groups, dispatch->groups, sizeof(dispatch->groups));
    return append((CudaCommandList *)base, &command);
}

int cuda_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    CudaCommandList *list = (CudaCommandList *)base;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    if (!list->times[index]) {
        const CudaResult result =
            create_event(device_of(list), &list->times[index], CUDA_EVENT_DEFAULT);
        if (result != CUDA_SUCCESS)
            return cuda_failed(device_of(list), result, "a timestamp");
    }
    const CudaCommand command = {.kind = TIMESTAMP, .time = list->times[index]};
    return append(list, &command);
}

int cuda_command_list_end(VmafDeviceCommandList *base)
{
    (void)base;
    return 0;
}

/* Times since the first of them: the driver counts in binary32, whose steps grow with the time. */
static CudaResult read_times(const CudaCommandList *list, uint64_t *times_ns, uint32_t count)
{
    CudaResult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        float milliseconds = 0.0f;
        result = cuEventElapsedTime(&milliseconds, list->times[0], list->times[i]);
        times_ns[i] = milliseconds > 0.0f ? (uint64_t)((double)milliseconds * 1e6) : 0;
    }
    return result;
}

int cuda_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    const CudaCommandList *list = (const CudaCommandList *)base;
    CudaDevice *device = device_of(list);
    if (cuda_check(device))
        return -ENODEV;
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++) {
        if (!list->times[i])
            return -EINVAL;
    }
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = read_times(list, times_ns, count);
        cuda_leave();
    }
    return result == CUDA_SUCCESS ? 0 : cuda_failed(device, result, "cuEventElapsedTime");
}

/* -- running -- */

static CudaResult launch(const CudaDispatch *dispatch, CudaStream stream)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const uint32_t *groups = dispatch->groups;
    /* The driver copies what these point at, and takes them as not const. */
    union {
        const void *from;
        void *to;
    } parameters[VMAF_KERNEL_MAX_BUFFERS + 1];
    void *list[VMAF_KERNEL_MAX_BUFFERS + 1];
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++)
        parameters[slot].from = &dispatch->addresses[slot];
    parameters[kernel->n_buffers].from = dispatch->args;
    for (uint32_t i = 0; i <= kernel->n_buffers; i++)
        list[i] = parameters[i].to;
    return cuLaunchKernel(dispatch->kernel->function, groups[0], groups[1], groups[2],
                          kernel->lanes[0], kernel->lanes[1], 1, 0, stream, list, NULL);
}

CudaResult cuda_command_list_replay(const CudaCommandList *list, const char **what)
{
    const CudaStream stream = device_of(list)->stream;
    CudaResult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->n_commands && result == CUDA_SUCCESS; i++) {
        const CudaCommand *command = &list->commands[i];
        switch (command->kind) {
        case COPY:
            *what = "cuMemcpyAsync";
            result =
                cuMemcpyAsync(command->copy.dst, command->copy.src, command->copy.size, stream);
            break;
        case COPY_ROWS:
            *what = "cuMemcpy2DAsync";
            result = cuMemcpy2DAsync_v2(&command->rows, stream);
            break;
        case DISPATCH:
            *what = command->dispatch.kernel->head.kernel->name;
            result = launch(&command->dispatch, stream);
            break;
        case TIMESTAMP:
            *what = "cuEventRecord";
            result = cuEventRecord(command->time, stream);
            break;
        }
    }
    return result;
}
