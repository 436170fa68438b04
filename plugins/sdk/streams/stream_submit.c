/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Submissions. Copies go to the queue's stream for copies, command lists to one of its other
 * streams, which waits for the copies so far.
 */
#include <errno.h>

#include "stream_internal.h"

typedef struct Submission {
    VmafStreamQueue *queue;
    VmafStreamDevice *device;
    VmafStreamCommandList *list;
    const VmafDeviceSubmit *params;
    VmafStreamPlace *place;
    VmafDeviceTicket ticket;
} Submission;

/* -- copies -- */

static int copy_all(const Submission *submission, void *stream)
{
    const VmafDeviceSubmit *params = submission->params;
    VmafStreamDevice *device = submission->device;
    void *const *times = submission->list ? submission->list->copy_times : NULL;
    int err = times && times[0] ? device->api->event_record(device, times[0], stream) : 0;
    for (uint32_t i = 0; i < params->n_copies && !err; i++) {
        const VmafStreamRows rows = vmaf_stream_rows_of(&params->copies[i]);
        err = device->api->copy(device, stream, &rows);
    }
    if (!err && times && times[1])
        err = device->api->event_record(device, times[1], stream);
    return err;
}

static int flush(const Submission *submission, void *stream)
{
    VmafStreamDevice *device = submission->device;
    return device->api->stream_flush ? device->api->stream_flush(device, stream) : 0;
}

static int copy_and_join(const Submission *submission)
{
    const VmafDeviceSubmit *params = submission->params;
    VmafStreamDevice *device = submission->device;
    const VmafStreamApi *api = device->api;
    VmafStreamQueue *queue = submission->queue;
    void *stream = queue->streams[STREAM_TRACK_COPIES];
    int err = 0;
    for (uint32_t i = 0; i < params->n_waits && !err; i++)
        err = api->sync_wait ? api->sync_wait(device, stream, &params->waits[i]) : -ENOTSUP;
    if (!err)
        err = copy_all(submission, stream);
    if (!err)
        err = api->event_record(device, submission->place->copied, stream);
    if (!err)
        queue->copied = submission->ticket / STREAM_TRACKS;
    for (uint32_t i = 0; i < params->n_signals && !err; i++)
        err = api->sync_signal
                  ? api->sync_signal(device, stream, &params->signals[i], submission->place->copied)
                  : -ENOTSUP;
    return err ? err : flush(submission, stream);
}

/* -- whole submissions -- */

/* Makes the track wait for, and see, all copies so far. */
static int join(const Submission *submission, uint32_t track)
{
    VmafStreamDevice *device = submission->device;
    VmafStreamQueue *queue = submission->queue;
    const VmafStreamPlace *copies = vmaf_stream_place(queue, queue->copied);
    if (track == STREAM_TRACK_COPIES || queue->seen[track] == queue->copied)
        return 0;
    queue->seen[track] = queue->copied;
    if (copies != submission->place && vmaf_stream_is_finished(queue, copies->ticket))
        return 0;
    return device->api->stream_wait(device, queue->streams[track], copies->copied);
}

static int start(const Submission *submission)
{
    const VmafDeviceSubmit *params = submission->params;
    VmafStreamDevice *device = submission->device;
    const uint32_t track = submission->ticket % STREAM_TRACKS;
    void *stream = submission->queue->streams[track];
    int err = 0;
    if (params->n_copies || params->n_waits || params->n_signals)
        err = copy_and_join(submission);
    if (!err)
        err = join(submission, track);
    if (!err && submission->list)
        err = vmaf_stream_run(device, submission->list, stream);
    if (!err)
        err = device->api->event_record(device, submission->place->finished, stream);
    return err ? err : flush(submission, stream);
}

/* Waits until nothing of the queue is running. */
static void settle(VmafStreamQueue *queue)
{
    VmafStreamDevice *device = vmaf_stream_device_of(queue);
    for (int t = 0; t < STREAM_TRACKS; t++)
        device->api->stream_settle(device, queue->streams[t]);
}

static int submit_in_order(const Submission *submission, bool loses)
{
    VmafStreamDevice *device = submission->device;
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    if (loses)
        err = vmaf_stream_failed(device, -ENODEV, "a fault for tests", "lost");
    else
        err = start(submission);
    /* The part that was started has no ticket to wait for. */
    if (err)
        settle(submission->queue);
    vmaf_stream_leave(device);
    return err;
}

/* Returns the submission that must have finished before another one takes a place; 0: none. */
static VmafDeviceTicket find_oldest(VmafStreamQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const uint64_t serial = queue->serial + 1;
    const bool waits = serial > STREAM_WINDOW && !queue->hung_from;
    const VmafDeviceTicket oldest =
        waits ? vmaf_stream_place(queue, serial - STREAM_WINDOW)->ticket : 0;
    vmaf_mutex_unlock(&queue->lock);
    return oldest;
}

static VmafDeviceTicket take_ticket(VmafStreamQueue *queue, uint32_t track, bool *hangs)
{
    vmaf_mutex_lock(&queue->lock);
    const uint64_t serial = ++queue->serial;
    const VmafDeviceTicket ticket = serial * STREAM_TRACKS + track;
    vmaf_stream_place(queue, serial)->ticket = ticket;
    if (*hangs && !queue->hung_from)
        queue->hung_from = ticket;
    *hangs = queue->hung_from != 0;
    vmaf_mutex_unlock(&queue->lock);
    return ticket;
}

/* Clears a place: the work that was started there has ended, or never will. */
static void forget(VmafStreamQueue *queue, VmafStreamPlace *place)
{
    vmaf_mutex_lock(&queue->lock);
    place->ticket = 0;
    vmaf_mutex_unlock(&queue->lock);
}

int vmaf_stream_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list,
                       const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    VmafStreamQueue *queue = (VmafStreamQueue *)base;
    VmafStreamDevice *device = vmaf_stream_device_of(queue);
    bool loses, hangs;
    *ticket = 0;
    vmaf_mutex_lock(&queue->submit_lock);
    const VmafDeviceTicket oldest = find_oldest(queue);
    int err = oldest ? vmaf_stream_queue_wait(base, oldest, STREAM_WINDOW_LIMIT_NS) : 0;
    if (!err)
        err = vmaf_layer_state_count_submission(&device->state, &loses, &hangs);
    if (!err) {
        *ticket = take_ticket(queue, list ? params->lane : (uint32_t)STREAM_TRACK_COPIES, &hangs);
        const Submission submission = {
            .queue = queue,
            .device = device,
            .list = (VmafStreamCommandList *)list,
            .params = params,
            .place = vmaf_stream_place(queue, *ticket / STREAM_TRACKS),
            .ticket = *ticket,
        };
        if (!hangs)
            err = submit_in_order(&submission, loses);
        if (err)
            forget(queue, submission.place);
    }
    vmaf_mutex_unlock(&queue->submit_lock);
    return err;
}
