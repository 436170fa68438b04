/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/queue/queue_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"
#include "platform/time.h"
#include "support/memory.h"

static int add_memory(FrameQueue *queue)
{
    size_t status_size;
    if (!size_mul(queue->work->n_requests + 1, sizeof(int), &status_size))
        return -ENOMEM;
    FrameMemory *memory = calloc(1, sizeof(*memory) + status_size);
    if (!memory)
        return -ENOMEM;
    memory->records = memory_alloc_zeroed(1, queue->work->records_size);
    memory->rows = calloc(queue->work->n_units + 1, sizeof(*memory->rows));
    if (!memory->records || !memory->rows) {
        memory_free(memory->records);
        free(memory->rows);
        free(memory);
        return -ENOMEM;
    }
    memory->next = queue->memory;
    queue->memory = memory;
    memory->next_free = queue->free_memory;
    queue->free_memory = memory;
    queue->capacity++;
    return 0;
}

int frame_queue_create(FrameQueue **created, const WorkList *work, unsigned capacity,
                       FrameRetire retire, void *cookie)
{
    FrameQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    vmaf_mutex_init(&queue->lock);
    vmaf_condition_init(&queue->claimable);
    vmaf_condition_init(&queue->moved);
    queue->work = work;
    queue->retire = retire;
    queue->cookie = cookie;
    queue->limit = capacity;
    queue->n_slots = capacity + QUEUE_GROWTH;
    queue->slots = calloc(queue->n_slots, sizeof(*queue->slots));
    int err = queue->slots ? frame_queue_grow(queue, capacity) : -ENOMEM;
    if (!err)
        err = load_balance_init(&queue->balance, work);
    if (err)
        frame_queue_destroy(queue);
    else
        *created = queue;
    return err;
}

static void release_pixels(Frame *frame)
{
    picture_unref(&frame->ref);
    picture_unref(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        picture_unref(&frame->earlier_ref[i]);
        picture_unref(&frame->earlier_dist[i]);
    }
}

void frame_queue_destroy(FrameQueue *queue)
{
    if (!queue)
        return;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++)
        release_pixels(queue_slot(queue, p));
    while (queue->memory) {
        FrameMemory *memory = queue->memory;
        queue->memory = memory->next;
        memory_free(memory->records);
        free(memory->rows);
        free(memory);
    }
    free(queue->slots);
    load_balance_clear(&queue->balance);
    vmaf_condition_destroy(&queue->claimable);
    vmaf_condition_destroy(&queue->moved);
    vmaf_mutex_destroy(&queue->lock);
    free(queue);
}

void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request)
{
    return frame->records + queue->work->requests[request].record_offset;
}

int frame_queue_grow(FrameQueue *queue, unsigned capacity)
{
    int err = 0;
    vmaf_mutex_lock(&queue->lock);
    while (queue->capacity < capacity && queue->capacity < queue->n_slots && !err)
        err = add_memory(queue);
    queue->n_moves++;
    vmaf_condition_broadcast(&queue->moved);
    vmaf_mutex_unlock(&queue->lock);
    return err;
}

void frame_queue_set_limit(FrameQueue *queue, unsigned frames)
{
    vmaf_mutex_lock(&queue->lock);
    queue->limit = frames;
    queue->n_moves++;
    vmaf_condition_broadcast(&queue->moved);
    vmaf_mutex_unlock(&queue->lock);
}

void frame_queue_set_help(FrameQueue *queue, FrameHelp help, void *cookie)
{
    queue->help = help;
    queue->help_cookie = cookie;
}

/* Retires what is complete at the head of the queue, unless another thread is at it. Locked. */
static void retire_complete(FrameQueue *queue)
{
    if (queue->retiring)
        return;
    queue->retiring = true;
    while (queue->n_retired < queue->n_submitted) {
        const Frame *frame = queue_slot(queue, queue->n_retired);
        if (!mask_equal(&frame->done, &frame->wanted))
            break;
        vmaf_mutex_unlock(&queue->lock);
        queue->retire(queue->cookie, frame);
        vmaf_mutex_lock(&queue->lock);
        frame->memory->next_free = queue->free_memory;
        queue->free_memory = frame->memory;
        queue->n_retired++;
        queue->n_moves++;
        vmaf_condition_broadcast(&queue->moved);
    }
    queue->retiring = false;
}

/* Waits until something has moved, or does a piece of work that is in the way. Locked. */
static void wait_for_move(FrameQueue *queue)
{
    uint64_t seen = queue->n_moves;
    if (queue->help) {
        vmaf_mutex_unlock(&queue->lock);
        bool helped = queue->help(queue->help_cookie);
        vmaf_mutex_lock(&queue->lock);
        if (helped)
            return;
    }
    while (queue->n_moves == seen)
        vmaf_condition_wait(&queue->moved, &queue->lock);
}

