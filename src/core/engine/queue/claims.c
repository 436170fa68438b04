/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How requests are claimed and completed, and complete frames retired. */
#include "engine/queue/queue_state.h"

#include <string.h>

#include "picture/picture.h"

/* Nobody has claimed any of the requests that an executor of whole frames computes as well. */
static bool is_untouched(const FrameQueue *queue, const Frame *frame)
{
    RequestMask shared = mask_and(frame->wanted, &queue->balance.shared);
    RequestMask taken = mask_and(frame->claimed, &shared);
    return !mask_empty(&shared) && mask_empty(&taken);
}

/* What may be claimed of a frame one by one. Frames from the oldest on; `n_untouched` counts. */
static RequestMask offered(const FrameQueue *queue, const Frame *frame, unsigned *n_untouched)
{
    RequestMask offer = mask_without(frame->wanted, &frame->claimed);
    if (queue_weighs(queue) && is_untouched(queue, frame) &&
        load_balance_devices_are_sooner(&queue->balance, queue->work, &frame->wanted,
                                        ++*n_untouched))
        offer = mask_without(offer, &queue->balance.shared);
    return offer;
}

bool queue_find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      Frame **frame, RequestMask *claimed)
{
    unsigned n_untouched = 0;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        *frame = queue_slot(queue, p);
        const RequestMask offer = offered(queue, *frame, &n_untouched);
        for (unsigned g = 0; g < n_groups; g++) {
            *claimed = mask_and(offer, &groups[g]);
            if (!mask_empty(claimed))
                return true;
        }
    }
    return false;
}

static RequestMask arrived_of_unit(const FrameQueue *queue, const Frame *frame, unsigned unit)
{
    return mask_and(frame->arrived, &queue->work->units[unit].requests);
}

bool queue_take_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken)
{
    for (uint64_t p = queue->n_retired; queue->n_arrived && p < queue->n_submitted; p++) {
        *frame = queue_slot(queue, p);
        if (mask_empty(&(*frame)->arrived))
            continue;
        const unsigned unit = queue->work->requests[mask_first(&(*frame)->arrived)].unit;
        *taken = arrived_of_unit(queue, *frame, unit);
        (*frame)->arrived = mask_without((*frame)->arrived, taken);
        queue->n_arrived -= mask_empty(&(*frame)->arrived);
        return true;
    }
    return false;
}

void queue_arrive(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    queue->n_arrived += mask_empty(&frame->arrived);
    frame->arrived = mask_or(frame->arrived, requests);
    queue_offer(queue);
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
            const RequestMask claim = arrived_of_unit(queue, frame, u);
            turns += !mask_empty(&claim);
        }
        const RequestMask offer = offered(queue, frame, &n_untouched);
        for (unsigned g = 0; g < queue->row.n_groups; g++) {
            const RequestMask claim = mask_and(offer, &queue->row.groups[g]);
            turns += turns_of(queue, &claim);
        }
    }
    const unsigned whole = (unsigned)turns;
    return whole + (turns > whole);
}

void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed)
{
    for (unsigned r = 0; r < queue->work->n_requests; r++) {
        if (mask_has(claimed, r))
            memset(frame_record(queue, frame, r), 0, queue->work->requests[r].record_size);
    }
}

bool frame_queue_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       Frame **frame, RequestMask *claimed)
{
    vmaf_mutex_lock(&queue->lock);
    const bool found = !queue->stopped && queue_find_claim(queue, groups, n_groups, frame, claimed);
    if (found)
        (*frame)->claimed = mask_or((*frame)->claimed, claimed);
    queue_unlock(queue);
    if (found)
        queue_zero_records(queue, *frame, claimed);
    return found;
}

static bool same_reference(const Frame *a, const Frame *b, unsigned n_earlier)
{
    bool same = a->ref.ref == b->ref.ref;
    for (unsigned i = 0; i < n_earlier; i++)
        same &= a->earlier_ref[i].ref == b->earlier_ref[i].ref;
    return same;
}

