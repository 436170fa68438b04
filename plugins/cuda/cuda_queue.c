/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists, queues, and how work gets to the device: copies on the queue's stream for them,
 * command lists on one of its other streams, which waits for the copies so far. Events say when
 * something has been done.
 */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"

/* -- events -- */

static int create_event(CudaDevice *device, unsigned flags, void **created)
{
    CUevent event = NULL;
    const int err = driver_done(device, cuEventCreate(&event, flags), DRIVER_PREFIX "EventCreate");
    *created = err ? NULL : event;
    return err;
}

static void destroy_event(void *event)
{
    if (event)
        driver_ignore(cuEventDestroy_v2(event));
}

static int record(CudaDevice *device, CUevent event, CUstream stream)
{
    return driver_done(device, cuEventRecord(event, stream), DRIVER_PREFIX "EventRecord");
}

/* -- command lists -- */

int cuda_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list)
{
    return vmaf_stream_command_list_new(device, sizeof(CudaCommandList), list);
}

void cuda_command_list_destroy(VmafDeviceCommandList *base)
{
    CudaCommandList *list = (CudaCommandList *)base;
    if (!list)
        return;
    CudaDevice *device = (CudaDevice *)base->device;
    if (context_enter(device) == 0) {
        for (int i = 0; i < VMAF_STREAM_TIMES; i++)
            destroy_event(list->base.times[i]);
#ifdef DRIVER_HAS_GRAPHS
        if (list->graph)
            cuGraphExecDestroy(list->graph);
#endif
        context_leave(device);
    }
    vmaf_stream_command_list_free(&list->base);
}

int cuda_command_list_end(VmafDeviceCommandList *base)
{
    CudaCommandList *list = (CudaCommandList *)base;
    CudaDevice *device = (CudaDevice *)base->device;
    int err = vmaf_layer_state_check(&device->base.state);
    if (!err)
        err = context_enter(device);
    if (err)
        return err;
    for (int i = 0; i < VMAF_STREAM_TIMES && !err; i++) {
        if (list->base.takes[i])
            err = create_event(device, 0, &list->base.times[i]);
    }
#ifdef DRIVER_HAS_GRAPHS
    if (!err)
        err = cuda_graph_create(device, list);
#endif
    context_leave(device);
    return err;
}

/* Times since the first event: the driver counts in binary32, whose steps grow with the time. */
static int read_times(VmafStreamCommandList *list, void *const *events, uint64_t *times_ns,
                      uint32_t count)
{
    CudaDevice *device = (CudaDevice *)list->head.device;
    int err = vmaf_stream_check_times(list, events, count);
    if (!err)
        err = context_enter(device);
    if (err)
        return err;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        float milliseconds = 0.0f;
        result = cuEventElapsedTime(&milliseconds, events[0], events[i]);
        times_ns[i] = milliseconds > 0.0f ? (uint64_t)((double)milliseconds * 1e6) : 0;
    }
    err = driver_done(device, result, DRIVER_PREFIX "EventElapsedTime");
    context_leave(device);
    return err;
}

int cuda_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, list->times, times_ns, count);
}

int cuda_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, &list->times[VMAF_STREAM_COPY_TIMES], times_ns, 2);
}

/* -- queues -- */

static void destroy_all(CudaQueue *queue)
{
    for (int p = 0; p < VMAF_STREAM_PLACES; p++) {
        destroy_event(queue->base.places[p].copied);
        destroy_event(queue->base.places[p].finished);
    }
    destroy_event(queue->arrived);
    for (int t = 0; t < VMAF_STREAM_COUNT; t++) {
        if (queue->base.streams[t])
            driver_ignore(cuStreamDestroy_v2(queue->base.streams[t]));
    }
}

void cuda_queue_destroy(VmafDeviceQueue *base)
{
    CudaQueue *queue = (CudaQueue *)base;
    if (!queue)
        return;
    CudaDevice *device = (CudaDevice *)base->device;
    if (context_enter(device) == 0) {
        destroy_all(queue);
        context_leave(device);
    }
    vmaf_stream_queue_free(&queue->base);
}

static int create_stream(CudaDevice *device, void **created)
{
    CUstream stream = NULL;
    const int err = driver_done(device, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                                DRIVER_PREFIX "StreamCreate");
    *created = err ? NULL : stream;
    return err;
}

static int create_all(CudaDevice *device, CudaQueue *queue)
{
    void *arrived = NULL;
    int err = context_enter(device);
    if (err)
        return err;
    for (int t = 0; t < VMAF_STREAM_COUNT && !err; t++)
        err = create_stream(device, &queue->base.streams[t]);
    if (!err)
        err = create_event(device, CU_EVENT_DISABLE_TIMING, &arrived);
    queue->arrived = arrived;
    for (int p = 0; p < VMAF_STREAM_PLACES && !err; p++) {
        err = create_event(device, CU_EVENT_DISABLE_TIMING, &queue->base.places[p].copied);
        if (!err)
            err = create_event(device, CU_EVENT_DISABLE_TIMING, &queue->base.places[p].finished);
    }
    context_leave(device);
    return err;
}

