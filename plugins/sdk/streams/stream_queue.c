/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Queues with the tickets of their submissions, and command lists. Once an event of a stream has
 * happened, so have all earlier ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream_layer.h"

/* Time limit of a submission that waits for a place, in case the device hangs. */
#define WINDOW_LIMIT_NS UINT64_C(30000000000)

/* -- command lists -- */

static VmafStreamDevice *device_of(const VmafStreamCommandList *list)
{
    return (VmafStreamDevice *)list->head.device;
}

int vmaf_stream_command_list_new(VmafDevice *device, size_t size, VmafDeviceCommandList **created)
{
    *created = NULL;
    if (vmaf_layer_state_check(&((VmafStreamDevice *)device)->state))
        return -ENODEV;
    VmafStreamCommandList *list = calloc(1, size);
    if (!list)
        return vmaf_stream_fail((VmafStreamDevice *)device, -ENOMEM,
                                "out of memory (a command list)");
    list->head.device = device;
    for (int i = VMAF_STREAM_COPY_TIMES; i < VMAF_STREAM_TIMES; i++)
        list->takes[i] = device->profiling;
    *created = &list->head;
    return 0;
}

void vmaf_stream_command_list_free(VmafStreamCommandList *list)
{
    free(list->commands);
    free(list);
}

static int append(VmafStreamCommandList *list, const VmafStreamCommand *command)
{
    if (vmaf_layer_state_check(&device_of(list)->state))
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

int vmaf_stream_cmd_barrier(VmafDeviceCommandList *list)
{
    const VmafStreamCommand command = {.kind = VMAF_STREAM_BARRIER};
    return append((VmafStreamCommandList *)list, &command);
}

int vmaf_stream_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    const VmafStreamCommand command = {.kind = VMAF_STREAM_TIMESTAMP, .time = index};
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    list->takes[index] = true;
    return append(list, &command);
}

VmafDeviceCopy vmaf_stream_rows_of(const VmafDeviceCopy *copy)
{
    VmafDeviceCopy rows = *copy;
    if (rows.image)
        return rows;
    if (rows.dst_stride == rows.row_size && rows.src_stride == rows.row_size) {
        rows.row_size *= rows.rows;
        rows.rows = 1;
    }
    if (rows.rows == 1)
        rows.dst_stride = rows.src_stride = rows.row_size;
    return rows;
}

int vmaf_stream_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy)
{
    const VmafStreamCommand command = {.kind = VMAF_STREAM_COPY, .copy = vmaf_stream_rows_of(copy)};
    return append((VmafStreamCommandList *)list, &command);
}

int vmaf_stream_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->kernel;
    VmafStreamCommand command = {
        .kind = VMAF_STREAM_DISPATCH,
        .dispatch = {.kernel = (const VmafStreamKernel *)dispatch->kernel},
    };
    memcpy(command.dispatch.bindings, dispatch->bindings,
           kernel->n_buffers * sizeof(dispatch->bindings[0]));
    memcpy(command.dispatch.args, dispatch->args, kernel->args_size);
    memcpy(command.dispatch.groups, dispatch->groups, sizeof(command.dispatch.groups));
    return append((VmafStreamCommandList *)list, &command);
}

int vmaf_stream_check_times(const VmafStreamCommandList *list, void *const *events, uint32_t count)
{
    int err = vmaf_layer_state_check(&device_of(list)->state);
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    for (uint32_t i = 0; i < count && !err; i++) {
        if (!events[i])
            err = -EINVAL;
    }
    return err;
}

/* -- queues -- */

void *vmaf_stream_queue_new(VmafDevice *device, size_t size, int *err)
{
    *err = vmaf_layer_state_check(&((VmafStreamDevice *)device)->state);
    if (*err)
        return NULL;
    VmafStreamQueue *queue = calloc(1, size);
    if (!queue) {
        *err = vmaf_stream_fail((VmafStreamDevice *)device, -ENOMEM, "out of memory (a queue)");
        return NULL;
    }
    queue->head.device = device;
    vmaf_mutex_init(&queue->lock);
    vmaf_mutex_init(&queue->submit_lock);
    return queue;
}

void vmaf_stream_queue_free(VmafStreamQueue *queue)
{
    vmaf_mutex_destroy(&queue->lock);
    vmaf_mutex_destroy(&queue->submit_lock);
    free(queue);
}

static VmafStreamPlace *place_of(VmafStreamQueue *queue, uint64_t serial)
{
    return &queue->places[serial % VMAF_STREAM_PLACES];
}

/* -- submitting -- */

/* Returns the submission that must have finished before another one takes a place; 0: none. */
static VmafDeviceTicket find_oldest(VmafStreamQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const uint64_t serial = queue->serial + 1;
    const bool waits = serial > VMAF_STREAM_WINDOW && !queue->hung_from;
    const VmafDeviceTicket oldest =
        waits ? place_of(queue, serial - VMAF_STREAM_WINDOW)->ticket : 0;
    vmaf_mutex_unlock(&queue->lock);
    return oldest;
}

