/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A stream is a queue with the command buffer that is being filled. Flushing commits it. Command
 * buffers of a queue run in the order in which they were committed, and Metal orders what their
 * encoders do with the same buffers; within an encoder that is the business of barriers.
 *
 * A command buffer that fails signals nothing. So that those which wait for it end, too, whoever
 * finds that out sets its events; the error is the device's from then on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer_state.h"
#include "metal_internal.h"

/* -- command buffers -- */

static void release_work(MetalWork *work)
{
    for (uint32_t i = 0; i < work->n_signals; i++)
        metal_release(work->signals[i].event);
    if (work->commands)
        metal_release(work->commands);
    *work = (MetalWork){.commands = NULL};
}

static int error_of(MetalInteger code)
{
    switch (code) {
    case METAL_ERROR_TIMEOUT:
    case METAL_ERROR_PAGE_FAULT:
    case METAL_ERROR_ACCESS_REVOKED:
    case METAL_ERROR_NOT_PERMITTED:
    case METAL_ERROR_DEVICE_REMOVED:
        return -ENODEV;
    case METAL_ERROR_OUT_OF_MEMORY:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

/* What the event will be once all that is committed has run: nothing can have passed that. */
static uint64_t last_value(const MetalDevice *device, MetalObject event)
{
    uint64_t last = 0;
    for (const MetalStream *stream = device->streams; stream; stream = stream->next) {
        for (uint64_t n = stream->ended + 1; n <= stream->committed; n++) {
            const MetalWork *work = &stream->work[n % METAL_MAX_COMMITTED];
            for (uint32_t i = 0; i < work->n_signals; i++) {
                if (work->signals[i].event == event && work->signals[i].value > last)
                    last = work->signals[i].value;
            }
        }
    }
    return last;
}

/* Later command buffers of the stream run, and signal: a value set for this one alone could take
 * back theirs. */
static void note_failure(MetalDevice *device, const MetalWork *work)
{
    const MetalObject error = metal_error(work->commands);
    if (!device->failed)
        device->failed =
            vmaf_layer_state_failed(&device->head.state, error_of(error ? metal_code(error) : 0),
                                    "a command buffer", metal_words(error));
    for (uint32_t i = 0; i < work->n_signals; i++) {
        const MetalObject event = work->signals[i].event;
        const uint64_t value = last_value(device, event);
        if (metal_signaled_value(event) < value)
            metal_set_signaled_value(event, value);
    }
}

static void look_at(MetalDevice *device, MetalStream *stream)
{
    while (stream->ended < stream->committed) {
        MetalWork *work = &stream->work[(stream->ended + 1) % METAL_MAX_COMMITTED];
        const MetalUInteger status = metal_status(work->commands);
        if (status != METAL_STATUS_COMPLETED && status != METAL_STATUS_ERROR)
            return;
        if (status == METAL_STATUS_ERROR)
            note_failure(device, work);
        release_work(work);
        stream->ended++;
    }
}

int metal_look(MetalDevice *device)
{
    for (MetalStream *stream = device->streams; stream; stream = stream->next)
        look_at(device, stream);
    return device->failed;
}

typedef struct Backlog {
    MetalDevice *device;
    const MetalStream *stream;
    uint64_t wanted; /* command buffers that have not ended, at most */
} Backlog;

static int ask_for_end(void *cookie)
{
    const Backlog *backlog = cookie;
    vmaf_mutex_lock(&backlog->device->lock);
    metal_look(backlog->device);
    const uint64_t count = backlog->stream->committed - backlog->stream->ended;
    vmaf_mutex_unlock(&backlog->device->lock);
    return count <= backlog->wanted ? 0 : -EAGAIN;
}

/* Asks, and does not block in Metal: a failure that somebody waits for has to be found meanwhile.
 */
static void wait_for_end(MetalDevice *device, const MetalStream *stream, uint64_t wanted)
{
    Backlog backlog = {device, stream, wanted};
    vmaf_poll_wait(ask_for_end, &backlog, UINT64_MAX);
}

/* -- filling -- */

void metal_stop_encoding(MetalStream *stream)
{
    if (stream->encoder) {
        metal_end_encoding(stream->encoder);
        metal_release(stream->encoder);
    }
    stream->encoder = NULL;
    stream->encoder_kind = METAL_NO_ENCODER;
}

int metal_fill(MetalDevice *device, MetalStream *stream)
{
    metal_stop_encoding(stream);
    if (stream->filling.commands)
        return 0;
    const MetalObject commands = metal_command_buffer(stream->queue);
    if (!commands)
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "a command buffer", "");
    stream->filling.commands = metal_retain(commands);
    stream->has_work = false;
    return 0;
}

int metal_encode(MetalDevice *device, MetalStream *stream, enum MetalEncoder kind)
{
    if (stream->encoder_kind == kind)
        return 0;
    const int err = metal_fill(device, stream);
    if (err)
        return err;
    const MetalObject commands = stream->filling.commands;
    const MetalObject encoder = kind == METAL_BLIT
                                    ? metal_blit_encoder(commands)
                                    : metal_compute_encoder(commands, METAL_DISPATCH_CONCURRENT);
    if (!encoder)
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "an encoder", "");
    stream->encoder = metal_retain(encoder);
    stream->encoder_kind = kind;
    stream->has_work = true;
    return 0;
}