int cuda_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    int err;
    *created = NULL;
    CudaQueue *queue = vmaf_stream_queue_new(base, sizeof(*queue), &err);
    if (!queue)
        return err;
    err = create_all((CudaDevice *)base, queue);
    if (err)
        cuda_queue_destroy(&queue->base.head);
    else
        *created = &queue->base.head;
    return err;
}

/* -- work of the application -- */

/* The driver's handle of the calling thread's default stream; here that is another thread. */
enum { STREAM_PER_THREAD = 2 };

static void *handle_of(const VmafBackendSync *sync)
{
    return (void *)(uintptr_t)sync->handle; /* NOLINT(performance-no-int-to-ptr) */
}

static int check_sync(CudaDevice *device, const VmafBackendSync *sync)
{
    if (sync->kind == DRIVER_SYNC_STREAM && sync->handle == STREAM_PER_THREAD)
        return vmaf_stream_fail(&device->base, -EINVAL,
                                "the default stream of a thread means another one here: record an "
                                "event, and name that");
    return 0;
}

/* Makes a stream wait for the application: for a stream, up to where it is now, or for an event. */
static int wait_for_application(CudaDevice *device, CUstream stream, CUevent arrived,
                                const VmafBackendSync *sync)
{
    CUevent event = handle_of(sync);
    const int err = check_sync(device, sync);
    if (err)
        return err;
    if (sync->kind == DRIVER_SYNC_STREAM) {
        const CUresult result = cuEventRecord(arrived, handle_of(sync));
        if (result != CUDA_SUCCESS)
            return driver_done(device, result, "an event on the application's stream");
        event = arrived;
    }
    return driver_done(device, cuStreamWaitEvent(stream, event, 0), "waiting for the application");
}

/* Makes a stream of the application wait for the copies, or records its event behind them. */
static int signal_application(CudaDevice *device, CUstream stream, CUevent copied,
                              const VmafBackendSync *sync)
{
    const int err = check_sync(device, sync);
    if (err)
        return err;
    const CUresult result = sync->kind == DRIVER_SYNC_STREAM
                                ? cuStreamWaitEvent(handle_of(sync), copied, 0)
                                : cuEventRecord(handle_of(sync), stream);
    return driver_done(device, result, "a signal to the application");
}

/* -- commands -- */

CUdeviceptr cuda_copy_address(const VmafDeviceBuffer *buffer, uint64_t offset)
{
    return buffer->memory == VMAF_MEMORY_DEVICE ? vmaf_stream_address(buffer, offset)
                                                : (uintptr_t)buffer->mapped + offset;
}

static int copy_rows(CudaDevice *device, CUstream stream, const VmafDeviceCopy *rows)
{
    const CUdeviceptr dst = cuda_copy_address(rows->dst, rows->dst_offset);
    const CUdeviceptr src = cuda_copy_address(rows->src, rows->src_offset);
    if (rows->rows > 1 && rows->dst_stride <= device->max_pitch &&
        rows->src_stride <= device->max_pitch) {
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                    .srcDevice = src,
                                    .srcPitch = rows->src_stride,
                                    .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                    .dstDevice = dst,
                                    .dstPitch = rows->dst_stride,
                                    .WidthInBytes = rows->row_size,
                                    .Height = rows->rows};
        return driver_done(device, cuMemcpy2DAsync_v2(&copy, stream),
                           DRIVER_PREFIX "Memcpy2DAsync");
    }
    CUresult result = CUDA_SUCCESS;
    for (uint32_t row = 0; row < rows->rows && result == CUDA_SUCCESS; row++)
        result = cuMemcpyAsync(dst + row * rows->dst_stride, src + row * rows->src_stride,
                               rows->row_size, stream);
    return driver_done(device, result, DRIVER_PREFIX "MemcpyAsync");
}

void cuda_parameters(const VmafStreamDispatch *dispatch, CudaParameters *parameters)
{
    const uint32_t n = dispatch->kernel->head.kernel->n_buffers;
    /* Drivers only read the parameters, but take pointers that are not const. */
    const union {
        const void *from;
        void *to;
    } args = {.from = dispatch->args};
    for (uint32_t slot = 0; slot < n; slot++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[slot];
        parameters->addresses[slot] = vmaf_stream_address(binding->buffer, binding->offset);
        parameters->list[slot] = &parameters->addresses[slot];
    }
    parameters->list[n] = args.to;
}