static bool is_full(const FrameQueue *queue)
{
    return !queue->free_memory || queue->n_incomplete >= queue->limit;
}

/* Requests have become claimable. Locked. */
static void announce(FrameQueue *queue)
{
    queue->n_moves++;
    vmaf_condition_broadcast(&queue->claimable);
    if (queue->help)
        vmaf_condition_broadcast(&queue->moved);
}

static void complete_refused(FrameQueue *queue);

void frame_queue_submit(FrameQueue *queue, const Frame *frame)
{
    vmaf_mutex_lock(&queue->lock);
    queue->incoming = frame;
    while (is_full(queue))
        wait_for_move(queue);
    queue->incoming = NULL;

    uint64_t position = queue->n_submitted;
    Frame *target = queue_slot(queue, position);
    *target = *frame;
    target->position = position;
    target->claimed = target->done = target->by_backend = (RequestMask){0};
    target->backend = NULL;
    target->claimed_at = 0;
    target->memory = queue->free_memory;
    queue->free_memory = target->memory->next_free;
    target->records = target->memory->records;
    target->status = target->memory->status;
    memset(target->status, 0, (queue->work->n_requests + 1) * sizeof(int));
    if (mask_empty(&target->wanted))
        release_pixels(target);
    else
        queue->n_incomplete++;
    queue->n_submitted++;
    announce(queue);
    retire_complete(queue);
    bool refuses = !mask_empty(&queue->refused);
    vmaf_mutex_unlock(&queue->lock);
    if (refuses)
        complete_refused(queue);
}

void frame_queue_wait(FrameQueue *queue, uint64_t position)
{
    vmaf_mutex_lock(&queue->lock);
    while (queue->n_retired <= position)
        wait_for_move(queue);
    vmaf_mutex_unlock(&queue->lock);
}

/* Nobody has claimed any of the requests that are shared. */
static bool is_untouched(const FrameQueue *queue, const Frame *frame)
{
    RequestMask shared = mask_and(frame->wanted, &queue->balance.shared);
    RequestMask taken = mask_and(frame->claimed, &shared);
    return !mask_empty(&shared) && mask_empty(&taken);
}

/* Whether the CPU leaves frames to a backend that would be done with them sooner: at the end of a
 * run, and a caller who has no workers always, since only he brings the next frame. */
static bool weighs(const FrameQueue *queue)
{
    return queue->balance.ending || queue->help;
}

bool queue_find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      Frame **frame, RequestMask *claimed)
{
    unsigned n_untouched = 0;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        Frame *candidate = queue_slot(queue, p);
        RequestMask offered = mask_without(candidate->wanted, &candidate->claimed);
        if (weighs(queue) && is_untouched(queue, candidate) &&
            load_balance_backend_is_sooner(&queue->balance, queue->work, ++n_untouched))
            offered = mask_without(offered, &queue->balance.shared);
        for (unsigned g = 0; g < n_groups; g++) {
            *claimed = mask_and(offered, &groups[g]);
            if (!mask_empty(claimed)) {
                *frame = candidate;
                return true;
            }
        }
    }
    return false;
}

void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed)
{
    for (unsigned r = 0; r < queue->work->n_requests; r++) {
        if (mask_has(claimed, r))
            memset(frame_record(queue, frame, r), 0, queue->work->requests[r].record_size);
    }
}

bool frame_queue_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups, bool wait,
                       Frame **frame, RequestMask *claimed)
{
    vmaf_mutex_lock(&queue->lock);
    bool found = false;
    while (!queue->stopped) {
        found = queue_find_claim(queue, groups, n_groups, frame, claimed);
        if (found || !wait)
            break;
        vmaf_condition_wait(&queue->claimable, &queue->lock);
    }
    if (found)
        (*frame)->claimed = mask_or((*frame)->claimed, claimed);
    vmaf_mutex_unlock(&queue->lock);
    if (found)
        queue_zero_records(queue, *frame, claimed);
    return found;
}

/* Who has left a frame to the other looks at it again. Locked. */
static void rebalance(FrameQueue *queue)
{
    if (weighs(queue) && !mask_empty(&queue->balance.shared))
        announce(queue);
}

/* Finds a frame that nobody has begun with. Locked. */
static bool find_whole(FrameQueue *queue, const RequestMask *requests, Frame **frame,
                       RequestMask *claimed)
{
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        Frame *candidate = queue_slot(queue, p);
        *claimed = mask_and(candidate->wanted, requests);
        RequestMask taken = mask_and(candidate->claimed, claimed);
        if (mask_empty(claimed) || !mask_empty(&taken))
            continue;
        if (queue->balance.ending && !mask_empty(&queue->balance.shared) &&
            load_balance_backend_is_later(&queue->balance, queue->work, 1))
            return false;
        *frame = candidate;
        return true;
    }
    return false;
}

