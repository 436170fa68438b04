/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Work for the threads of the CPU: units of frames, whole or divided (unit_rows.h). */
#include "engine/frame_queue_state.h"

/* The same work of so many later frames waits, or is about to come. Locked. */
static bool has_more_behind(const FrameQueue *queue, const FrameShare *share, unsigned n)
{
    RequestMask same = {{0}};
    if (queue->incoming)
        same = mask_and(queue->incoming->wanted, &share->requests);
    n -= !mask_empty(&same);
    for (uint64_t p = share->frame->position + 1; n && p < queue->n_submitted; p++) {
        const Frame *later = queue_slot(queue, p);
        const RequestMask offered = mask_without(later->wanted, &later->claimed);
        same = mask_and(offered, &share->requests);
        n -= !mask_empty(&same);
    }
    return !n;
}

/* Takes rows of a divided unit. Locked. */
static bool take_rows(FrameQueue *queue, UnitRows *rows, unsigned parts, FrameShare *share)
{
    if (!unit_rows_take(rows, parts, &share->rows))
        return false;
    queue->n_bands++;
    queue->n_open -= rows->next == rows->end;
    return true;
}

/* Claims a unit, and divides it if there would be nothing to do for others. At the end of a stream,
 * when no more frames come, there must be something for each of them. Locked. */
static bool claim_unit(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       unsigned parts, FrameShare *share)
{
    if (!queue_find_claim(queue, groups, n_groups, &share->frame, &share->requests))
        return false;
    Frame *frame = share->frame;
    frame->claimed = mask_or(frame->claimed, &share->requests);
    unsigned first = 0;
    while (!mask_has(&share->requests, first))
        first++;
    share->unit = queue->plan->requests[first].unit;
    share->rows = (RowBand){0, queue->plan->format.h[0]};
    UnitRows *rows = &frame->memory->rows[share->unit];
    share->divided =
        parts > 1 && !rows->n_workers && /* other requests of the unit may be */
        unit_is_divisible(queue->plan, share->unit, queue->pace.unit_us[share->unit]) &&
        !has_more_behind(queue, share, queue->pace.ending ? parts : 1);
    if (!share->divided)
        return true;
    unit_rows_begin(rows, &share->requests, queue->plan->format.h[0]);
    rows->n_workers = 1;
    queue->n_open++;
    queue_zero_records(queue, frame, &share->requests);
    return take_rows(queue, rows, parts, share);
}

/* Joins those who are at a divided unit of the oldest frame that has one. Locked. */
static bool join_unit(FrameQueue *queue, unsigned parts, FrameShare *share)
{
    for (uint64_t p = queue->n_retired; queue->n_open && p < queue->n_submitted; p++) {
        Frame *frame = queue_slot(queue, p);
        for (unsigned u = 0; u < queue->plan->n_units; u++) {
            UnitRows *rows = &frame->memory->rows[u];
            if (!rows->n_workers || !take_rows(queue, rows, parts, share))
                continue;
            rows->n_workers++;
            share->frame = frame;
            share->unit = u;
            share->requests = rows->requests;
            share->divided = true;
            return true;
        }
    }
    return false;
}

/* Nobody needs to be woken for a unit that is divided: who waits has found nothing to claim, and
 * was woken since if anything has come. */
bool frame_queue_take(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                      unsigned parts, FrameShare *share)
{
    bool found = false;
    vmaf_mutex_lock(&queue->lock);
    while (!queue->stopped) {
        found = claim_unit(queue, groups, n_groups, parts, share) || join_unit(queue, parts, share);
        if (found)
            break;
        vmaf_condition_wait(&queue->claimable, &queue->lock);
    }
    vmaf_mutex_unlock(&queue->lock);
    if (found && !share->divided)
        queue_zero_records(queue, share->frame, &share->requests);
    return found;
}

bool frame_queue_take_more(FrameQueue *queue, unsigned parts, int status, FrameShare *share)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &share->frame->memory->rows[share->unit];
    if (status) {
        queue->n_open -= rows->next != rows->end;
        unit_rows_fail(rows, status);
    }
    const bool found = take_rows(queue, rows, parts, share);
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

static void merge_records(const FrameQueue *queue, const FrameShare *share,
                          const unsigned char *records)
{
    const WorkPlan *plan = queue->plan;
    const WorkUnit *unit = &plan->units[share->unit];
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const unsigned request = unit->first_request + i;
        if (mask_has(&share->requests, request))
            unit->extractor->merge(frame_record(queue, share->frame, request),
                                   records + work_unit_record_offset(plan, unit, i),
                                   plan->requests[request].record_size);
    }
}

void frame_queue_hand_in(FrameQueue *queue, const FrameShare *share, const unsigned char *records,
                         int64_t microseconds)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &share->frame->memory->rows[share->unit];
    merge_records(queue, share, records);
    if (unit_rows_leave(rows, microseconds)) {
        pace_note_work(&queue->pace, share->unit, rows->us);
        queue_complete_locked(queue, share->frame, &share->requests, rows->status);
    }
    vmaf_mutex_unlock(&queue->lock);
}
