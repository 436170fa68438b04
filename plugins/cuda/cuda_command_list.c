/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists are arrays of commands. Where the driver can, they become a graph when they end;
 * else a submission puts them on the stream one by one, which runs in order and needs no barriers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"

static CudaDevice *device_of(const CudaCommandList *list)
{
    return (CudaDevice *)list->head.device;
}

void cuda_command_list_destroy(VmafDeviceCommandList *base)
{
    CudaCommandList *list = (CudaCommandList *)base;
    if (!list)
        return;
    if (cuda_enter(device_of(list)) == CUDA_SUCCESS) {
        for (uint32_t i = 0; i < VMAF_DEVICE_MAX_TIMESTAMPS; i++) {
            if (list->times[i])
                cuEventDestroy_v2(list->times[i]);
        }
        for (uint32_t i = 0; i < 2; i++) {
            if (list->copy_times[i])
                cuEventDestroy_v2(list->copy_times[i]);
        }
        if (list->graph)
            cuGraphExecDestroy(list->graph);
        cuda_leave();
    }
    free(list->commands);
    free(list);
}

int cuda_command_list_begin(VmafDevice *base, VmafDeviceCommandList **begun)
{
    *begun = NULL;
    if (cuda_check((CudaDevice *)base))
        return -ENODEV;
    CudaCommandList *list = calloc(1, sizeof(*list));
    if (!list)
        return cuda_fail((CudaDevice *)base, -ENOMEM, "out of memory (a command list)");
    list->head.device = base;
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
    const CudaCommand command = {.kind = COMMAND_BARRIER};
    return append((CudaCommandList *)base, &command);
}

/* Of copies: host memory by the host's address, which is not the device's everywhere. */
static CudaAddress address_of(const VmafDeviceBuffer *buffer)
{
    return buffer->memory == VMAF_MEMORY_DEVICE ? ((const CudaBuffer *)buffer)->address
                                                : (CudaAddress)(uintptr_t)buffer->mapped;
}

CudaRows cuda_rows_of(const VmafDeviceCopy *copy)
{
    CudaRows rows = {
        .dst = address_of(copy->dst) + copy->dst_offset,
        .src = address_of(copy->src) + copy->src_offset,
        .dst_is_host = copy->dst->memory != VMAF_MEMORY_DEVICE,
        .src_is_host = copy->src->memory != VMAF_MEMORY_DEVICE,
        .dst_stride = copy->dst_stride,
        .src_stride = copy->src_stride,
        .row_size = copy->row_size,
        .rows = copy->rows,
    };
    if (rows.dst_stride == rows.row_size && rows.src_stride == rows.row_size) {
        rows.row_size *= rows.rows;
        rows.rows = 1;
    }
    if (rows.rows == 1)
        rows.dst_stride = rows.src_stride = rows.row_size;
    return rows;
}

int cuda_cmd_copy(VmafDeviceCommandList *base, const VmafDeviceCopy *copy)
{
    const CudaCommand command = {.kind = COMMAND_COPY, .copy = cuda_rows_of(copy)};
    return append((CudaCommandList *)base, &command);
}

int cuda_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->kernel;
    CudaCommand command = {.kind = COMMAND_DISPATCH,
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
    CudaResult result = CUDA_SUCCESS;
    if (!list->times[index]) {
        result = cuda_enter(device_of(list));
        if (result == CUDA_SUCCESS) {
            result = cuEventCreate(&list->times[index], CUDA_EVENT_DEFAULT);
            cuda_leave();
        }
    }
    if (result != CUDA_SUCCESS)
        return cuda_failed(device_of(list), result, "a timestamp");
    const CudaCommand command = {.kind = COMMAND_TIMESTAMP, .time = list->times[index]};
    return append(list, &command);
}

static CudaResult end(CudaCommandList *list, const char **what)
{
    CudaResult result = CUDA_SUCCESS;
    *what = "cuEventCreate";
    for (uint32_t i = 0; i < 2 && list->head.device->profiling && result == CUDA_SUCCESS; i++)
        result = cuEventCreate(&list->copy_times[i], CUDA_EVENT_DEFAULT);
    return result == CUDA_SUCCESS ? cuda_graph_make(list, what) : result;
}

int cuda_command_list_end(VmafDeviceCommandList *base)
{
    CudaCommandList *list = (CudaCommandList *)base;
    const char *what = "cuCtxPushCurrent";
    CudaResult result = cuda_enter(device_of(list));
    if (result == CUDA_SUCCESS) {
        result = end(list, &what);
        cuda_leave();
    }
    return result == CUDA_SUCCESS ? 0 : cuda_failed(device_of(list), result, what);
}

