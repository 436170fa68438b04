/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Queues: streams for command lists and one for copies, which are synchronised by events, and the
 * tickets of their submissions. Once an event of a stream has happened, so have all earlier ones.
 */
#include <errno.h>
#include <stdlib.h>

#include "poll_wait.h"
#include "stream_internal.h"

/* -- life -- */

static void destroy_all(VmafStreamQueue *queue)
{
    VmafStreamDevice *device = vmaf_stream_device_of(queue);
    for (int p = 0; p < STREAM_PLACES; p++) {
        if (queue->places[p].copied)
            device->api->event_destroy(device, queue->places[p].copied);
        if (queue->places[p].finished)
            device->api->event_destroy(device, queue->places[p].finished);
    }
    for (int t = 0; t < STREAM_TRACKS; t++) {
        if (queue->streams[t])
            device->api->stream_destroy(device, queue->streams[t]);
    }
}

void vmaf_stream_queue_destroy(VmafDeviceQueue *base)
{
    VmafStreamQueue *queue = (VmafStreamQueue *)base;
    if (!queue)
        return;
    if (vmaf_stream_enter(vmaf_stream_device_of(queue)) == 0) {
        destroy_all(queue);
        vmaf_stream_leave(vmaf_stream_device_of(queue));
    }
    vmaf_mutex_destroy(&queue->lock);
    vmaf_mutex_destroy(&queue->submit_lock);
    free(queue);
}

static int create_place(VmafStreamDevice *device, VmafStreamPlace *place)
{
    const int err = device->api->event_create(device, VMAF_STREAM_EVENT_ORDER, &place->copied);
    return err ? err : device->api->event_create(device, VMAF_STREAM_EVENT_ORDER, &place->finished);
}

static int create_stream(VmafStreamDevice *device, int track, void **stream)
{
    const bool copies = track == STREAM_TRACK_COPIES && device->api->copy_stream_create;
    return copies ? device->api->copy_stream_create(device, stream)
                  : device->api->stream_create(device, stream);
}

static int create_all(VmafStreamQueue *queue)
{
    VmafStreamDevice *device = vmaf_stream_device_of(queue);
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    for (int t = 0; t < STREAM_TRACKS && !err; t++)
        err = create_stream(device, t, &queue->streams[t]);
    for (int p = 0; p < STREAM_PLACES && !err; p++)
        err = create_place(device, &queue->places[p]);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    *created = NULL;
    if (vmaf_stream_check(device))
        return -ENODEV;
    VmafStreamQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a queue)");
    queue->head.device = base;
    vmaf_mutex_init(&queue->lock);
    vmaf_mutex_init(&queue->submit_lock);
    const int err = create_all(queue);
    if (err) {
        vmaf_stream_queue_destroy(&queue->head);
        return err;
    }
    *created = &queue->head;
    return 0;
}

/* -- tickets -- */

bool vmaf_stream_is_finished(VmafStreamQueue *queue, VmafDeviceTicket ticket)
{
    vmaf_mutex_lock(&queue->lock);
    const bool finished = ticket <= queue->finished[ticket % STREAM_TRACKS];
    vmaf_mutex_unlock(&queue->lock);
    return finished;
}

/* Notes that everything of the track up to `ticket` has finished. */
static void note_finished(VmafStreamQueue *queue, VmafDeviceTicket ticket)
{
    VmafDeviceTicket *finished = &queue->finished[ticket % STREAM_TRACKS];
    vmaf_mutex_lock(&queue->lock);
    if (ticket > *finished)
        *finished = ticket;
    vmaf_mutex_unlock(&queue->lock);
}

/* Returns 0 if the submission has finished; -EAGAIN with the event to query, or NULL if there is
 * none; -EINVAL. */
static int look_up(VmafStreamQueue *queue, VmafDeviceTicket ticket, void **event)
{
    const VmafStreamPlace *place = vmaf_stream_place(queue, ticket / STREAM_TRACKS);
    int err = -EINVAL;
    *event = NULL;
    vmaf_mutex_lock(&queue->lock);
    if (ticket <= queue->finished[ticket % STREAM_TRACKS]) {
        err = 0;
    } else if (queue->hung_from && ticket >= queue->hung_from) {
        err = -EAGAIN;
    } else if (place->ticket == ticket) {
        *event = place->finished;
        err = -EAGAIN;
    }
    vmaf_mutex_unlock(&queue->lock);
    return err;
}

typedef struct Wait {
    VmafStreamQueue *queue;
    VmafDeviceTicket ticket;
} Wait;

/* Polls a submission for vmaf_poll_wait: 0; -EAGAIN: it has not finished; another error. */
static int ask(void *cookie)
{
    const Wait *wait = cookie;
    VmafStreamQueue *queue = wait->queue;
    VmafStreamDevice *device = vmaf_stream_device_of(queue);
    void *event;
    if (vmaf_stream_check(device))
        return -ENODEV;
    int err = look_up(queue, wait->ticket, &event);
    if (!event)
        return err;
    /* If the event was reused meanwhile, then this ticket has finished, which the next poll will
     * find. */
    err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->event_query(device, event);
    vmaf_stream_leave(device);
    if (!err)
        note_finished(queue, wait->ticket);
    return err;
}

int vmaf_stream_queue_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    Wait wait = {(VmafStreamQueue *)base, ticket};
    return vmaf_poll_wait(ask, &wait, timeout_ns);
}
