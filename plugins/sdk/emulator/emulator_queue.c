/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Queues: what submissions wait for and signal, in which order they run, waiting for them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"
#include "platform/time.h"

static EmulatorTimeline *timeline_of(const VmafBackendSync *sync)
{
    return (EmulatorTimeline *)(uintptr_t)sync->handle;
}

/* Runs the copies up to those of this submission. */
static int emulator_finish_copies(EmulatorDevice *device, EmulatorQueue *queue,
                                  VmafDeviceTicket ticket);

/* A sum over all bytes that the copies read. */
static uint64_t emulator_sum_sources(const EmulatorSubmission *submission)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < submission->n_copies; i++) {
        const VmafDeviceCopy *copy = &submission->copies[i];
        uint64_t stride;
        const unsigned char *row = emulator_copy_source(copy, &stride);
        for (uint32_t y = 0; y < copy->rows; y++, row += stride) {
            for (uint64_t x = 0; x < copy->row_size; x++)
                sum = (sum ^ row[x]) * UINT64_C(1099511628211);
        }
    }
    return sum;
}

/* Waiting and signalling. Before copies run, waits are checked and checksums of sources taken. */
static void emulator_note_syncs(EmulatorDevice *device, EmulatorQueue *queue,
                                EmulatorSubmission *submission)
{
    bool waits_for_stream = false;
    for (uint32_t i = 0; i < submission->n_waits; i++)
        waits_for_stream |= submission->waits[i].kind == VMAF_BACKEND_SYNC_CUDA_STREAM;
    submission->stream_mark = waits_for_stream ? device->stream_queued : 0;
    for (uint32_t i = 0; i < submission->n_signals; i++) {
        if (submission->signals[i].kind == VMAF_BACKEND_SYNC_CUDA_STREAM) {
            device->gate_queue = queue;
            device->gate = submission->ticket;
        }
    }
    /* What is queued in the stream may still write what is copied after it. */
    submission->sources = emulator_sum_sources(submission);
    submission->sources_are_known = submission->stream_mark <= device->stream_run;
    for (uint32_t i = 0; i < submission->n_waits; i++) {
        const VmafBackendSync *sync = &submission->waits[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE &&
            atomic_load(&timeline_of(sync)->value) < sync->value)
            submission->sources_are_known = false;
    }
}

/* Runs the oldest write of the stream. */
static void run_write(EmulatorDevice *device)
{
    EmulatorStreamWrite *write = device->first_write;
    if (write->gate)
        emulator_finish_copies(device, write->gate_queue, write->gate);
    memcpy(write->to, write->bytes, write->size);
    device->first_write = write->next;
    device->stream_run++;
    free(write);
}

/* Waiting and signalling. Before copies run, waits are checked and checksums of sources taken. */
static bool emulator_waits_are_over(EmulatorDevice *device, EmulatorSubmission *submission)
{
    for (uint32_t i = 0; i < submission->n_waits; i++) {
        const VmafBackendSync *sync = &submission->waits[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE &&
            atomic_load(&timeline_of(sync)->value) < sync->value)
            return false;
    }
    while (device->stream_run < submission->stream_mark)
        run_write(device);
    if (!submission->sources_are_known) {
        submission->sources = emulator_sum_sources(submission);
        submission->sources_are_known = true;
    }
    return true;
}

/* Waiting and signalling. Before copies run, waits are checked and checksums of sources taken. */
static void emulator_signal(const EmulatorSubmission *submission)
{
    for (uint32_t i = 0; i < submission->n_signals; i++) {
        const VmafBackendSync *sync = &submission->signals[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE)
            atomic_store(&timeline_of(sync)->value, sync->value);
    }
}