/* Times since the first event: the driver counts in binary32, whose steps grow with the time. */
static int read_times(CudaDevice *device, const CudaEvent *events, uint64_t *times_ns,
                      uint32_t count)
{
    if (cuda_check(device))
        return -ENODEV;
    for (uint32_t i = 0; i < count; i++) {
        if (!events[i])
            return -EINVAL;
    }
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, "cuCtxPushCurrent");
    for (uint32_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        float milliseconds = 0.0f;
        result = cuEventElapsedTime(&milliseconds, events[0], events[i]);
        times_ns[i] = milliseconds > 0.0f ? (uint64_t)((double)milliseconds * 1e6) : 0;
    }
    cuda_leave();
    return result == CUDA_SUCCESS ? 0 : cuda_failed(device, result, "cuEventElapsedTime");
}

int cuda_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    const CudaCommandList *list = (const CudaCommandList *)base;
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    return read_times(device_of(list), list->times, times_ns, count);
}

int cuda_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    const CudaCommandList *list = (const CudaCommandList *)base;
    return read_times(device_of(list), list->copy_times, times_ns, 2);
}

/* -- running -- */

void cuda_parameters(const CudaDispatch *dispatch, CudaParameters *parameters)
{
    const uint32_t n = dispatch->kernel->head.kernel->n_buffers;
    /* The driver only reads them, and takes them as not const. */
    union {
        const void *from;
        void *to;
    } parameter;
    for (uint32_t slot = 0; slot < n; slot++) {
        parameter.from = &dispatch->addresses[slot];
        parameters->list[slot] = parameter.to;
    }
    parameter.from = dispatch->args;
    parameters->list[n] = parameter.to;
}

static CudaResult launch(const CudaDispatch *dispatch, CudaStream stream)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const uint32_t *groups = dispatch->groups;
    CudaParameters parameters;
    cuda_parameters(dispatch, &parameters);
    return cuLaunchKernel(dispatch->kernel->function, groups[0], groups[1], groups[2],
                          kernel->lanes[0], kernel->lanes[1], 1, 0, stream, parameters.list, NULL);
}

CudaResult cuda_copy_rows(const CudaDevice *device, const CudaRows *rows, CudaStream stream,
                          const char **what)
{
    if (rows->rows > 1 && rows->dst_stride <= device->max_pitch &&
        rows->src_stride <= device->max_pitch) {
        const CudaCopy2D copy = {.src_type = CUDA_MEMORY_UNIFIED,
                                 .src_device = rows->src,
                                 .src_pitch = rows->src_stride,
                                 .dst_type = CUDA_MEMORY_UNIFIED,
                                 .dst_device = rows->dst,
                                 .dst_pitch = rows->dst_stride,
                                 .width = rows->row_size,
                                 .height = rows->rows};
        *what = "cuMemcpy2DAsync";
        return cuMemcpy2DAsync_v2(&copy, stream);
    }
    CudaResult result = CUDA_SUCCESS;
    *what = "cuMemcpyAsync";
    for (uint32_t row = 0; row < rows->rows && result == CUDA_SUCCESS; row++)
        result = cuMemcpyAsync(rows->dst + row * rows->dst_stride,
                               rows->src + row * rows->src_stride, rows->row_size, stream);
    return result;
}

static CudaResult replay(const CudaCommandList *list, CudaStream stream, const char **what)
{
    CudaResult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->n_commands && result == CUDA_SUCCESS; i++) {
        const CudaCommand *command = &list->commands[i];
        switch (command->kind) {
        case COMMAND_COPY:
            result = cuda_copy_rows(device_of(list), &command->copy, stream, what);
            break;
        case COMMAND_DISPATCH:
            *what = command->dispatch.kernel->head.kernel->name;
            result = launch(&command->dispatch, stream);
            break;
        case COMMAND_BARRIER:
            break;
        case COMMAND_TIMESTAMP:
            *what = "cuEventRecord";
            result = cuEventRecord(command->time, stream);
            break;
        }
    }
    return result;
}

CudaResult cuda_command_list_run(const CudaCommandList *list, CudaStream stream, const char **what)
{
    if (!list->graph)
        return replay(list, stream, what);
    *what = "cuGraphLaunch";
    return cuGraphLaunch(list->graph, stream);
}
