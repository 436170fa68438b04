/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The queue of frames: how frames are submitted, claimed, completed and retired. */
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

/* Adds to the number of downloads, unless that is an error. */
static int view_one(const VmafPicture *pic, VmafPicture *view, int downloads)
{
    if (downloads < 0)
        return downloads;
    const int result = picture_on_host(pic, view);
    return result < 0 ? result : downloads + result;
}

static int view_earlier(const VmafPicture earlier[], unsigned n, VmafPicture views[],
                        const VmafPicture *input[], int downloads)
{
    for (unsigned i = 0; i < n && earlier[i].ref; i++) {
        downloads = view_one(&earlier[i], &views[i], downloads);
        input[i] = &views[i];
    }
    return downloads;
}

int frame_view(const WorkUnit *unit, const Frame *frame, FrameViews *views, FrameInput *input)
{
    *input = (FrameInput){.ref = &views->ref, .dist = &views->dist};
    int downloads = view_one(&frame->ref, &views->ref, 0);
    downloads = view_one(&frame->dist, &views->dist, downloads);
    downloads = view_earlier(frame->earlier_ref, unit->needs.ref_history, views->earlier_ref,
                             input->earlier_ref, downloads);
    return view_earlier(frame->earlier_dist, unit->needs.dist_history, views->earlier_dist,
                        input->earlier_dist, downloads);
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

/* Wakes those first who fell asleep last: their data are the likeliest to be in a cache. */
void queue_wake_row_workers(FrameQueue *queue, unsigned n)
{
    while (queue->n_asleep && queue->n_woken < n && queue_may_wake(queue)) {
        Worker *worker = &queue->workers[queue->asleep[--queue->n_asleep]];
        worker->asleep = false;
        queue->n_woken++;
        queue_wake_on_unlock(queue, &worker->condition);
    }
}

/* Nobody has claimed any of the requests that an workers of whole frames computes as well. */
static bool is_untouched(const FrameQueue *queue, const Frame *frame)
{
    RequestMask shared = mask_and(frame->wanted, &queue->balance.shared);
    RequestMask taken = mask_and(frame->claimed, &shared);
    return !mask_empty(&shared) && mask_empty(&taken);
}

/* What may be claimed of a frame. Callers ask for frame after frame, the oldest first, and give the
 * same `n_untouched` each time, which counts those of which nothing is claimed yet. */
static RequestMask offered(const FrameQueue *queue, const Frame *frame, unsigned *n_untouched)
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

/* Row workers that there is something for, but no more than `most` are counted: one for each unit
 * that may be claimed, or for several short ones. */
static unsigned count_turns(const FrameQueue *queue, unsigned most)
{
    unsigned n_untouched = 0;
    double turns = 0;
    for (uint64_t p = queue->n_retired; turns < most && p < queue->n_submitted; p++) {
        const Frame *frame = queue_slot(queue, p);
        for (unsigned u = 0; !mask_empty(&frame->arrived) && u < queue->work->n_units; u++) {
            const RequestMask claim = mask_and(frame->arrived, &queue->work->units[u].requests);
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

/* A backend that waits is woken first, so that it has work when frames come slowly: what it takes
 * costs the CPU nothing. */
void queue_offer(FrameQueue *queue)
{
    queue->n_events++;
    queue->has_offers = queue->notify != NULL;
    if (queue->n_whole)
        queue_wake_on_unlock(queue, &queue->whole);
    if (queue->n_asleep)
        queue_wake_row_workers(queue, count_turns(queue, queue->n_asleep));
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

/* ---- claims ---- */

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

bool queue_take_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken)
{
    for (uint64_t p = queue->n_retired; queue->n_arrived && p < queue->n_submitted; p++) {
        *frame = queue_slot(queue, p);
        if (mask_empty(&(*frame)->arrived))
            continue;
        const unsigned unit = queue->work->requests[mask_first(&(*frame)->arrived)].unit;
        *taken = mask_and((*frame)->arrived, &queue->work->units[unit].requests);
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
        note_progress(queue);
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

void queue_complete_rejected(FrameQueue *queue)
{
    Frame *frame;
    RequestMask claimed;
    while (frame_queue_claim(queue, &queue->rejected, 1, &frame, &claimed))
        frame_queue_complete(queue, frame, &claimed, queue->rejected_status);
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
