/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/queue/whole_frame.h"

#include "engine/queue/queue_state.h"

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
    queue_call(queue, &queue->whole);
    queue_unlock(queue);
}

/* A frame that was claimed as a whole is no longer with who claimed it. Locked. */
static void let_go(FrameQueue *queue, Frame *frame)
{
    if (!frame->claimed_at)
        return;
    frame->claimed_at = 0;
    if (queue->n_whole && queue->balance.n_devices > 1) /* one that had enough may want more */
        queue_call(queue, &queue->whole);
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
    const RequestMask refused = mask_and(*requests, &queue->refused);
    const RequestMask offered = mask_without(*requests, &refused);
    frame->claimed = mask_without(frame->claimed, &offered);
    queue_offer(queue);
    if (!mask_empty(&refused))
        queue_complete(queue, frame, &refused, queue->refused_status);
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

void frame_queue_refuse(FrameQueue *queue, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue->refused_status = status;
    queue->refused = mask_or(queue->refused, requests);
    queue_unlock(queue);
    queue_complete_refused(queue);
}
