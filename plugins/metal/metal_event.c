/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Each stream has a shared event, whose value counts what was recorded there. Other streams wait
 * for the value; whether a record has finished is asked of its command buffer, which knows of
 * errors. Events for times are the borders of command buffers, the only places whose times Metal
 * tells.
 */
#include <errno.h>
#include <stdlib.h>

#include "metal_internal.h"

typedef struct MetalEvent {
    enum VmafStreamEventKind kind;
    MetalObject commands; /* for times: the border is that of this command buffer */
    bool is_begin;        /* its begin, not its end */
    /* Guarded by the device's lock: the last record, in the command buffer of that number. */
    const MetalStream *stream;
    uint64_t value, serial;
} MetalEvent;

int metal_event_create(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **created)
{
    MetalEvent *event = calloc(1, sizeof(*event));
    *created = event;
    if (!event)
        return vmaf_stream_failed(device, -ENOMEM, "an event", "");
    event->kind = kind;
    return 0;
}

void metal_event_destroy(VmafStreamDevice *device, void *destroyed)
{
    MetalEvent *event = destroyed;
    (void)device;
    if (event->commands)
        metal_release(event->commands);
    free(event);
}

/* The end of what is in the command buffer; if it only waits, the begin of the next one. */
static int record_time(MetalDevice *device, MetalEvent *event, MetalStream *stream)
{
    const bool is_begin = !stream->filling.commands || !stream->has_work;
    int err = is_begin ? metal_stream_flush(&device->head, stream) : 0;
    if (!err)
        err = metal_fill(device, stream);
    if (err)
        return err;
    if (event->commands)
        metal_release(event->commands);
    event->commands = metal_retain(stream->filling.commands);
    event->is_begin = is_begin;
    return is_begin ? 0 : metal_stream_flush(&device->head, stream);
}

int metal_event_record(VmafStreamDevice *base, void *recorded, void *stream_of_it)
{
    MetalDevice *device = (MetalDevice *)base;
    MetalEvent *event = recorded;
    MetalStream *stream = stream_of_it;
    if (event->kind == VMAF_STREAM_EVENT_TIME)
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

int metal_event_query(VmafStreamDevice *base, void *queried)
{
    MetalDevice *device = (MetalDevice *)base;
    const MetalEvent *event = queried;
    vmaf_mutex_lock(&device->lock);
    int err = metal_look(device);
    if (!err && event->stream && event->serial > event->stream->ended)
        err = -EAGAIN;
    vmaf_mutex_unlock(&device->lock);
    return err;
}

int metal_event_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const MetalEvent *event = events[i];
        if (!event->commands)
            return vmaf_stream_fail(device, -EINVAL, "a time was not taken");
        const double seconds =
            event->is_begin ? metal_start_time(event->commands) : metal_end_time(event->commands);
        times_ns[i] = (uint64_t)(seconds * 1e9);
    }
    return 0;
}

/* -- waiting -- */

static int wait_for(MetalDevice *device, MetalStream *stream, MetalObject event, uint64_t value)
{
    const int err = metal_fill(device, stream);
    if (!err)
        metal_encode_wait(stream->filling.commands, event, value);
    return err;
}

int metal_stream_wait(VmafStreamDevice *device, void *stream, void *awaited)
{
    const MetalEvent *event = awaited;
    return wait_for((MetalDevice *)device, stream, event->stream->event, event->value);
}

int metal_sync_wait(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync)
{
    return wait_for((MetalDevice *)device, stream, (MetalObject)(uintptr_t)sync->handle,
                    sync->value);
}

int metal_sync_signal(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                      void *copied)
{
    (void)copied; /* is before this on the stream */
    return metal_signal((MetalDevice *)device, stream, (MetalObject)(uintptr_t)sync->handle,
                        sync->value);
}
