/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The part of the queue that workers of the CPU see: pictures that they can read, claims of units,
 * and bands of rows. */
#include <errno.h>
#include <stdlib.h>

#include "engine/frame_queue_internal.h"

/* ---- pictures that the host can read ---- */

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

/* ---- claims of units: these return at once ---- */

/* Finds something to claim. Locked. */
static bool find_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       Frame **frame, RequestMask *claimed)
{
    unsigned n_untouched = 0;
    for (uint64_t p = queue->n_retired; p < queue->n_submitted; p++) {
        *frame = queue_slot(queue, p);
        const RequestMask offer = queue_offered(queue, *frame, &n_untouched);
        for (unsigned g = 0; g < n_groups; g++) {
            *claimed = mask_and(offer, &groups[g]);
            if (!mask_empty(claimed))
                return true;
        }
    }
    return false;
}

/* Finds records of one unit that are to be condensed, and claims them. Locked. */
static bool find_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken)
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

bool frame_queue_try_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                           Frame **frame, RequestMask *claimed)
{
    vmaf_mutex_lock(&queue->lock);
    const bool found = !queue->stopped && find_claim(queue, groups, n_groups, frame, claimed);
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
        const RequestMask all = queue_offered(queue, frame, &n_untouched);
        const RequestMask offer = mask_and(all, group);
        if (mask_equal(&offer, wanted) && same_reference(frame, like, n_earlier))
            return frame;
    }
    return NULL;
}

Frame *frame_queue_try_claim_same(FrameQueue *queue, const RequestMask *group,
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

bool frame_queue_try_claim_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken)
{
    vmaf_mutex_lock(&queue->lock);
    const bool found = !queue->stopped && find_arrived(queue, frame, taken);
    queue_unlock(queue);
    return found;
}

/* ---- rows of a unit ---- */

/*
 * Rows that windows and pyramids need above and below a band are computed twice, which costs ADM as
 * much as 14 rows per cut and VIF as much as 2. Bands begin where a row of the smallest scale does,
 * so that it is not more.
 */
enum { ROWS_MIN = 48, ROWS_STEP = 16 };

/* Several times what it takes to wake a thread. */
static const double worthwhile_us = 400;

/* True if a unit that usually takes so long is worth waking a thread for. One that has not been
 * measured yet is. */
static bool unit_is_divisible(const WorkList *work, unsigned unit, double usual_us)
{
    return work->units[unit].extractor->merge && work->format.h[0] >= 2 * ROWS_MIN &&
           (usual_us <= 0 || usual_us >= worthwhile_us);
}

void unit_rows_begin(UnitRows *rows, const RequestMask *requests, unsigned n_rows)
{
    *rows = (UnitRows){.requests = *requests, .end = n_rows};
}

bool unit_rows_take(UnitRows *rows, unsigned parts, RowBand *band)
{
    const unsigned left = rows->end - rows->next;
    if (!left)
        return false;
    unsigned taken = left / parts;
    taken += (ROWS_STEP - taken % ROWS_STEP) % ROWS_STEP;
    if (taken < ROWS_MIN)
        taken = ROWS_MIN;
    if (left < taken + ROWS_MIN)
        taken = left;
    *band = (RowBand){rows->next, rows->next + taken};
    rows->next += taken;
    return true;
}

/* Further bands that can be taken, at most. */
static unsigned bands_left(const UnitRows *rows)
{
    return (rows->end - rows->next) / ROWS_MIN;
}

void unit_rows_fail(UnitRows *rows, int status)
{
    if (!rows->status)
        rows->status = status;
    rows->next = rows->end;
}

bool unit_rows_leave(UnitRows *rows, int64_t us)
{
    rows->us += us;
    return --rows->n_workers == 0;
}

/* Workers that are awake at a time, for each processor, if some of them wait for a device. Else
 * there is one for each: what more would work with drives that of the others out of the caches. */
enum { AWAKE_WITH_DEVICE = 2 };