/* A frame that offers what is wanted has its pictures. Locked. */
static Frame *find_same(const FrameQueue *queue, const RequestMask *group,
                        const RequestMask *wanted, const Frame *like, unsigned n_earlier)
{
    unsigned n_untouched = 0;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        Frame *frame = queue_slot(queue, p);
        const RequestMask all = offered(queue, frame, &n_untouched);
        const RequestMask offer = mask_and(all, group);
        if (mask_equal(&offer, wanted) && same_reference(frame, like, n_earlier))
            return frame;
    }
    return NULL;
}

Frame *frame_queue_claim_same(FrameQueue *queue, const RequestMask *group,
                              const RequestMask *wanted, const Frame *like, unsigned n_earlier)
{
    vmaf_mutex_lock(&queue->lock);
    Frame *frame = queue->stopped ? NULL : find_same(queue, group, wanted, like, n_earlier);
    if (frame)
        frame->claimed = mask_or(frame->claimed, wanted);
    queue_unlock(queue);
    if (frame)
        queue_zero_records(queue, frame, wanted);
    return frame;
}

bool frame_queue_take_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken)
{
    vmaf_mutex_lock(&queue->lock);
    const bool found = !queue->stopped && queue_take_arrived(queue, frame, taken);
    queue_unlock(queue);
    return found;
}

void frame_release_pictures(Frame *frame)
{
    picture_companion_unref(frame->with_ref);
    frame->with_ref = NULL;
    picture_unref(&frame->ref);
    picture_unref(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        picture_unref(&frame->earlier_ref[i]);
        picture_unref(&frame->earlier_dist[i]);
    }
}

/* Gives the oldest frame the records of the frame before it, which is retired. */
static void repeat_records(const FrameQueue *queue, Frame *frame)
{
    const RetiredFrame *last = &queue->last;
    memcpy(frame->records, last->memory->records, queue->work->records_size);
    memcpy(frame->status, last->memory->status, queue->work->n_requests * sizeof(*frame->status));
    frame->backend = last->backend;
    frame->device = last->device;
    frame->by_backend = mask_and(last->by_backend, &frame->wanted);
    frame->done = frame->wanted;
}

/* Keeps its records for the next one. */
static void give_back_memory(FrameQueue *queue, const Frame *frame)
{
    FrameMemory *memory = queue->last.memory;
    memory->next_free = queue->free_memory;
    queue->free_memory = memory;
    queue->last = (RetiredFrame){frame->memory, frame->backend, frame->device, frame->by_backend};
}

void queue_retire(FrameQueue *queue)
{
    if (queue->retiring)
        return;
    queue->retiring = true;
    while (queue->n_retired < queue->n_submitted) {
        Frame *frame = queue_slot(queue, queue->n_retired);
        if (frame->repeats)
            repeat_records(queue, frame);
        if (!mask_equal(&frame->done, &frame->wanted))
            break;
        queue_unlock(queue);
        queue->retire(queue->cookie, frame);
        vmaf_mutex_lock(&queue->lock);
        queue->n_by_backend += frame->backend != NULL;
        give_back_memory(queue, frame);
        queue->n_retired++;
        queue_note_progress(queue);
    }
    queue->retiring = false;
}

void queue_note_computed(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    const RequestMask computed = mask_or(frame->computed, requests);
    if (mask_equal(&computed, &frame->computed))
        return;
    if (mask_equal(&computed, &frame->wanted)) {
        /* Nobody but this thread has business with its pictures, nor can the frame be retired. */
        queue_unlock(queue);
        frame_release_pictures(frame);
        vmaf_mutex_lock(&queue->lock);
        queue->n_incomplete--;
        queue_note_progress(queue);
    }
    frame->computed = computed;
}

void queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    for (unsigned r = 0; r < queue->work->n_requests; r++) {
        if (mask_has(requests, r))
            frame->status[r] = status;
    }
    queue_note_computed(queue, frame, requests);
    frame->done = mask_or(frame->done, requests);
    queue_rebalance(queue);
    queue_retire(queue);
}

void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue_complete(queue, frame, requests, status);
    queue_unlock(queue);
}

void queue_complete_refused(FrameQueue *queue)
{
    Frame *frame;
    RequestMask claimed;
    while (frame_queue_claim(queue, &queue->refused, 1, &frame, &claimed))
        frame_queue_complete(queue, frame, &claimed, queue->refused_status);
}