/* Fills the buffers that the list copies to the host with noise. */
static void emulator_spoil_downloads(EmulatorDevice *device, const EmulatorCommandList *list)
{
    for (size_t i = 0; i < list->n_commands; i++) {
        const VmafDeviceCopy *copy = &list->commands[i].copy;
        if (list->commands[i].type != EMULATOR_COPY || copy->dst->memory != VMAF_MEMORY_DOWNLOAD)
            continue;
        unsigned char *row = (unsigned char *)copy->dst->mapped + copy->dst_offset;
        for (uint32_t y = 0; y < copy->rows; y++, row += copy->dst_stride)
            emulator_fill_noise(row, copy->row_size, (uint32_t)device->submissions);
    }
}

/* -- the application's side -- */

int emulator_stream_write(VmafDevice *base, uint64_t address, const void *bytes, size_t size)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    EmulatorStreamWrite *write = malloc(sizeof(*write) + size);
    if (!write)
        return -ENOMEM;
    *write = (EmulatorStreamWrite){.to = (void *)(uintptr_t)address, .size = size};
    memcpy(write->bytes, bytes, size);
    vmaf_mutex_lock(&device->lock);
    write->gate_queue = device->gate_queue;
    write->gate = device->gate;
    EmulatorStreamWrite **last = &device->first_write;
    while (*last)
        last = &(*last)->next;
    *last = write;
    device->stream_queued++;
    vmaf_mutex_unlock(&device->lock);
    return 0;
}

void emulator_stream_finish(VmafDevice *base)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    while (device->first_write)
        run_write(device);
    vmaf_mutex_unlock(&device->lock);
}

/*
 * Queues: which of the submissions that may run, runs. A step is the copies of a submission, or the
 * commands of a list up to its next barrier.
 */

int emulator_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    EmulatorQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    queue->head.device = base;
    *created = &queue->head;
    return 0;
}

void emulator_queue_destroy(VmafDeviceQueue *queue)
{
    free(queue);
}

/* -- steps -- */

EmulatorSubmission *emulator_submission_at(EmulatorQueue *queue, uint32_t i)
{
    return &queue->pending[(queue->first + i) % EMULATOR_MAX_PENDING];
}

static bool hangs(const EmulatorDevice *device, const EmulatorSubmission *submission)
{
    return submission->number == device->faults.hang_at_submit;
}

/* The oldest submission whose copies have not run, or NULL. */
static EmulatorSubmission *next_to_copy(EmulatorQueue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        if (!emulator_submission_at(queue, i)->copied)
            return emulator_submission_at(queue, i);
    }
    return NULL;
}

/* The oldest unfinished submission of a stream, or NULL. */
static EmulatorSubmission *next_in_stream(EmulatorQueue *queue, uint32_t stream)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        EmulatorSubmission *submission = emulator_submission_at(queue, i);
        if (submission->stream == stream && !submission->finished)
            return submission;
    }
    return NULL;
}

/* Runs the copies of the next submission that has not copied; -EAGAIN if it still waits. */
static int copy_next(EmulatorDevice *device, EmulatorQueue *queue)
{
    EmulatorSubmission *submission = next_to_copy(queue);
    if (!submission || !emulator_waits_are_over(device, submission))
        return -EAGAIN;
    uint64_t times[2] = {(uint64_t)vmaf_steady_ns()};
    if (submission->sources != emulator_sum_sources(submission)) {
        return emulator_fail(device, -EIO, "submission %llu: what it copies has changed since",
                             (unsigned long long)submission->number);
    }
    for (uint32_t i = 0; i < submission->n_copies; i++)
        emulator_run_copy(&submission->copies[i]);
    times[1] = (uint64_t)vmaf_steady_ns();
    if (submission->list)
        memcpy(submission->list->copy_times_ns, times, sizeof(times));
    submission->copied = true;
    emulator_signal(submission);
    return 0;
}

/* Runs a step of the next submission of a stream; -EAGAIN if it cannot run. */
static int step_stream(EmulatorDevice *device, EmulatorQueue *queue, uint32_t stream)
{
    EmulatorSubmission *submission = next_in_stream(queue, stream);
    if (!submission || !submission->copied || hangs(device, submission))
        return -EAGAIN;
    EmulatorCommandList *list = submission->list;
    int status = 0;
    if (list && submission->next < list->n_commands)
        status = emulator_run_step(device, list, &submission->next);
    if (!list || status < 0 || submission->next == list->n_commands) {
        submission->finished = true;
        if (list)
            list->pending = false;
    }
    return status;
}