int metal_stream_flush(MetalDevice *device, MetalStream *stream)
{
    if (!stream->filling.commands)
        return 0;
    metal_stop_encoding(stream);
    wait_for_end(device, stream, METAL_MAX_COMMITTED - 1);
    const MetalObject commands = metal_retain(stream->filling.commands);
    vmaf_mutex_lock(&device->lock);
    stream->work[++stream->committed % METAL_MAX_COMMITTED] = stream->filling;
    const int err = device->failed;
    vmaf_mutex_unlock(&device->lock);
    stream->filling = (MetalWork){.commands = NULL};
    metal_commit(commands);
    metal_release(commands);
    return err;
}

int metal_signal(MetalDevice *device, MetalStream *stream, MetalObject event, uint64_t value)
{
    int err = 0;
    if (stream->filling.n_signals == METAL_MAX_SIGNALS)
        err = metal_stream_flush(device, stream);
    if (!err)
        err = metal_fill(device, stream);
    if (err)
        return err;
    MetalWork *work = &stream->filling;
    work->signals[work->n_signals++] = (MetalSignal){metal_retain(event), value};
    metal_encode_signal(work->commands, event, value);
    return 0;
}

/* -- life -- */

static void release_stream(MetalStream *stream)
{
    if (stream->queue)
        metal_release(stream->queue);
    if (stream->event)
        metal_release(stream->event);
    free(stream);
}

int metal_stream_create(MetalDevice *device, void **created)
{
    MetalStream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "a queue", "");
    stream->event = metal_new_shared_event(device->device);
    stream->queue = device->queue ? metal_retain(device->queue)
                                  : metal_new_queue(device->device, METAL_QUEUE_SIZE);
    if (!stream->queue || !stream->event) {
        release_stream(stream);
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "a queue", "");
    }
    vmaf_mutex_lock(&device->lock);
    stream->next = device->streams;
    device->streams = stream;
    vmaf_mutex_unlock(&device->lock);
    *created = stream;
    return 0;
}

void metal_stream_destroy(MetalDevice *device, MetalStream *stream)
{
    MetalStream **place = &device->streams;
    metal_stop_encoding(stream);
    release_work(&stream->filling);
    vmaf_mutex_lock(&device->lock);
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    vmaf_mutex_unlock(&device->lock);
    while (stream->ended < stream->committed)
        release_work(&stream->work[++stream->ended % METAL_MAX_COMMITTED]);
    release_stream(stream);
}

void metal_stream_settle(MetalDevice *device, MetalStream *stream)
{
    metal_stream_flush(device, stream);
    wait_for_end(device, stream, 0);
}
