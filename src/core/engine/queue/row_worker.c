/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Work for the threads of the CPU: units of frames, whole or divided (unit_rows.h). */
#include "engine/queue/queue_state.h"

/* The same work of so many later frames waits, or is about to come. Locked. */
static bool has_more_behind(const FrameQueue *queue, const WorkItem *item, unsigned n)
{
    RequestMask same = {{0}};
    if (queue->incoming)
        same = mask_and(queue->incoming->wanted, &item->requests);
    n -= !mask_empty(&same);
    for (uint64_t p = item->frame->position + 1; n && p < queue->n_submitted; p++) {
        const Frame *later = queue_slot(queue, p);
        const RequestMask offered = mask_without(later->wanted, &later->claimed);
        same = mask_and(offered, &item->requests);
        n -= !mask_empty(&same);
    }
    return !n;
}

/* Takes rows of a divided unit. Locked. */
static bool take_rows(FrameQueue *queue, UnitRows *rows, unsigned parts, WorkItem *item)
{
    if (!unit_rows_take(rows, parts, &item->rows))
        return false;
    queue->n_bands++;
    queue->n_open -= rows->next == rows->end;
    return true;
}

/* Claims a unit, and divides it if there would be nothing to do for others. At the end of a stream,
 * when no more frames come, there must be something for each of them. Locked. */
static bool claim_unit(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       unsigned parts, WorkItem *item)
{
    if (!queue_find_claim(queue, groups, n_groups, &item->frame, &item->requests))
        return false;
    Frame *frame = item->frame;
    frame->claimed = mask_or(frame->claimed, &item->requests);
    unsigned first = 0;
    while (!mask_has(&item->requests, first))
        first++;
    item->unit = queue->work->requests[first].unit;
    item->rows = (RowBand){0, queue->work->format.h[0]};
    UnitRows *rows = &frame->memory->rows[item->unit];
    item->divided =
        parts > 1 && !rows->n_workers && /* other requests of the unit may be */
        unit_is_divisible(queue->work, item->unit, queue->balance.unit_us[item->unit]) &&
        !has_more_behind(queue, item, queue->balance.ending ? parts : 1);
    if (!item->divided)
        return true;
    unit_rows_begin(rows, &item->requests, queue->work->format.h[0]);
    rows->n_workers = 1;
    queue->n_open++;
    queue_zero_records(queue, frame, &item->requests);
    return take_rows(queue, rows, parts, item);
}

/* Joins those who are at a divided unit of the oldest frame that has one. Locked. */
static bool join_unit(FrameQueue *queue, unsigned parts, WorkItem *item)
{
    for (uint64_t p = queue->n_retired; queue->n_open && p < queue->n_submitted; p++) {
        Frame *frame = queue_slot(queue, p);
        for (unsigned u = 0; u < queue->work->n_units; u++) {
            UnitRows *rows = &frame->memory->rows[u];
            if (!rows->n_workers || !take_rows(queue, rows, parts, item))
                continue;
            rows->n_workers++;
            item->frame = frame;
            item->unit = u;
            item->requests = rows->requests;
            item->divided = true;
            return true;
        }
    }
    return false;
}

/* Nobody needs to be woken for a unit that is divided: who waits has found nothing to claim, and
 * was woken since if anything has come. */
bool frame_queue_take(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      unsigned parts, WorkItem *item)
{
    bool found = false;
    vmaf_mutex_lock(&queue->lock);
    while (!queue->stopped) {
        found = claim_unit(queue, groups, n_groups, parts, item) || join_unit(queue, parts, item);
        if (found)
            break;
        vmaf_condition_wait(&queue->claimable, &queue->lock);
    }
    vmaf_mutex_unlock(&queue->lock);
    if (found && !item->divided)
        queue_zero_records(queue, item->frame, &item->requests);
    return found;
}

bool frame_queue_take_more(FrameQueue *queue, unsigned parts, int status, WorkItem *item)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &item->frame->memory->rows[item->unit];
    if (status) {
        queue->n_open -= rows->next != rows->end;
        unit_rows_fail(rows, status);
    }
    const bool found = take_rows(queue, rows, parts, item);
    vmaf_mutex_unlock(&queue->lock);
    return found;
}

uint64_t frame_queue_band_count(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const uint64_t count = queue->n_bands;
    vmaf_mutex_unlock(&queue->lock);
    return count;
}

static void merge_records(const FrameQueue *queue, const WorkItem *item,
                          const unsigned char *records)
{
    const WorkList *work = queue->work;
    const WorkUnit *unit = &work->units[item->unit];
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const unsigned request = unit->first_request + i;
        if (mask_has(&item->requests, request))
            unit->extractor->merge(frame_record(queue, item->frame, request),
                                   records + work_unit_record_offset(work, unit, i),
                                   work->requests[request].record_size);
    }
}

void frame_queue_hand_in(FrameQueue *queue, const WorkItem *item, const unsigned char *records,
                         int64_t microseconds)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &item->frame->memory->rows[item->unit];
    merge_records(queue, item, records);
    if (unit_rows_leave(rows, microseconds)) {
        load_balance_note_work(&queue->balance, item->unit, rows->us);
        queue_complete_locked(queue, item->frame, &item->requests, rows->status);
    }
    vmaf_mutex_unlock(&queue->lock);
}