bool frame_queue_claim_whole(FrameQueue *queue, const RequestMask *requests,
                             const atomic_bool *leave, int milliseconds, Frame **frame,
                             RequestMask *claimed)
{
    const VmafDeadline deadline =
        vmaf_deadline_after(milliseconds < 0 ? 0 : (unsigned)milliseconds);
    bool found = false, late = false;
    vmaf_mutex_lock(&queue->lock);
    while (!queue->stopped && !atomic_load(leave)) {
        found = find_whole(queue, requests, frame, claimed);
        if (found || late)
            break;
        if (milliseconds < 0)
            vmaf_condition_wait(&queue->claimable, &queue->lock);
        else
            late = vmaf_condition_wait_until(&queue->claimable, &queue->lock, deadline) != 0;
    }
    if (found) {
        (*frame)->claimed = mask_or((*frame)->claimed, claimed);
        (*frame)->claimed_at = vmaf_steady_us();
        queue->balance.n_held++;
        rebalance(queue);
    }
    vmaf_mutex_unlock(&queue->lock);
    if (found)
        queue_zero_records(queue, *frame, claimed);
    return found;
}

void frame_queue_wake(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    vmaf_condition_broadcast(&queue->claimable);
    vmaf_mutex_unlock(&queue->lock);
}

void frame_queue_share(FrameQueue *queue, const RequestMask *requests)
{
    vmaf_mutex_lock(&queue->lock);
    queue->balance.shared = *requests;
    announce(queue);
    vmaf_mutex_unlock(&queue->lock);
}

void frame_queue_note_work(FrameQueue *queue, unsigned unit, int64_t microseconds)
{
    vmaf_mutex_lock(&queue->lock);
    load_balance_note_work(&queue->balance, unit, microseconds);
    vmaf_mutex_unlock(&queue->lock);
}

RunProgress frame_queue_progress(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const RunProgress progress = {queue->n_submitted, queue->n_retired, queue->balance.worked_us};
    vmaf_mutex_unlock(&queue->lock);
    return progress;
}

void frame_queue_end(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    queue->balance.ending = true;
    announce(queue);
    vmaf_mutex_unlock(&queue->lock);
}

/* A frame that was claimed as a whole is no longer with who claimed it. Locked. */
static void let_go(FrameQueue *queue, Frame *frame)
{
    if (!frame->claimed_at)
        return;
    frame->claimed_at = 0;
    queue->balance.n_held--;
}

void queue_complete_locked(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    for (unsigned r = 0; r < queue->work->n_requests; r++) {
        if (mask_has(requests, r))
            frame->status[r] = status;
    }
    RequestMask done = mask_or(frame->done, requests);
    if (mask_equal(&done, &frame->wanted)) {
        /* Nobody but this thread has business with the frame until `done` is stored. */
        vmaf_mutex_unlock(&queue->lock);
        release_pixels(frame);
        vmaf_mutex_lock(&queue->lock);
        queue->n_incomplete--;
        queue->n_moves++;
        vmaf_condition_broadcast(&queue->moved);
    }
    frame->done = done;
    rebalance(queue);
    retire_complete(queue);
}

void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue_complete_locked(queue, frame, requests, status);
    vmaf_mutex_unlock(&queue->lock);
}

void frame_queue_complete_whole(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                                const char *backend)
{
    vmaf_mutex_lock(&queue->lock);
    load_balance_note_answer(&queue->balance, frame->claimed_at);
    let_go(queue, frame);
    frame->backend = backend;
    frame->by_backend = *requests;
    queue_complete_locked(queue, frame, requests, 0);
    vmaf_mutex_unlock(&queue->lock);
}

void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    vmaf_mutex_lock(&queue->lock);
    let_go(queue, frame);
    frame->claimed = mask_without(frame->claimed, requests);
    announce(queue);
    bool refuses = !mask_empty(&queue->refused);
    vmaf_mutex_unlock(&queue->lock);
    if (refuses)
        complete_refused(queue);
}

static void complete_refused(FrameQueue *queue)
{
    Frame *frame;
    RequestMask claimed;
    while (frame_queue_claim(queue, &queue->refused, 1, false, &frame, &claimed))
        frame_queue_complete(queue, frame, &claimed, queue->refused_status);
}

void frame_queue_refuse(FrameQueue *queue, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue->refused_status = status;
    queue->refused = mask_or(queue->refused, requests);
    vmaf_mutex_unlock(&queue->lock);
    complete_refused(queue);
}

void frame_queue_stop(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    queue->stopped = true;
    vmaf_condition_broadcast(&queue->claimable);
    vmaf_mutex_unlock(&queue->lock);
}
