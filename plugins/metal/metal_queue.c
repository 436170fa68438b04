/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists, queues, and how work gets to the device: copies on the queue's stream for them,
 * command lists on one of its other streams, which waits for the copies so far.
 *
 * Each stream has a shared event, whose value counts what was recorded there. Other streams wait
 * for the value; whether a record has finished is asked of its command buffer, which knows of
 * errors. Events for times are the borders of command buffers, the only places whose times Metal
 * reports.
 */
#include <errno.h>
#include <stdlib.h>

#include "metal_internal.h"

/* -- events -- */

typedef struct MetalEvent {
    bool takes_time;
    MetalObject commands; /* for times: the border is that of this command buffer */
    bool is_begin;        /* its begin, not its end */
    /* Guarded by the device's lock: the last record, in the command buffer of that number. */
    const MetalStream *stream;
    uint64_t value, serial;
} MetalEvent;

static int create_event(MetalDevice *device, bool takes_time, void **created)
{
    MetalEvent *event = calloc(1, sizeof(*event));
    *created = event;
    if (!event)
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "an event", "");
    event->takes_time = takes_time;
    return 0;
}

static void destroy_event(void *destroyed)
{
    MetalEvent *event = destroyed;
    if (event && event->commands)
        metal_release(event->commands);
    free(event);
}

/* The end of what is in the command buffer; if it only waits, the begin of the next one. */
static int record_time(MetalDevice *device, MetalEvent *event, MetalStream *stream)
{
    const bool is_begin = !stream->filling.commands || !stream->has_work;
    int err = is_begin ? metal_stream_flush(device, stream) : 0;
    if (!err)
        err = metal_fill(device, stream);
    if (err)
        return err;
    if (event->commands)
        metal_release(event->commands);
    event->commands = metal_retain(stream->filling.commands);
    event->is_begin = is_begin;
    return is_begin ? 0 : metal_stream_flush(device, stream);
}

static int record(MetalDevice *device, MetalEvent *event, MetalStream *stream)
{
    if (event->takes_time)
        return record_time(device, event, stream);
    const int err = metal_signal(device, stream, stream->event, stream->recorded + 1);
    if (err)
        return err;
    vmaf_mutex_lock(&device->lock);
    event->stream = stream;
    event->value = ++stream->recorded;
    event->serial = stream->committed + 1;
    vmaf_mutex_unlock(&device->lock);
    return 0;
}

/* -- command lists -- */

int metal_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list)
{
    return vmaf_stream_command_list_new(device, sizeof(VmafStreamCommandList), list);
}

void metal_command_list_destroy(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    if (!list)
        return;
    void *pool = objc_autoreleasePoolPush();
    for (int i = 0; i < VMAF_STREAM_TIMES; i++)
        destroy_event(list->times[i]);
    objc_autoreleasePoolPop(pool);
    vmaf_stream_command_list_free(list);
}

int metal_command_list_end(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    MetalDevice *device = (MetalDevice *)base->device;
    int err = vmaf_layer_state_check(&device->head.state);
    for (int i = 0; i < VMAF_STREAM_TIMES && !err; i++) {
        if (list->takes[i])
            err = create_event(device, true, &list->times[i]);
    }
    return err;
}

static int read_times(VmafStreamCommandList *list, void *const *events, uint64_t *times_ns,
                      uint32_t count)
{
    VmafStreamDevice *device = (VmafStreamDevice *)list->head.device;
    int err = vmaf_stream_check_times(list, events, count);
    void *pool = objc_autoreleasePoolPush();
    for (uint32_t i = 0; i < count && !err; i++) {
        const MetalEvent *event = events[i];
        if (!event->commands) {
            err = vmaf_stream_fail(device, -EINVAL, "a time was not taken");
        } else {
            const double seconds = event->is_begin ? metal_start_time(event->commands)
                                                   : metal_end_time(event->commands);
            times_ns[i] = (uint64_t)(seconds * 1e9);
        }
    }
    objc_autoreleasePoolPop(pool);
    return err;
}

int metal_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, list->times, times_ns, count);
}

int metal_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, &list->times[VMAF_STREAM_COPY_TIMES], times_ns, 2);
}

/* -- queues -- */

