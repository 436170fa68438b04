/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The way of frames through the queue: they are submitted, claimed, completed and retired. What
 * workers of the CPU claim is in frame_queue_cpu.c. */
#include "engine/frame_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/frame_queue_internal.h"
#include "platform/time.h"
#include "support/memory.h"

/* ---- frames ---- */

void frame_release_pictures(Frame *frame)
{
    picture_attachment_unref(frame->with_ref);
    frame->with_ref = NULL;
    picture_unref(&frame->ref);
    picture_unref(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        picture_unref(&frame->earlier_ref[i]);
        picture_unref(&frame->earlier_dist[i]);
    }
}

void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request)
{
    return frame->records + queue->work->requests[request].record_offset;
}

/* ---- who is woken: no more than there is work for ---- */

void queue_wake_on_unlock(FrameQueue *queue, VmafCondition *condition)
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

/* A backend that waits is woken first, so that it has work when frames come slowly: what it takes
 * costs the CPU nothing. */
void queue_offer(FrameQueue *queue)
{
    queue->n_events++;
    queue->has_offers = queue->notify != NULL;
    if (queue->n_whole)
        queue_wake_on_unlock(queue, &queue->whole);
    if (queue->n_asleep)
        queue_wake_row_workers(queue, queue_count_turns(queue, queue->n_asleep));
    if (queue->help) {
        queue_wake_on_unlock(queue, &queue->room);
        queue_wake_on_unlock(queue, &queue->retired);
    }
}

/* Frames were completed or retired, or there is more room. */
static void note_progress(FrameQueue *queue)
{
    queue->n_events++;
    if (queue->incoming && queue_has_room(queue))
        queue_wake_on_unlock(queue, &queue->room);
    if (queue->awaited < queue->n_retired) {
        queue->awaited = UINT64_MAX;
        queue_wake_on_unlock(queue, &queue->retired);
    }
}

/* A device or the CPU has left a frame to the other: both look at it again. */
static void rebalance(FrameQueue *queue)
{
    if (queue_weighs(queue) &&
        (!mask_empty(&queue->balance.shared) || queue->balance.n_devices > 1))
        queue_offer(queue);
}

/* ---- claims of devices, which take all that they compute of a frame at once ---- */

void queue_zero_records(const FrameQueue *queue, const Frame *frame, const RequestMask *claimed)
{
    for (unsigned r = 0; r < queue->work->n_requests; r++) {
        if (mask_has(claimed, r))
            memset(frame_record(queue, frame, r), 0, queue->work->requests[r].record_size);
    }
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

/* ---- completion and retirement ---- */

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

static void queue_retire(FrameQueue *queue)
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
        note_progress(queue);
    }
    queue->retiring = false;
}

static void queue_note_computed(FrameQueue *queue, Frame *frame, const RequestMask *requests)
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
        note_progress(queue);
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
    rebalance(queue);
    queue_retire(queue);
}

void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue_complete(queue, frame, requests, status);
    queue_unlock(queue);
}

/* ---- what devices return ---- */

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

/* Leaves records that a backend has computed to those who condense them. Locked. */
static void queue_arrive(FrameQueue *queue, Frame *frame, const RequestMask *requests)
{
    queue->n_arrived += mask_empty(&frame->arrived);
    frame->arrived = mask_or(frame->arrived, requests);
    queue_offer(queue);
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

/* ---- requests that nobody does ---- */

/* Completes those that are unclaimed. */
static void queue_complete_rejected(FrameQueue *queue)
{
    Frame *frame;
    RequestMask claimed;
    while (frame_queue_try_claim(queue, &queue->rejected, 1, &frame, &claimed))
        frame_queue_complete(queue, frame, &claimed, queue->rejected_status);
}

void frame_queue_reject(FrameQueue *queue, const RequestMask *requests, int status)
{
    vmaf_mutex_lock(&queue->lock);
    queue->rejected_status = status;
    queue->rejected = mask_or(queue->rejected, requests);
    queue_unlock(queue);
    queue_complete_rejected(queue);
}

/* ---- the queue itself ---- */

static FrameMemory *make_memory(FrameQueue *queue)
{
    size_t status_size;
    if (!size_mul(queue->work->n_requests + 1, sizeof(int), &status_size))
        return NULL;
    FrameMemory *memory = calloc(1, sizeof(*memory) + status_size);
    if (!memory)
        return NULL;
    memory->records = memory_alloc_zeroed(1, queue->work->records_size);
    memory->rows = calloc(queue->work->n_units + 1, sizeof(*memory->rows));
    if (!memory->records || !memory->rows) {
        memory_free(memory->records);
        free(memory->rows);
        free(memory);
        return NULL;
    }
    memory->next = queue->memory;
    queue->memory = memory;
    return memory;
}

static int add_memory(FrameQueue *queue)
{
    FrameMemory *memory = make_memory(queue);
    if (!memory)
        return -ENOMEM;
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
    vmaf_condition_init(&queue->room);
    vmaf_condition_init(&queue->retired);
    vmaf_condition_init(&queue->whole);
    queue->work = work;
    queue->clock = vmaf_steady_us;
    queue->retire = retire;
    queue->cookie = cookie;
    queue->limit = capacity;
    queue->together = 1;
    queue->awaited = UINT64_MAX;
    queue->n_slots = capacity + QUEUE_GROWTH;
    queue->slots = calloc(queue->n_slots, sizeof(*queue->slots));
    queue->last.memory = make_memory(queue);
    int err = queue->slots && queue->last.memory ? frame_queue_grow(queue, capacity) : -ENOMEM;
    if (!err)
        err = load_balance_init(&queue->balance, work);
    if (err)
        frame_queue_destroy(queue);
    else
        *created = queue;
    return err;
}

void frame_queue_destroy(FrameQueue *queue)
{
    if (!queue)
        return;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        frame_trace_end(queue_slot(queue, p), true);
        frame_release_pictures(queue_slot(queue, p));
    }
    while (queue->memory) {
        FrameMemory *memory = queue->memory;
        queue->memory = memory->next;
        memory_free(memory->records);
        free(memory->rows);
        free(memory);
    }
    free(queue->slots);
    load_balance_clear(&queue->balance);
    for (unsigned i = 0; queue->workers && i < queue->row.n_workers; i++)
        vmaf_condition_destroy(&queue->workers[i].condition);
    free(queue->workers);
    free(queue->asleep);
    vmaf_condition_destroy(&queue->room);
    vmaf_condition_destroy(&queue->retired);
    vmaf_condition_destroy(&queue->whole);
    vmaf_mutex_destroy(&queue->lock);
    free(queue);
}

