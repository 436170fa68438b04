/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The part of the queue that devices see: how work is balanced between devices and the CPU, whole
 * frames, and what they give back. */
#include <errno.h>
#include <stdlib.h>

#include "engine/frame_queue.h"
#include "engine/frame_queue_internal.h"

/* Weight of a new measurement in the running mean. */
static const double newest = 0.25;

int load_balance_init(LoadBalance *balance, const WorkList *work)
{
    *balance = (LoadBalance){.unit_us = calloc(work->n_units + 1, sizeof(*balance->unit_us))};
    return balance->unit_us ? 0 : -ENOMEM;
}

void load_balance_clear(LoadBalance *balance)
{
    free(balance->unit_us);
    *balance = (LoadBalance){0};
}

static void average(double *mean, int64_t microseconds)
{
    *mean += (*mean > 0 ? newest : 1) * ((double)microseconds - *mean);
}

void load_balance_note_work(LoadBalance *balance, unsigned unit, int64_t microseconds)
{
    average(&balance->unit_us[unit], microseconds);
    balance->worked_us += microseconds;
}

void load_balance_note_answer(DevicePace *pace, int64_t claimed_at, int64_t now)
{
    /* With several frames in flight what counts is the time between answers. */
    average(&pace->us, now - (pace->last_answer > claimed_at ? pace->last_answer : claimed_at));
    pace->last_answer = now;
}

int64_t run_left_us(const RunProgress *progress, unsigned n_workers)
{
    const int64_t done = progress->worked_us / (n_workers ? n_workers : 1);
    const uint64_t n_waiting = progress->n_submitted - progress->n_retired;
    if (!progress->n_retired)
        return done;
    const double waiting = (double)done / (double)progress->n_retired * (double)n_waiting;
    return waiting > (double)done ? (int64_t)waiting : done;
}

static double cpu_us(const LoadBalance *balance, const WorkList *work)
{
    double sum = 0;
    for (unsigned u = 0; u < work->n_units; u++) {
        RequestMask both = mask_and(work->units[u].requests, &balance->shared);
        if (!mask_empty(&both))
            sum += balance->unit_us[u];
    }
    return sum;
}

/* How many frames somebody who takes `each` for one, and has `n_held` to do first, would finish
 * in less than `us`, but no more than `most` are counted. */
static unsigned finished_within(double us, double each, unsigned n_held, unsigned most)
{
    unsigned n = 0;
    while (n < most && (n_held + n + 1) * each < us)
        n++;
    return n;
}

bool load_balance_devices_are_sooner(const LoadBalance *balance, const WorkList *work,
                                     const RequestMask *wanted, unsigned n)
{
    const double us = cpu_us(balance, work);
    unsigned finished = 0;
    for (unsigned d = 0; d < balance->n_devices && finished < n; d++) {
        const DevicePace *pace = &balance->devices[d];
        const RequestMask computed = mask_and(pace->requests, wanted);
        if (!mask_empty(&computed))
            finished += finished_within(us, pace->us, pace->n_held, n - finished);
    }
    return finished >= n;
}

/* True if a device can take whatever the other one takes, and its pace is known. */
static bool may_stand_in(const DevicePace *pace, const DevicePace *other)
{
    const RequestMask missing = mask_without(other->requests, &pace->requests);
    return pace != other && !mask_empty(&pace->requests) && mask_empty(&missing) && pace->us > 0;
}

bool load_balance_device_has_enough(const LoadBalance *balance, unsigned device)
{
    const DevicePace *own = &balance->devices[device];
    const double us = (own->n_held + 1) * own->us;
    for (unsigned d = 0; d < balance->n_devices && own->n_held; d++) {
        const DevicePace *pace = &balance->devices[d];
        const bool others = pace != own && !mask_empty(&pace->requests);
        if ((others && !own->us) ||
            (may_stand_in(pace, own) &&
             finished_within(us, pace->us, pace->n_held, FRAMES_AHEAD) == FRAMES_AHEAD))
            return true;
    }
    return false;
}

bool load_balance_device_is_later(const LoadBalance *balance, const WorkList *work, unsigned device,
                                  unsigned n_workers, unsigned n_left)
{
    const DevicePace *own = &balance->devices[device];
    const double us = (own->n_held + 1) * own->us, of_cpu = cpu_us(balance, work);
    unsigned finished = 0;
    for (unsigned d = 0; d < balance->n_devices && finished < n_left; d++) {
        const DevicePace *pace = &balance->devices[d];
        if (may_stand_in(pace, own))
            finished += finished_within(us, pace->us, pace->n_held, n_left - finished);
    }
    if (of_cpu > 0)
        finished += n_workers * finished_within(us, of_cpu, 0, n_left);
    return finished >= n_left;
}

/* True if all that a device would do of a frame is still to be done. No two devices share a frame,
 * since one device is noted for each. Locked. */
static bool is_whole(const Frame *frame, const RequestMask *requests, RequestMask *claimed)
{
    *claimed = mask_and(frame->wanted, requests);
    const RequestMask taken = mask_and(frame->claimed, claimed);
    return !mask_empty(claimed) && mask_empty(&taken) && !frame->claimed_at &&
           mask_empty(&frame->by_backend);
}

/* Frames from a position on that it could take. Locked. */
static unsigned count_whole(const FrameQueue *queue, const RequestMask *requests, uint64_t from)
{
    unsigned n = 0;
    for (uint64_t p = from; p < queue->n_submitted; p++) {
        RequestMask claimed;
        n += is_whole(queue_slot(queue, p), requests, &claimed);
    }
    return n;
}