void metal_queue_destroy(VmafDeviceQueue *base)
{
    VmafStreamQueue *queue = (VmafStreamQueue *)base;
    if (!queue)
        return;
    void *pool = objc_autoreleasePoolPush();
    for (int p = 0; p < VMAF_STREAM_PLACES; p++) {
        destroy_event(queue->places[p].copied);
        destroy_event(queue->places[p].finished);
    }
    for (int t = 0; t < VMAF_STREAM_COUNT; t++) {
        if (queue->streams[t])
            metal_stream_destroy((MetalDevice *)base->device, queue->streams[t]);
    }
    objc_autoreleasePoolPop(pool);
    vmaf_stream_queue_free(queue);
}

int metal_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    MetalDevice *device = (MetalDevice *)base;
    int err;
    *created = NULL;
    VmafStreamQueue *queue = vmaf_stream_queue_new(base, sizeof(*queue), &err);
    if (!queue)
        return err;
    void *pool = objc_autoreleasePoolPush();
    for (int t = 0; t < VMAF_STREAM_COUNT && !err; t++)
        err = metal_stream_create(device, &queue->streams[t]);
    for (int p = 0; p < VMAF_STREAM_PLACES && !err; p++) {
        err = create_event(device, false, &queue->places[p].copied);
        if (!err)
            err = create_event(device, false, &queue->places[p].finished);
    }
    objc_autoreleasePoolPop(pool);
    if (err)
        metal_queue_destroy(&queue->head);
    else
        *created = &queue->head;
    return err;
}

/* -- commands -- */

static void copy_texture(const MetalStream *stream, const VmafDeviceCopy *rows)
{
    const MetalImage *image = (const MetalImage *)rows->image;
    const MetalObject texture = image->textures[rows->image_plane];
    const MetalUInteger wanted = rows->row_size / image->texel_size[rows->image_plane];
    const MetalUInteger width = metal_width(texture);
    /* Rows are rounded up to the alignment of copies, which is more than some textures have. */
    const MetalSize size = {wanted < width ? wanted : width, rows->rows, 1};
    metal_copy_texture(stream->encoder, texture, size, metal_buffer_of(rows->dst), rows->dst_offset,
                       rows->dst_stride);
}

static int copy_rows(MetalDevice *device, MetalStream *stream, const VmafDeviceCopy *rows)
{
    const int err = metal_encode(device, stream, METAL_BLIT);
    if (err)
        return err;
    if (rows->image) {
        copy_texture(stream, rows);
        return 0;
    }
    for (uint32_t y = 0; y < rows->rows; y++)
        metal_copy(stream->encoder, metal_buffer_of(rows->src),
                   rows->src_offset + y * rows->src_stride, metal_buffer_of(rows->dst),
                   rows->dst_offset + y * rows->dst_stride, rows->row_size);
    return 0;
}

static int launch(MetalDevice *device, MetalStream *stream, const VmafStreamDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const uint32_t *groups = dispatch->groups;
    const int err = metal_encode(device, stream, METAL_COMPUTE);
    if (err)
        return err;
    const MetalObject encoder = stream->encoder;
    metal_set_pipeline(encoder, ((const MetalKernel *)dispatch->kernel)->pipeline);
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[slot];
        metal_set_buffer(encoder, metal_buffer_of(binding->buffer), binding->offset, slot);
    }
    if (kernel->args_size)
        metal_set_bytes(encoder, dispatch->args, kernel->args_size, kernel->n_buffers);
    metal_dispatch(encoder, (MetalSize){groups[0], groups[1], groups[2]},
                   (MetalSize){kernel->lanes[0], kernel->lanes[1], 1});
    return 0;
}

/* Between encoders Metal orders what uses the same buffers. */
static void put_barrier(MetalStream *stream)
{
    if (stream->encoder_kind == METAL_COMPUTE)
        metal_memory_barrier(stream->encoder, METAL_BARRIER_BUFFERS);
    else
        metal_stop_encoding(stream);
}