enum { PROCESSORS_MIN = 2 }; /* whatever the machine says of itself */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned processors(const RowWorkers *workers)
{
    return workers->n_processors > PROCESSORS_MIN ? workers->n_processors : PROCESSORS_MIN;
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

int frame_queue_set_row_workers(FrameQueue *queue, const RowWorkers *workers)
{
    queue->workers = calloc(workers->n_workers + 1, sizeof(*queue->workers));
    queue->asleep = calloc(workers->n_workers + 1, sizeof(*queue->asleep));
    if (!queue->workers || !queue->asleep)
        return -ENOMEM;
    for (unsigned i = 0; i < workers->n_workers; i++)
        vmaf_condition_init(&queue->workers[i].condition);
    queue->row = *workers;
    queue->most_awake = least(workers->n_workers, processors(workers));
    return 0;
}

void frame_queue_note_downloads(FrameQueue *queue, unsigned n)
{
    if (queue->n_downloads)
        atomic_fetch_add(queue->n_downloads, n);
    vmaf_mutex_lock(&queue->lock);
    queue->most_awake = least(queue->row.n_workers, AWAKE_WITH_DEVICE * processors(&queue->row));
    queue_unlock(queue);
}

/* Workers that a unit is divided among. */
static unsigned parts(const FrameQueue *queue)
{
    return least(queue->row.n_workers, processors(&queue->row));
}

/* The same work of so many later frames waits, or is about to come. Locked. */
static bool has_more_behind(const FrameQueue *queue, const WorkItem *item, unsigned n)
{
    RequestMask same = {{0}};
    if (queue->incoming)
        same = mask_and(*queue->incoming, &item->requests);
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
static bool take_rows(FrameQueue *queue, UnitRows *rows, WorkItem *item)
{
    if (!unit_rows_take(rows, parts(queue), &item->rows))
        return false;
    queue->n_bands++;
    queue->n_open -= rows->next == rows->end;
    return true;
}

/* Claims a unit, and divides it if there would be nothing to do for others. At the end of a stream,
 * when no more frames come, there must be something for each of them. Locked. */
static bool claim_unit(FrameQueue *queue, WorkItem *item)
{
    if (!find_claim(queue, queue->row.groups, queue->row.n_groups, &item->frame, &item->requests))
        return false;
    Frame *frame = item->frame;
    frame->claimed = mask_or(frame->claimed, &item->requests);
    item->unit = queue->work->requests[mask_first(&item->requests)].unit;
    item->arrived = false;
    item->rows = (RowBand){0, queue->work->format.h[0]};
    UnitRows *rows = &frame->memory->rows[item->unit];
    item->divided =
        parts(queue) > 1 && !rows->n_workers && /* other requests of the unit may be */
        unit_is_divisible(queue->work, item->unit, queue->balance.unit_us[item->unit]) &&
        !has_more_behind(queue, item, queue->balance.ending ? parts(queue) : 1);
    if (!item->divided)
        return true;
    unit_rows_begin(rows, &item->requests, queue->work->format.h[0]);
    rows->n_workers = 1;
    queue->n_open++;
    queue_zero_records(queue, frame, &item->requests);
    take_rows(queue, rows, item);
    queue_wake_row_workers(queue, least(parts(queue) - 1, bands_left(rows)));
    return true;
}

/* Joins those who are at a divided unit of the oldest frame that has one. Locked. */
static bool join_unit(FrameQueue *queue, WorkItem *item)
{
    for (uint64_t p = queue->n_retired; queue->n_open && p < queue->n_submitted; p++) {
        Frame *frame = queue_slot(queue, p);
        for (unsigned u = 0; u < queue->work->n_units; u++) {
            UnitRows *rows = &frame->memory->rows[u];
            if (!rows->n_workers || !take_rows(queue, rows, item))
                continue;
            rows->n_workers++;
            item->frame = frame;
            item->unit = u;
            item->requests = rows->requests;
            item->divided = true;
            item->arrived = false;
            return true;
        }
    }
    return false;
}

/* Frames wait for it to be retired, so it comes before other work. Locked. */
static bool take_arrived(FrameQueue *queue, WorkItem *item)
{
    item->arrived = find_arrived(queue, &item->frame, &item->requests);
    if (item->arrived)
        item->unit = queue->work->requests[mask_first(&item->requests)].unit;
    item->divided = false;
    return item->arrived;
}

/* Until there is something to look at. Locked. */
static void fall_asleep(FrameQueue *queue, unsigned number)
{
    Worker *worker = &queue->workers[number];
    TRACE_SCOPE(TRACE_WAIT, "wait for work");
    worker->asleep = true;
    queue->asleep[queue->n_asleep++] = number;
    while (worker->asleep)
        vmaf_condition_wait(&worker->condition, &queue->lock);
    queue->n_woken--;
}

bool frame_queue_wait_for_unit(FrameQueue *queue, unsigned number, WorkItem *item)
{
    Worker *worker = &queue->workers[number];
    bool found = false;
    vmaf_mutex_lock(&queue->lock);
    queue->n_working -= worker->working;
    while (!queue->stopped) {
        found = queue_may_wake(queue) &&
                (take_arrived(queue, item) || claim_unit(queue, item) || join_unit(queue, item));
        if (found)
            break;
        fall_asleep(queue, number);
    }
    worker->working = found;
    queue->n_working += found;
    queue_unlock(queue);
    if (found && !item->divided && !item->arrived)
        queue_zero_records(queue, item->frame, &item->requests);
    return found;
}

bool frame_queue_take_rows(FrameQueue *queue, int status, WorkItem *item)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &item->frame->memory->rows[item->unit];
    if (status) {
        queue->n_open -= rows->next != rows->end;
        unit_rows_fail(rows, status);
    }
    const bool found = take_rows(queue, rows, item);
    queue_unlock(queue);
    return found;
}

uint64_t frame_queue_band_count(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    const uint64_t count = queue->n_bands;
    queue_unlock(queue);
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

void frame_queue_return_rows(FrameQueue *queue, const WorkItem *item, const unsigned char *records,
                             int64_t microseconds)
{
    vmaf_mutex_lock(&queue->lock);
    UnitRows *rows = &item->frame->memory->rows[item->unit];
    merge_records(queue, item, records);
    if (unit_rows_leave(rows, microseconds)) {
        load_balance_note_work(&queue->balance, item->unit, rows->us);
        queue_complete(queue, item->frame, &item->requests, rows->status);
    }
    queue_unlock(queue);
}

void frame_queue_stop(FrameQueue *queue)
{
    vmaf_mutex_lock(&queue->lock);
    queue->stopped = true;
    while (queue->n_asleep) {
        Worker *worker = &queue->workers[queue->asleep[--queue->n_asleep]];
        worker->asleep = false;
        queue->n_woken++;
        queue_wake_on_unlock(queue, &worker->condition);
    }
    queue_wake_on_unlock(queue, &queue->whole);
    queue_unlock(queue);
}