/* Finds a frame that nobody has begun with. Locked. */
static bool find_whole(FrameQueue *queue, unsigned device, const RequestMask *requests,
                       Frame **frame, RequestMask *claimed)
{
    if (load_balance_device_has_enough(&queue->balance, device))
        return false;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        Frame *candidate = queue_slot(queue, p);
        if (!is_whole(candidate, requests, claimed))
            continue;
        if (queue->balance.ending &&
            load_balance_device_is_later(&queue->balance, queue->work, device,
                                         queue->row.n_workers ? queue->row.n_workers : 1,
                                         count_whole(queue, requests, p)))
            return false;
        *frame = candidate;
        return true;
    }
    return false;
}

/* Waits for something new; false: not any longer. Locked. */
static bool wait_for_offer(FrameQueue *queue, const VmafDeadline *deadline)
{
    bool in_time = true;
    TRACE_SCOPE(TRACE_WAIT, "wait for a frame");
    queue->n_whole++;
    if (deadline)
        in_time = vmaf_condition_wait_until(&queue->whole, &queue->lock, *deadline) == 0;
    else
        vmaf_condition_wait(&queue->whole, &queue->lock);
    queue->n_whole--;
    return in_time;
}

bool frame_queue_claim_whole(FrameQueue *queue, unsigned device, const RequestMask *requests,
                             const atomic_bool *leave, int milliseconds, Frame **frame,
                             RequestMask *claimed)
{
    const bool limited = milliseconds >= 0;
    const VmafDeadline deadline = vmaf_deadline_after(limited ? (unsigned)milliseconds : 0);
    bool found = false, in_time = true;
    vmaf_mutex_lock(&queue->lock);
    while (!queue->stopped && !atomic_load(leave)) {
        found = find_whole(queue, device, requests, frame, claimed);
        if (found || !in_time)
            break;
        in_time = wait_for_offer(queue, limited ? &deadline : NULL);
    }
    if (found) {
        (*frame)->claimed = mask_or((*frame)->claimed, claimed);
        (*frame)->claimed_at = queue->clock();
        (*frame)->device = device;
        queue->balance.devices[device].n_held++; /* and one frame less is untouched: nothing else
                                                    changes */
    }
    queue_unlock(queue);
    if (found)
        queue_zero_records(queue, *frame, claimed);
    return found;
}

void frame_queue_wake(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    queue_wake_on_unlock(queue, &queue->whole);
    queue_unlock(queue);
}

/* A frame that was claimed as a whole is no longer with who claimed it. Locked. */
static void let_go(FrameQueue *queue, Frame *frame)
{
    if (!frame->claimed_at)
        return;
    frame->claimed_at = 0;
    if (queue->n_whole && queue->balance.n_devices > 1) /* one that had enough may want more */
        queue_wake_on_unlock(queue, &queue->whole);
    queue->balance.devices[frame->device].n_held--;
}

/* The requests whose records are to be condensed: not those with scores. */
static RequestMask to_condense(const FrameQueue *queue, const RequestMask *requests)
{
    RequestMask records = mask_and(*requests, &queue->work->condensed);
    for (unsigned r = 0; !mask_empty(&records) && r < queue->work->n_requests; r++) {
        RequestMask scores = {{0}};
        if (queue->work->requests[r].scores)
            mask_add(&scores, r);
        records = mask_without(records, &scores);
    }
    return records;
}

void frame_queue_complete_whole(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                                const char *backend)
{
    vmaf_mutex_lock(&queue->lock);
    load_balance_note_answer(&queue->balance.devices[frame->device], frame->claimed_at,
                             queue->clock());
    let_go(queue, frame);
    frame->backend = backend;
    frame->by_backend = *requests;
    queue_note_computed(queue, frame, requests);
    const RequestMask arrived = to_condense(queue, requests);
    const RequestMask complete = mask_without(*requests, &arrived);
    if (!mask_empty(&arrived))
        queue_arrive(queue, frame, &arrived);
    if (!mask_empty(&complete))
        queue_complete(queue, frame, &complete, 0);
    queue_unlock(queue);
}

void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    vmaf_mutex_lock(&queue->lock);
    let_go(queue, frame);
    const RequestMask rejected = mask_and(*requests, &queue->rejected);
    const RequestMask offered = mask_without(*requests, &rejected);
    frame->claimed = mask_without(frame->claimed, &offered);
    queue_offer(queue);
    if (!mask_empty(&rejected))
        queue_complete(queue, frame, &rejected, queue->rejected_status);
    queue_unlock(queue);
}

void frame_queue_set_device(FrameQueue *queue, unsigned device, const RequestMask *requests)
{
    vmaf_mutex_lock(&queue->lock);
    LoadBalance *balance = &queue->balance;
    balance->devices[device].requests = *requests;
    if (device >= balance->n_devices)
        balance->n_devices = device + 1;
    queue_offer(queue);
    queue_unlock(queue);
}

void frame_queue_balance(FrameQueue *queue, const RequestMask *requests)
{
    vmaf_mutex_lock(&queue->lock);
    queue->balance.shared = *requests;
    queue_offer(queue);
    queue_unlock(queue);
}

void frame_queue_reject(FrameQueue *queue, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue->rejected_status = status;
    queue->rejected = mask_or(queue->rejected, requests);
    queue_unlock(queue);
    queue_complete_rejected(queue);
}