/* -- the order of steps -- */

static EmulatorSubmission *find(EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        if (emulator_submission_at(queue, i)->ticket == ticket)
            return emulator_submission_at(queue, i);
    }
    return NULL;
}

/* One of the steps that can run, with luck another one each time; -EAGAIN: none of them can. */
static int step_any(EmulatorDevice *device, EmulatorQueue *queue)
{
    const uint32_t n = VMAF_DEVICE_STREAMS + 1, first = emulator_random(device) % n;
    int status = -EAGAIN;
    for (uint32_t i = 0; i < n && status == -EAGAIN; i++) {
        const uint32_t kind = (first + i) % n;
        status = kind < VMAF_DEVICE_STREAMS ? step_stream(device, queue, kind)
                                            : copy_next(device, queue);
    }
    return status;
}

/* The next step towards the end of a submission, after as much as possible of other lanes if the
 * order is reverse. */
static int step_towards(EmulatorDevice *device, EmulatorQueue *queue, uint32_t stream)
{
    int status = -EAGAIN;
    if (device->options.order == EMULATOR_ORDER_RANDOM)
        return step_any(device, queue);
    for (uint32_t k = 1; k < VMAF_DEVICE_STREAMS && device->options.order == EMULATOR_ORDER_REVERSE;
         k++)
        status = step_stream(device, queue, (stream + k) % VMAF_DEVICE_STREAMS);
    if (status == -EAGAIN)
        status = step_stream(device, queue, stream);
    return status == -EAGAIN ? copy_next(device, queue) : status;
}

/* Runs what a submission needs, and whatever else comes before it. -ETIMEDOUT: it cannot end. */
static int finish(EmulatorDevice *device, EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    const EmulatorSubmission *wanted = find(queue, ticket);
    int status = 0;
    while (status == 0 && wanted && !wanted->finished)
        status = step_towards(device, queue, wanted->stream);
    return status == -EAGAIN ? -ETIMEDOUT : status;
}

/* Runs the copies up to those of this submission. */
static int emulator_finish_copies(EmulatorDevice *device, EmulatorQueue *queue,
                                  VmafDeviceTicket ticket)
{
    const EmulatorSubmission *wanted = find(queue, ticket);
    int status = 0;
    while (status == 0 && wanted && !wanted->copied)
        status = copy_next(device, queue);
    return status;
}

/* What runs while the host does something else. */
static int run_ahead(EmulatorDevice *device, EmulatorQueue *queue)
{
    int status = 0;
    switch (device->options.order) {
    case EMULATOR_ORDER_FORWARD: /* copies as early, all else as late as possible */
        while (status == 0)
            status = copy_next(device, queue);
        break;
    case EMULATOR_ORDER_RANDOM:
        for (uint32_t n = emulator_random(device) % 4; n > 0 && status == 0; n--)
            status = step_any(device, queue);
        break;
    case EMULATOR_ORDER_REVERSE:
        break;
    }
    return status == -EAGAIN ? 0 : status;
}

/* -- submitting and waiting -- */

/* The host has learnt that this submission has ended, and what that says of others. */
static void note_end(EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    const EmulatorSubmission *ended = find(queue, ticket);
    for (uint32_t i = 0; ended && i < queue->count; i++) {
        EmulatorSubmission *submission = emulator_submission_at(queue, i);
        submission->copies_known |= submission->ticket <= ticket;
        submission->list_known |= submission->ticket <= ticket &&
                                  (submission->stream == ended->stream || !submission->list);
    }
    while (queue->count > 0 && emulator_submission_at(queue, 0)->finished &&
           emulator_submission_at(queue, 0)->copies_known &&
           emulator_submission_at(queue, 0)->list_known) {
        queue->first = (queue->first + 1) % EMULATOR_MAX_PENDING;
        queue->count--;
    }
}