static void take_ticket(VmafStreamSubmission *submission, uint32_t stream)
{
    VmafStreamQueue *queue = submission->queue;
    vmaf_mutex_lock(&queue->lock);
    const uint64_t serial = ++queue->serial;
    submission->ticket = serial * VMAF_STREAM_COUNT + stream;
    submission->place = place_of(queue, serial);
    submission->place->ticket = submission->ticket;
    if (submission->hangs && !queue->hung_from)
        queue->hung_from = submission->ticket;
    submission->hangs = queue->hung_from != 0;
    vmaf_mutex_unlock(&queue->lock);
}

int vmaf_stream_submit_begin(VmafStreamQueue *queue, const VmafDeviceCommandList *list,
                             const VmafDeviceSubmit *params, VmafStreamSubmission *submission)
{
    VmafStreamDevice *device = (VmafStreamDevice *)queue->head.device;
    const uint32_t stream = list ? params->stream : (uint32_t)VMAF_STREAM_COPIES;
    *submission = (VmafStreamSubmission){
        .queue = queue,
        .copies = queue->streams[VMAF_STREAM_COPIES],
        .stream = queue->streams[stream],
    };
    vmaf_mutex_lock(&queue->submit_lock);
    const VmafDeviceTicket oldest = find_oldest(queue);
    int err = oldest ? device->head.layer->wait(&queue->head, oldest, WINDOW_LIMIT_NS) : 0;
    if (!err)
        err = vmaf_layer_state_count_submission(&device->state, &submission->loses,
                                                &submission->hangs);
    if (!err)
        take_ticket(submission, stream);
    return err;
}

int vmaf_stream_submit_end(VmafStreamSubmission *submission, int err, VmafDeviceTicket *ticket)
{
    VmafStreamQueue *queue = submission->queue;
    *ticket = submission->ticket;
    if (err && submission->place) {
        /* The work that was started there has ended, or never will. */
        vmaf_mutex_lock(&queue->lock);
        submission->place->ticket = 0;
        vmaf_mutex_unlock(&queue->lock);
    }
    vmaf_mutex_unlock(&queue->submit_lock);
    return err;
}

void vmaf_stream_note_copies(const VmafStreamSubmission *submission)
{
    submission->queue->copied = submission->ticket / VMAF_STREAM_COUNT;
}

void *vmaf_stream_awaited_copies(const VmafStreamSubmission *submission)
{
    VmafStreamQueue *queue = submission->queue;
    const uint32_t stream = submission->ticket % VMAF_STREAM_COUNT;
    const VmafStreamPlace *copies = place_of(queue, queue->copied);
    if (stream == VMAF_STREAM_COPIES || queue->seen[stream] == queue->copied)
        return NULL;
    queue->seen[stream] = queue->copied;
    vmaf_mutex_lock(&queue->lock);
    const bool finished = copies->ticket <= queue->finished[copies->ticket % VMAF_STREAM_COUNT];
    vmaf_mutex_unlock(&queue->lock);
    /* Its own copies were issued a moment ago: to look whether they are done would only cost. */
    return copies != submission->place && finished ? NULL : copies->copied;
}

/* -- waiting -- */

typedef struct Wait {
    VmafStreamQueue *queue;
    VmafDeviceTicket ticket;
    int (*query)(VmafStreamDevice *device, void *event);
} Wait;

/* Returns 0 if the submission has finished; -EAGAIN with the event to query, or NULL if it never
 * ends; -EINVAL. */
static int look_up(VmafStreamQueue *queue, VmafDeviceTicket ticket, void **event)
{
    const VmafStreamPlace *place = place_of(queue, ticket / VMAF_STREAM_COUNT);
    int err = -EINVAL;
    *event = NULL;
    vmaf_mutex_lock(&queue->lock);
    if (ticket <= queue->finished[ticket % VMAF_STREAM_COUNT]) {
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

/* Polls a submission for vmaf_poll_wait: 0; -EAGAIN: it has not finished; another error. */
static int ask(void *cookie)
{
    const Wait *wait = cookie;
    VmafStreamQueue *queue = wait->queue;
    VmafStreamDevice *device = (VmafStreamDevice *)queue->head.device;
    VmafDeviceTicket *finished = &queue->finished[wait->ticket % VMAF_STREAM_COUNT];
    void *event;
    if (vmaf_layer_state_check(&device->state))
        return -ENODEV;
    int err = look_up(queue, wait->ticket, &event);
    if (!event)
        return err;
    /* If the event was used again meanwhile, then this ticket has finished, which the next poll
     * will find. */
    err = wait->query(device, event);
    vmaf_mutex_lock(&queue->lock);
    if (!err && wait->ticket > *finished)
        *finished = wait->ticket;
    vmaf_mutex_unlock(&queue->lock);
    return err;
}

int vmaf_stream_wait(VmafStreamQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns,
                     int (*query)(VmafStreamDevice *device, void *event))
{
    Wait wait = {queue, ticket, query};
    return vmaf_poll_wait(ask, &wait, timeout_ns);
}
