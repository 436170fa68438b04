/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Queues: a stream for each lane and one for copies, which events join, and the tickets of their
 * submissions. A stream runs in order, so an event of it that has come true vouches for all earlier
 * ones. No stream waits for the legacy stream, on which applications work, unless told so.
 */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"
#include "poll_wait.h"

/* -- life -- */

static void destroy_track(CudaTrack *track)
{
    for (int i = 0; i < CUDA_MARKS; i++) {
        if (track->events[i])
            cuEventDestroy_v2(track->events[i]);
    }
    if (track->stream)
        cuStreamDestroy_v2(track->stream);
}

void cuda_queue_destroy(VmafDeviceQueue *base)
{
    CudaQueue *queue = (CudaQueue *)base;
    if (!queue)
        return;
    if (cuda_enter((CudaDevice *)base->device) == CUDA_SUCCESS) {
        for (int t = 0; t < CUDA_TRACKS; t++)
            destroy_track(&queue->tracks[t]);
        if (queue->copied)
            cuEventDestroy_v2(queue->copied);
        if (queue->arrived)
            cuEventDestroy_v2(queue->arrived);
        cuda_leave();
    }
    vmaf_mutex_destroy(&queue->lock);
    vmaf_mutex_destroy(&queue->submit_lock);
    free(queue);
}

static CudaResult create_track(CudaTrack *track)
{
    CudaResult result = cuStreamCreate(&track->stream, CUDA_STREAM_NON_BLOCKING);
    for (int i = 0; i < CUDA_MARKS && result == CUDA_SUCCESS; i++)
        result = cuEventCreate(&track->events[i], CUDA_EVENT_DISABLE_TIMING);
    return result;
}

static CudaResult create_all(CudaQueue *queue)
{
    CudaResult result = cuEventCreate(&queue->copied, CUDA_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        result = cuEventCreate(&queue->arrived, CUDA_EVENT_DISABLE_TIMING);
    for (int t = 0; t < CUDA_TRACKS && result == CUDA_SUCCESS; t++)
        result = create_track(&queue->tracks[t]);
    return result;
}

int cuda_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    CudaDevice *device = (CudaDevice *)base;
    *created = NULL;
    if (cuda_check(device))
        return -ENODEV;
    CudaQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return cuda_fail(device, -ENOMEM, "out of memory (a queue)");
    queue->head.device = base;
    vmaf_mutex_init(&queue->lock);
    vmaf_mutex_init(&queue->submit_lock);
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = create_all(queue);
        cuda_leave();
    }
    if (result != CUDA_SUCCESS) {
        cuda_queue_destroy(&queue->head);
        return cuda_failed(device, result, "a queue");
    }
    *created = &queue->head;
    return 0;
}

/* -- tickets -- */

/* The newest mark tells of this ticket, too, or a new one of it alone. The lock is held. */
static void note(CudaTrack *track, uint32_t mark, VmafDeviceTicket ticket)
{
    track->tickets[mark] = ticket;
    if (track->count == 0 || mark != (track->first + track->count - 1) % CUDA_MARKS)
        track->count++;
}

CudaResult cuda_mark(CudaQueue *queue, CudaTrack *track, VmafDeviceTicket ticket)
{
    vmaf_mutex_lock(&queue->lock);
    const bool full = track->count == CUDA_MARKS;
    const uint32_t next = (track->first + track->count) % CUDA_MARKS;
    if (!full)
        vmaf_mutex_unlock(&queue->lock);
    /* Nobody asks for the next event yet. If all are in use, the newest is recorded again, and its
     * older submissions seem to end with this one. */
    const uint32_t mark = full ? (next + CUDA_MARKS - 1) % CUDA_MARKS : next;
    const CudaResult result = cuEventRecord(track->events[mark], track->stream);
    if (!full)
        vmaf_mutex_lock(&queue->lock);
    if (result == CUDA_SUCCESS)
        note(track, mark, ticket);
    vmaf_mutex_unlock(&queue->lock);
    return result;
}

/* Everything of the track up to `ticket` has finished. */
static void note_finished(CudaQueue *queue, CudaTrack *track, VmafDeviceTicket ticket)
{
    vmaf_mutex_lock(&queue->lock);
    if (ticket > track->finished)
        track->finished = ticket;
    while (track->count && track->tickets[track->first] <= ticket) {
        track->first = (track->first + 1) % CUDA_MARKS;
        track->count--;
    }
    vmaf_mutex_unlock(&queue->lock);
}

/* 0: finished; -EAGAIN with the event to ask for, and the ticket that it tells of, or NULL if
 * there is nothing to ask; -EINVAL. */
static int look_up(CudaQueue *queue, const CudaTrack *track, VmafDeviceTicket ticket,
                   CudaEvent *event, VmafDeviceTicket *told)
{
    int err = -EINVAL;
    *event = NULL;
    vmaf_mutex_lock(&queue->lock);
    if (ticket <= track->finished)
        err = 0;
    else if (queue->hung_from && ticket >= queue->hung_from)
        err = -EAGAIN;
    for (uint32_t i = 0; i < track->count && err == -EINVAL; i++) {
        const uint32_t mark = (track->first + i) % CUDA_MARKS;
        if (track->tickets[mark] >= ticket) {
            *event = track->events[mark];
            *told = track->tickets[mark];
            err = -EAGAIN;
        }
    }
    vmaf_mutex_unlock(&queue->lock);
    return err;
}

typedef struct Wait {
    CudaQueue *queue;
    VmafDeviceTicket ticket;
} Wait;

/* 0; -EAGAIN: not yet; another error. */
static int ask(void *cookie)
{
    const Wait *wait = cookie;
    CudaQueue *queue = wait->queue;
    const VmafDeviceTicket ticket = wait->ticket;
    CudaDevice *device = (CudaDevice *)queue->head.device;
    CudaTrack *track = &queue->tracks[ticket % CUDA_TRACKS];
    VmafDeviceTicket told = 0;
    CudaEvent event;
    if (cuda_check(device))
        return -ENODEV;
    const int err = look_up(queue, track, ticket, &event, &told);
    if (!event)
        return err;
    /* If the event has found another use meanwhile, then this ticket has finished. */
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = cuEventQuery(event);
        cuda_leave();
    }
    if (result == CUDA_ERROR_NOT_READY)
        return -EAGAIN;
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, "cuEventQuery");
    note_finished(queue, track, told);
    return 0;
}

/* The driver cannot wait with a limit. */
int cuda_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    Wait wait = {(CudaQueue *)base, ticket};
    return vmaf_poll_wait(ask, &wait, timeout_ns);
}
