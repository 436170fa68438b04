/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Queues: which of the submissions that may run, runs. A step is the copies of a submission, or the
 * commands of a list up to its next barrier.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"
#include "platform/time.h"

int emulator_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    vmaf_mutex_unlock(&device->lock);
    if (lost) {
        return -ENODEV;
    }
    EmulatorQueue *queue = calloc(1, sizeof(*queue));
    if (!queue) {
        return -ENOMEM;
    }
    queue->head.device = base;
    *created = &queue->head;
    return 0;
}

void emulator_queue_destroy(VmafDeviceQueue *queue)
{
    free(queue);
}

/* -- steps -- */

static EmulatorSubmission *submission_at(EmulatorQueue *queue, uint32_t i)
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
        if (!submission_at(queue, i)->copied) {
            return submission_at(queue, i);
        }
    }
    return NULL;
}

/* The oldest unfinished submission of a lane, or NULL. */
static EmulatorSubmission *next_in_lane(EmulatorQueue *queue, uint32_t lane)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        EmulatorSubmission *submission = submission_at(queue, i);
        if (submission->lane == lane && !submission->finished) {
            return submission;
        }
    }
    return NULL;
}

static void run_copies(EmulatorSubmission *submission)
{
    uint64_t times[2] = {(uint64_t)vmaf_steady_ns()};
    for (uint32_t i = 0; i < submission->n_copies; i++) {
        emulator_run_copy(&submission->copies[i]);
    }
    times[1] = (uint64_t)vmaf_steady_ns();
    if (submission->list) {
        memcpy(submission->list->copy_times_ns, times, sizeof(times));
    }
    submission->copied = true;
}

/* Runs a step of a submission that is the next of its lane, and copied. */
static int run_step(EmulatorDevice *device, EmulatorSubmission *submission)
{
    EmulatorCommandList *list = submission->list;
    int status = 0;
    if (list && submission->next < list->n_commands) {
        status = emulator_run_step(device, list, &submission->next);
    }
    if (!list || status < 0 || submission->next == list->n_commands) {
        submission->finished = true;
        if (list) {
            list->pending = false;
        }
    }
    return status;
}

/* Forgets the oldest submissions that have finished. */
static void retire(EmulatorQueue *queue)
{
    while (queue->count > 0 && submission_at(queue, 0)->finished) {
        queue->first = (queue->first + 1) % EMULATOR_MAX_PENDING;
        queue->count--;
    }
}

static EmulatorSubmission *find(EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        if (submission_at(queue, i)->ticket == ticket) {
            return submission_at(queue, i);
        }
    }
    return NULL;
}

/* Runs what a submission needs: the copies up to its own, and its lane. */
static int finish(EmulatorDevice *device, EmulatorQueue *queue, VmafDeviceTicket ticket)
{
    EmulatorSubmission *wanted = find(queue, ticket);
    int status = 0;
    while (status == 0 && wanted && !wanted->finished) {
        EmulatorSubmission *next = next_in_lane(queue, wanted->lane);
        if (hangs(device, next)) {
            return -ETIMEDOUT;
        }
        while (!next->copied) {
            run_copies(next_to_copy(queue));
        }
        status = run_step(device, next);
    }
    retire(queue);
    return status;
}

/* -- submitting and waiting -- */

static int check(EmulatorDevice *device, const EmulatorQueue *queue,
                 const EmulatorCommandList *list)
{
    if (device->lost) {
        return -ENODEV;
    }
    if (list && (!list->ended || list->pending)) {
        return emulator_fail(device, -EINVAL, "the command list is %s",
                             list->ended ? "running" : "not ended");
    }
    if (queue->count == EMULATOR_MAX_PENDING) {
        return emulator_fail(device, -EIO, "too many submissions that nobody waits for");
    }
    if (++device->submissions == device->faults.lose_at_submit) {
        device->lost = true;
        return emulator_fail(device, -ENODEV, "device lost at submission %llu",
                             (unsigned long long)device->submissions);
    }
    return 0;
}

static int submit_locked(EmulatorDevice *device, EmulatorQueue *queue, EmulatorCommandList *list,
                         const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    const int status = check(device, queue, list);
    if (status < 0) {
        return status;
    }
    EmulatorSubmission *submission = submission_at(queue, queue->count++);
    *submission = (EmulatorSubmission){
        .ticket = ++queue->submissions,
        .number = device->submissions,
        .lane = params->lane,
        .list = list,
        .n_copies = params->n_copies,
    };
    for (uint32_t i = 0; i < params->n_copies; i++) {
        submission->copies[i] = params->copies[i];
    }
    if (list) {
        list->pending = true;
    }
    *ticket = submission->ticket;
    if (device->options.immediate && device->faults.hang_at_submit == 0) {
        return finish(device, queue, *ticket);
    }
    return 0;
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

int emulator_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    EmulatorDevice *device = (EmulatorDevice *)base->device;
    EmulatorQueue *queue = (EmulatorQueue *)base;
    int status = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        status = -ENODEV;
    } else if (ticket > queue->submissions) {
        status = emulator_fail(device, -EINVAL, "no submission has this ticket");
    } else {
        status = finish(device, queue, ticket);
    }
    vmaf_mutex_unlock(&device->lock);
    if (status == -ETIMEDOUT) { /* a hang: the time has to pass */
        vmaf_sleep_ns(timeout_ns);
    }
    return status;
}