static int launch(CudaDevice *device, CUstream stream, const VmafStreamDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const uint32_t *groups = dispatch->groups;
    CudaParameters parameters;
    cuda_parameters(dispatch, &parameters);
    const CUresult result = cuLaunchKernel(((const CudaKernel *)dispatch->kernel)->function,
                                           groups[0], groups[1], groups[2], kernel->lanes[0],
                                           kernel->lanes[1], 1, 0, stream, parameters.list, NULL);
    return driver_done(device, result, kernel->name);
}

static int run_list(CudaDevice *device, CUstream stream, const CudaCommandList *list)
{
    int err = 0;
#ifdef DRIVER_HAS_GRAPHS
    if (list->graph)
        return driver_done(device, cuGraphLaunch(list->graph, stream), "cuGraphLaunch");
#endif
    for (size_t i = 0; i < list->base.n_commands && !err; i++) {
        const VmafStreamCommand *command = &list->base.commands[i];
        switch (command->kind) {
        case VMAF_STREAM_COPY:
            err = copy_rows(device, stream, &command->copy);
            break;
        case VMAF_STREAM_DISPATCH:
            err = launch(device, stream, &command->dispatch);
            break;
        case VMAF_STREAM_BARRIER: /* commands of a stream run one after the other */
            break;
        case VMAF_STREAM_TIMESTAMP:
            err = record(device, list->base.times[command->time], stream);
            break;
        }
    }
    return err;
}

/* -- submissions -- */

/* The copies of a submission, between what they wait for and what they signal. */
static int start_copies(CudaDevice *device, const CudaCommandList *list,
                        const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    CUstream stream = submission->copies;
    CUevent copied = submission->place->copied, arrived = ((CudaQueue *)submission->queue)->arrived;
    void *const *times = list ? &list->base.times[VMAF_STREAM_COPY_TIMES] : NULL;
    int err = 0;
    for (uint32_t i = 0; i < params->n_waits && !err; i++)
        err = wait_for_application(device, stream, arrived, &params->waits[i]);
    if (!err && times && times[0])
        err = record(device, times[0], stream);
    for (uint32_t i = 0; i < params->n_copies && !err; i++) {
        const VmafDeviceCopy rows = vmaf_stream_rows_of(&params->copies[i]);
        err = copy_rows(device, stream, &rows);
    }
    if (!err && times && times[1])
        err = record(device, times[1], stream);
    if (!err)
        err = record(device, copied, stream);
    if (!err)
        vmaf_stream_note_copies(submission);
    for (uint32_t i = 0; i < params->n_signals && !err; i++)
        err = signal_application(device, stream, copied, &params->signals[i]);
    return err;
}

static int start_submission(CudaDevice *device, const CudaCommandList *list,
                            const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    CUstream stream = submission->stream;
    int err = vmaf_stream_has_copies(params) ? start_copies(device, list, params, submission) : 0;
    CUevent copied = err ? NULL : vmaf_stream_awaited_copies(submission);
    if (copied)
        err = driver_done(device, cuStreamWaitEvent(stream, copied, 0),
                          DRIVER_PREFIX "StreamWaitEvent");
    if (!err && list)
        err = run_list(device, stream, list);
    return err ? err : record(device, submission->place->finished, stream);
}

int cuda_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket)
{
    CudaQueue *queue = (CudaQueue *)base;
    CudaDevice *device = (CudaDevice *)base->device;
    VmafStreamSubmission submission;
    int err = vmaf_stream_submit_begin(&queue->base, list, params, &submission);
    const bool starts = !err && !submission.hangs;
    if (starts)
        err = context_enter(device);
    if (starts && !err) {
        err =
            submission.loses
                ? vmaf_layer_state_failed(&device->base.state, -ENODEV, "a fault for tests", "lost")
                : start_submission(device, (CudaCommandList *)list, params, &submission);
        /* The part that was started has no ticket to wait for. */
        for (int t = 0; t < VMAF_STREAM_COUNT && err; t++)
            driver_ignore(cuStreamSynchronize(queue->base.streams[t]));
        context_leave(device);
    }
    return vmaf_stream_submit_end(&submission, err, ticket);
}

/* -- waiting -- */

static int query(VmafStreamDevice *base, void *event)
{
    CudaDevice *device = (CudaDevice *)base;
    int err = context_enter(device);
    if (err)
        return err;
    const CUresult result = cuEventQuery(event);
    driver_ignore(result);
    err = result == CUDA_ERROR_NOT_READY ? -EAGAIN
                                         : driver_done(device, result, DRIVER_PREFIX "EventQuery");
    context_leave(device);
    return err;
}

int cuda_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    return vmaf_stream_wait((VmafStreamQueue *)queue, ticket, timeout_ns, query);
}
