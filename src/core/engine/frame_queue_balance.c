/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The balance between devices and the CPU: how fast each of them is, which frames the CPU leaves to
 * devices, and which of them leave frames to others near the end of a run. */
#include <errno.h>
#include <stdlib.h>

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

/* ---- what is left for the CPU ---- */

/* Nobody has claimed any of the requests that a device computes as well. */
static bool is_untouched(const FrameQueue *queue, const Frame *frame)
{
    RequestMask shared = mask_and(frame->wanted, &queue->balance.shared);
    RequestMask taken = mask_and(frame->claimed, &shared);
    return !mask_empty(&shared) && mask_empty(&taken);
}

RequestMask queue_offered(const FrameQueue *queue, const Frame *frame, unsigned *n_untouched)
{
    RequestMask offer = mask_without(frame->wanted, &frame->claimed);
    if (queue_weighs(queue) && is_untouched(queue, frame) &&
        load_balance_devices_are_sooner(&queue->balance, queue->work, &frame->wanted,
                                        ++*n_untouched))
        offer = mask_without(offer, &queue->balance.shared);
    return offer;
}

/* Several times what it takes to wake a thread. */
static const double turn_us = 100;

/* A unit in turns of a worker. One that has not been measured yet fills a turn. */
static double turns_of(const FrameQueue *queue, const RequestMask *claim)
{
    if (mask_empty(claim))
        return 0;
    const double us = queue->balance.unit_us[queue->work->requests[mask_first(claim)].unit];
    return us > 0 && us < turn_us ? us / turn_us : 1;
}

unsigned queue_count_turns(const FrameQueue *queue, unsigned most)
{
    unsigned n_untouched = 0;
    double turns = 0;
    for (uint64_t p = queue->n_retired; turns < most && p < queue->n_submitted; p++) {
        const Frame *frame = queue_slot(queue, p);
        for (unsigned u = 0; !mask_empty(&frame->arrived) && u < queue->work->n_units; u++) {
            const RequestMask claim = mask_and(frame->arrived, &queue->work->units[u].requests);
            turns += !mask_empty(&claim);
        }
        const RequestMask offer = queue_offered(queue, frame, &n_untouched);
        for (unsigned g = 0; g < queue->row.n_groups; g++) {
            const RequestMask claim = mask_and(offer, &queue->row.groups[g]);
            turns += turns_of(queue, &claim);
        }
    }
    const unsigned whole = (unsigned)turns;
    return whole + (turns > whole);
}

/* ---- what the balance depends on, and what it has measured ---- */

void frame_queue_note_work(FrameQueue *queue, unsigned unit, int64_t microseconds)
{
    vmaf_mutex_lock(&queue->lock);
    load_balance_note_work(&queue->balance, unit, microseconds);
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

void frame_queue_end(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    queue->balance.ending = true; /* which only makes them leave more to each other */
    queue_unlock(queue);
}

RunProgress frame_queue_progress(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const RunProgress progress = {queue->n_submitted, queue->n_retired, queue->balance.worked_us,
                                  queue->n_by_backend};
    queue_unlock(queue);
    return progress;
}