void frame_queue_count_downloads(FrameQueue *queue, atomic_uint *count)
{
    queue->n_downloads = count;
}

int frame_queue_grow(FrameQueue *queue, unsigned capacity)
{
    int err = 0;
    vmaf_mutex_lock(&queue->lock);
    while (queue->capacity < capacity && queue->capacity < queue->n_slots && !err)
        err = add_memory(queue);
    note_progress(queue);
    queue_unlock(queue);
    return err;
}

void frame_queue_set_limit(FrameQueue *queue, unsigned frames)
{
    vmaf_mutex_lock(&queue->lock);
    queue->limit = frames;
    note_progress(queue);
    queue_unlock(queue);
}

void frame_queue_set_together(FrameQueue *queue, unsigned frames)
{
    queue->together = frames;
}

void frame_queue_set_clock(FrameQueue *queue, int64_t (*clock)(void))
{
    queue->clock = clock;
}

void frame_queue_set_help(FrameQueue *queue, FrameHelp help, void *cookie)
{
    queue->help = help;
    queue->help_cookie = cookie;
}

void frame_queue_set_notify(FrameQueue *queue, FrameNotify notify, void *cookie)
{
    queue->notify = notify;
    queue->notify_cookie = cookie;
}

/* Waits on a condition, or does a piece of work that is in the way. Locked. */
static void wait_on(FrameQueue *queue, VmafCondition *condition)
{
    if (queue->help) {
        const uint64_t seen = queue->n_events;
        queue_unlock(queue);
        const bool helped = queue->help(queue->help_cookie);
        vmaf_mutex_lock(&queue->lock);
        if (helped || queue->n_events != seen)
            return;
    }
    TRACE_SCOPE(TRACE_WAIT, condition == &queue->room ? "wait for room" : "wait for frames");
    vmaf_condition_wait(condition, &queue->lock);
}

/* Puts a frame into its slot. Locked. */
static void append(FrameQueue *queue, const Frame *frame)
{
    Frame *target = queue_slot(queue, queue->n_submitted);
    *target = *frame;
    target->position = queue->n_submitted++;
    target->claimed = target->done = target->by_backend = (RequestMask){0};
    target->computed = target->arrived = (RequestMask){0};
    target->backend = NULL;
    target->claimed_at = 0;
    target->memory = queue->free_memory;
    queue->free_memory = target->memory->next_free;
    target->records = target->memory->records;
    target->status = target->memory->status;
    memset(target->status, 0, (queue->work->n_requests + 1) * sizeof(int));
    if (target->repeats || target->stored) /* nobody need look at it */
        target->claimed = target->computed = target->wanted;
    if (target->repeats || target->stored || mask_empty(&target->wanted))
        frame_release_pictures(target);
    else
        queue->n_incomplete++;
}

/* Locked. */
static void wait_for_room(FrameQueue *queue, const RequestMask *wanted)
{
    queue->incoming = wanted;
    while (queue_is_full(queue))
        wait_on(queue, &queue->room);
    queue->incoming = NULL;
}

void frame_queue_wait_for_room(FrameQueue *queue, const RequestMask *wanted)
{
    vmaf_mutex_lock(&queue->lock);
    wait_for_room(queue, wanted);
    queue_unlock(queue);
}

void frame_queue_submit(FrameQueue *queue, const Frame *frame)
{
    vmaf_mutex_lock(&queue->lock);
    if (!frame->has_room)
        wait_for_room(queue, &frame->wanted);
    append(queue, frame);
    queue_offer(queue);
    queue_retire(queue);
    bool rejects = !mask_empty(&queue->rejected);
    queue_unlock(queue);
    if (rejects)
        queue_complete_rejected(queue);
}

void frame_queue_submit_stored(FrameQueue *queue, const Frame *frame, const void *records)
{
    vmaf_mutex_lock(&queue->lock);
    wait_for_room(queue, &frame->wanted);
    append(queue, frame);
    Frame *target = queue_slot(queue, queue->n_submitted - 1);
    memcpy(target->records, records, queue->work->records_size);
    target->done = target->wanted;
    queue_retire(queue);
    queue_unlock(queue);
}

void frame_queue_wait(FrameQueue *queue, uint64_t position)
{
    vmaf_mutex_lock(&queue->lock);
    while (queue->n_retired <= position) {
        if (position < queue->awaited)
            queue->awaited = position;
        wait_on(queue, &queue->retired);
    }
    queue_unlock(queue);
}
