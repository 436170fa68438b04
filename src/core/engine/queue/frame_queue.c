/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/queue/producer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/queue/queue_state.h"
#include "platform/time.h"
#include "support/memory.h"

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

void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request)
{
    return frame->records + queue->work->requests[request].record_offset;
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
    queue_note_progress(queue);
    queue_unlock(queue);
    return err;
}

void frame_queue_set_limit(FrameQueue *queue, unsigned frames)
{
    vmaf_mutex_lock(&queue->lock);
    queue->limit = frames;
    queue_note_progress(queue);
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

static void submit(FrameQueue *queue, const Frame *frame, bool waits)
{
    vmaf_mutex_lock(&queue->lock);
    if (waits)
        wait_for_room(queue, &frame->wanted);
    append(queue, frame);
    queue_offer(queue);
    queue_retire(queue);
    bool refuses = !mask_empty(&queue->refused);
    queue_unlock(queue);
    if (refuses)
        queue_complete_refused(queue);
}

void frame_queue_submit(FrameQueue *queue, const Frame *frame)
{
    submit(queue, frame, true);
}

void frame_queue_submit_into_room(FrameQueue *queue, const Frame *frame)
{
    submit(queue, frame, false);
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
