/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Wakes threads of the queue: no more than there is work for. */
#include "engine/queue/queue_state.h"

void queue_call(FrameQueue *queue, VmafCondition *condition)
{
    for (unsigned i = 0; i < queue->n_calls; i++) {
        if (queue->calls[i] == condition)
            return;
    }
    if (queue->n_calls == CALLS_MAX)
        vmaf_condition_broadcast(condition);
    else
        queue->calls[queue->n_calls++] = condition;
}

void queue_unlock(FrameQueue *queue)
{
    VmafCondition *calls[CALLS_MAX];
    const unsigned n = queue->n_calls;
    for (unsigned i = 0; i < n; i++)
        calls[i] = queue->calls[i];
    queue->n_calls = 0;
    const bool notifies = queue->has_offers;
    queue->has_offers = false;
    vmaf_mutex_unlock(&queue->lock);
    if (notifies)
        queue->notify(queue->notify_cookie);
    for (unsigned i = 0; i < n; i++)
        vmaf_condition_broadcast(calls[i]);
}

/* Wakes those first who fell asleep last: their data are the likeliest to be in a cache. */
void queue_wake_row_workers(FrameQueue *queue, unsigned n)
{
    while (queue->n_asleep && queue->n_woken < n && queue_may_wake(queue)) {
        Worker *worker = &queue->workers[queue->asleep[--queue->n_asleep]];
        worker->asleep = false;
        queue->n_woken++;
        queue_call(queue, &worker->condition);
    }
}

/* A backend that waits is woken first, so that it has work when frames come slowly: what it takes
 * costs the CPU nothing. */
void queue_offer(FrameQueue *queue)
{
    queue->n_events++;
    queue->has_offers = queue->notify != NULL;
    if (queue->n_whole)
        queue_call(queue, &queue->whole);
    if (queue->n_asleep)
        queue_wake_row_workers(queue, queue_count_turns(queue, queue->n_asleep));
    if (queue->help) {
        queue_call(queue, &queue->room);
        queue_call(queue, &queue->retired);
    }
}

void queue_note_progress(FrameQueue *queue)
{
    queue->n_events++;
    if (queue->incoming && queue_has_room(queue))
        queue_call(queue, &queue->room);
    if (queue->awaited < queue->n_retired) {
        queue->awaited = UINT64_MAX;
        queue_call(queue, &queue->retired);
    }
}

void queue_rebalance(FrameQueue *queue)
{
    if (queue_weighs(queue) &&
        (!mask_empty(&queue->balance.shared) || queue->balance.n_devices > 1))
        queue_offer(queue);
}