static int run_list(MetalDevice *device, MetalStream *stream, const VmafStreamCommandList *list)
{
    int err = 0;
    for (size_t i = 0; i < list->n_commands && !err; i++) {
        const VmafStreamCommand *command = &list->commands[i];
        switch (command->kind) {
        case VMAF_STREAM_COPY:
            err = copy_rows(device, stream, &command->copy);
            break;
        case VMAF_STREAM_DISPATCH:
            err = launch(device, stream, &command->dispatch);
            break;
        case VMAF_STREAM_BARRIER:
            put_barrier(stream);
            break;
        case VMAF_STREAM_TIMESTAMP:
            err = record(device, list->times[command->time], stream);
            break;
        }
    }
    return err;
}

/* -- submissions -- */

/* Makes the stream wait until the event has a value. */
static int wait_for(MetalDevice *device, MetalStream *stream, MetalObject event, uint64_t value)
{
    const int err = metal_fill(device, stream);
    if (!err)
        metal_encode_wait(stream->filling.commands, event, value);
    return err;
}

/* A shared event of the application. */
static MetalObject event_of(const VmafBackendSync *sync)
{
    return (MetalObject)(uintptr_t)sync->handle;
}

/* The copies of a submission, between what they wait for and what they signal. */
static int start_copies(MetalDevice *device, const VmafStreamCommandList *list,
                        const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    MetalStream *stream = submission->copies;
    void *const *times = list ? &list->times[VMAF_STREAM_COPY_TIMES] : NULL;
    int err = 0;
    for (uint32_t i = 0; i < params->n_waits && !err; i++)
        err = wait_for(device, stream, event_of(&params->waits[i]), params->waits[i].value);
    if (!err && times && times[0])
        err = record(device, times[0], stream);
    for (uint32_t i = 0; i < params->n_copies && !err; i++) {
        const VmafDeviceCopy rows = vmaf_stream_rows_of(&params->copies[i]);
        err = copy_rows(device, stream, &rows);
    }
    if (!err && times && times[1])
        err = record(device, times[1], stream);
    if (!err)
        err = record(device, submission->place->copied, stream);
    if (!err)
        vmaf_stream_note_copies(submission);
    for (uint32_t i = 0; i < params->n_signals && !err; i++)
        err = metal_signal(device, stream, event_of(&params->signals[i]), params->signals[i].value);
    return err ? err : metal_stream_flush(device, stream);
}

static int start(MetalDevice *device, const VmafStreamCommandList *list,
                 const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    MetalStream *stream = submission->stream;
    int err = vmaf_stream_has_copies(params) ? start_copies(device, list, params, submission) : 0;
    const MetalEvent *copied = err ? NULL : vmaf_stream_awaited_copies(submission);
    if (copied)
        err = wait_for(device, stream, copied->stream->event, copied->value);
    if (!err && list)
        err = run_list(device, stream, list);
    if (!err)
        err = record(device, submission->place->finished, stream);
    return err ? err : metal_stream_flush(device, stream);
}

int metal_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                 VmafDeviceTicket *ticket)
{
    VmafStreamQueue *queue = (VmafStreamQueue *)base;
    MetalDevice *device = (MetalDevice *)base->device;
    VmafStreamSubmission submission;
    int err = vmaf_stream_submit_begin(queue, list, params, &submission);
    if (!err && !submission.hangs) {
        void *pool = objc_autoreleasePoolPush();
        err = submission.loses ? vmaf_layer_state_failed(&device->head.state, -ENODEV,
                                                         "a fault for tests", "lost")
                               : start(device, (VmafStreamCommandList *)list, params, &submission);
        /* The part that was started has no ticket to wait for. */
        for (int t = 0; t < VMAF_STREAM_COUNT && err; t++)
            metal_stream_settle(device, queue->streams[t]);
        objc_autoreleasePoolPop(pool);
    }
    return vmaf_stream_submit_end(&submission, err, ticket);
}

/* -- waiting -- */

static int query(VmafStreamDevice *base, void *queried)
{
    MetalDevice *device = (MetalDevice *)base;
    const MetalEvent *event = queried;
    void *pool = objc_autoreleasePoolPush();
    vmaf_mutex_lock(&device->lock);
    int err = metal_look(device);
    if (!err && event->stream && event->serial > event->stream->ended)
        err = -EAGAIN;
    vmaf_mutex_unlock(&device->lock);
    objc_autoreleasePoolPop(pool);
    return err;
}

int metal_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    return vmaf_stream_wait((VmafStreamQueue *)queue, ticket, timeout_ns, query);
}