static bool may_be_running(EmulatorQueue *queue, const EmulatorCommandList *list)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        const EmulatorSubmission *submission = emulator_submission_at(queue, i);
        if (submission->list == list && !submission->list_known)
            return true;
    }
    return list->pending; /* in another queue */
}

static int check(EmulatorDevice *device, EmulatorQueue *queue, const EmulatorCommandList *list)
{
    if (device->lost)
        return -ENODEV;
    if (list && (!list->ended || may_be_running(queue, list))) {
        return emulator_fail(device, -EINVAL, "the command list is %s",
                             list->ended ? "running, or nobody has waited for it" : "not ended");
    }
    if (queue->count == EMULATOR_MAX_PENDING)
        return emulator_fail(device, -EIO, "too many submissions that nobody waits for");
    if (++device->submissions == device->faults.lose_at_submit) {
        device->lost = true;
        return emulator_fail(device, -ENODEV, "device lost at submission %llu",
                             (unsigned long long)device->submissions);
    }
    return 0;
}

static void describe(EmulatorDevice *device, EmulatorQueue *queue, EmulatorCommandList *list,
                     const VmafDeviceSubmit *params, EmulatorSubmission *submission)
{
    *submission = (EmulatorSubmission){
        .ticket = queue->submissions + 1,
        .number = device->submissions,
        .stream = params->stream,
        .list = list,
        .n_copies = params->n_copies,
        .n_waits = params->n_waits,
        .n_signals = params->n_signals,
    };
    for (uint32_t i = 0; i < params->n_copies; i++)
        submission->copies[i] = params->copies[i];
    for (uint32_t i = 0; i < params->n_waits; i++)
        submission->waits[i] = params->waits[i];
    for (uint32_t i = 0; i < params->n_signals; i++)
        submission->signals[i] = params->signals[i];
}

static int submit_locked(EmulatorDevice *device, EmulatorQueue *queue, EmulatorCommandList *list,
                         const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    int status = check(device, queue, list);
    if (status < 0)
        return status;
    EmulatorSubmission *submission = emulator_submission_at(queue, queue->count);
    describe(device, queue, list, params, submission);
    status = emulator_check_races(device, queue, submission);
    if (status < 0)
        return status;
    queue->count++;
    *ticket = ++queue->submissions;
    emulator_note_syncs(device, queue, submission);
    if (list) {
        list->pending = true;
        emulator_spoil_downloads(device, list);
    }
    if (device->options.immediate && device->faults.hang_at_submit == 0)
        return finish(device, queue, *ticket);
    return run_ahead(device, queue);
}

int emulator_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list,
                    const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    EmulatorDevice *device = (EmulatorDevice *)base->device;
    vmaf_mutex_lock(&device->lock);
    const int status =
        submit_locked(device, (EmulatorQueue *)base, (EmulatorCommandList *)list, params, ticket);
    vmaf_mutex_unlock(&device->lock);
    return status;
}

static int ask(EmulatorDevice *device, EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    int status = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        status = -ENODEV;
    } else if (ticket > queue->submissions) {
        status = emulator_fail(device, -EINVAL, "no submission has this ticket");
    } else {
        status = finish(device, queue, ticket);
        if (status != -ETIMEDOUT) { /* with an error, too, it has ended */
            note_end(queue, ticket);
        }
    }
    vmaf_mutex_unlock(&device->lock);
    return status;
}

int emulator_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    EmulatorDevice *device = (EmulatorDevice *)base->device;
    const int64_t begin = vmaf_steady_ns();
    for (;;) { /* a hang, or the host has not signalled yet: the time has to pass */
        const int status = ask(device, (EmulatorQueue *)base, ticket);
        const uint64_t passed = (uint64_t)(vmaf_steady_ns() - begin);
        if (status != -ETIMEDOUT || passed >= timeout_ns)
            return status;
        vmaf_sleep_ns(timeout_ns - passed < 1000000 ? timeout_ns - passed : 1000000);
    }
}
