/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "engine/cpu_workers.h"
#include "engine/cpu_workers_internal.h"
#include "engine/frame_queue.h"
#include "platform/machine.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "support/memory.h"

typedef struct Worker {
    CpuExecutor *executor;
    void **scratch;         /* by unit; made when first needed */
    unsigned char *records; /* of a divided unit: this worker's part */
    VmafThread thread;
} Worker;

struct CpuExecutor {
    const WorkList *work;
    FrameQueue *queue;
    RequestMask *groups;  /* what is claimed together: a unit each */
    RequestMask all;      /* of them */
    RequestMask *reduced; /* the same without what a caller has excepted */
    Worker *workers;      /* at least one, which has no thread if n_threads is 0 */
    unsigned n_workers, n_threads;
    TraceContext *trace;
    TeamSeat *seat; /* whose workers do everything; NULL: those above do */
    VmafMutex lock; /* of the first worker and `reduced`, for callers that do its work */
};

/* A unit of a frame, made ready for accumulation. */
typedef struct Task {
    const WorkUnit *unit;
    void *scratch;
    FrameViews views;
    FrameInput input;
    void *records[REQUESTS_MAX];
} Task;

static int find_scratch(Worker *worker, const WorkUnit *unit, void **found)
{
    void **scratch = &worker->scratch[unit - worker->executor->work->units];
    int err = *scratch ? 0 : extractor_scratch_create(unit->extractor, scratch, unit->plan);
    *found = *scratch;
    return err;
}

static int prepare(Task *task, Worker *worker, const WorkUnit *unit, const Frame *frame)
{
    task->unit = unit;
    int err = find_scratch(worker, unit, &task->scratch);
    const int downloads = err ? err : frame_view(unit, frame, &task->views, &task->input);
    if (downloads > 0)
        frame_queue_note_downloads(worker->executor->queue, (unsigned)downloads);
    return downloads < 0 ? downloads : 0;
}

/* Where the records of a unit's claimed requests are; NULL for the others. */
static void find_records(const FrameQueue *queue, const WorkUnit *unit, const Frame *frame,
                         const RequestMask *claimed, void *records[])
{
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const unsigned request = unit->first_request + i;
        records[i] = mask_has(claimed, request) ? frame_record(queue, frame, request) : NULL;
    }
}

static int accumulate(Task *task, RowBand rows)
{
    return task->unit->extractor->accumulate(task->unit->plan, task->scratch, &task->input, rows,
                                             task->records);
}

/* Accumulates what was claimed of a unit. */
static int accumulate_unit(Worker *worker, const WorkUnit *unit, const Frame *frame,
                           const RequestMask *claimed)
{
    FrameQueue *queue = worker->executor->queue;
    TRACE_SCOPE(TRACE_WORK, unit->extractor->name, TRACE_REQUESTS(frame->index, claimed->word));
    Task task;
    int status = prepare(&task, worker, unit, frame);
    find_records(queue, unit, frame, claimed, task.records);
    if (!status)
        status = accumulate(&task, (RowBand){0, worker->executor->work->format.h[0]});
    if (!status && unit->extractor->condense)
        unit->extractor->condense(unit->plan, task.scratch, task.records);
    return status;
}

/* Does what was claimed of a unit, and completes it. */
static void do_unit(Worker *worker, const WorkUnit *unit, Frame *frame, const RequestMask *claimed)
{
    const WorkList *work = worker->executor->work;
    FrameQueue *queue = worker->executor->queue;
    const int64_t begin = vmaf_steady_us();
    const int status = accumulate_unit(worker, unit, frame, claimed);
    frame_queue_note_work(queue, (unsigned)(unit - work->units), vmaf_steady_us() - begin);
    frame_queue_complete(queue, frame, claimed, status);
}

/* Does the rest of what a backend has computed of a unit, and completes it. */
static void condense_unit(Worker *worker, const WorkUnit *unit, Frame *frame,
                          const RequestMask *taken)
{
    FrameQueue *queue = worker->executor->queue;
    TRACE_SCOPE(TRACE_WORK, unit->extractor->name, TRACE_REQUESTS(frame->index, taken->word));
    void *records[REQUESTS_MAX], *scratch;
    find_records(queue, unit, frame, taken, records);
    const int status = find_scratch(worker, unit, &scratch);
    if (!status)
        unit->extractor->condense(unit->plan, scratch, records);
    frame_queue_complete(queue, frame, taken, status);
}

/* Accumulates bands of a divided unit as long as there are any. */
static void accumulate_bands(Worker *worker, WorkItem *item)
{
    const WorkList *work = worker->executor->work;
    const WorkUnit *unit = &work->units[item->unit];
    TRACE_SCOPE(TRACE_WORK, unit->extractor->name,
                TRACE_REQUESTS(item->frame->index, item->requests.word));
    Task task;
    int status = prepare(&task, worker, unit, item->frame);
    memset(worker->records, 0, work_unit_record_offset(work, unit, unit->n_requests));
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const bool claimed = mask_has(&item->requests, unit->first_request + i);
        task.records[i] = claimed ? worker->records + work_unit_record_offset(work, unit, i) : NULL;
    }
    do {
        if (!status)
            status = accumulate(&task, item->rows);
    } while (frame_queue_take_more(worker->executor->queue, status, item));
}

/* Accumulates bands, and returns their records to the queue. */
static void do_bands(Worker *worker, WorkItem *item)
{
    FrameQueue *queue = worker->executor->queue;
    const int64_t begin = vmaf_steady_us();
    accumulate_bands(worker, item);
    frame_queue_hand_in(queue, item, worker->records, vmaf_steady_us() - begin);
}

static void *run_worker(void *argument)
{
    Worker *worker = argument;
    const CpuExecutor *executor = worker->executor;
    const unsigned number = (unsigned)(worker - executor->workers);
    WorkItem item;
    processor_time_is_ours();
    TRACE_THREAD(executor->trace, "worker %u", number + 1);
    while (frame_queue_take(executor->queue, number, &item)) {
        if (item.arrived)
            condense_unit(worker, &executor->work->units[item.unit], item.frame, &item.requests);
        else if (item.divided)
            do_bands(worker, &item);
        else
            do_unit(worker, &executor->work->units[item.unit], item.frame, &item.requests);
    }
    return NULL;
}

/* Condenses what a backend has computed of a unit, if there is anything, where there are no
 * threads. */
static bool serve_arrived(Worker *worker)
{
    const WorkList *work = worker->executor->work;
    Frame *frame;
    RequestMask taken;
    if (!frame_queue_take_arrived(worker->executor->queue, &frame, &taken))
        return false;
    condense_unit(worker, &work->units[work->requests[mask_first(&taken)].unit], frame, &taken);
    return true;
}

/* Does a unit of a frame, if there is one. */
static bool serve(Worker *worker, const RequestMask *groups)
{
    const WorkList *work = worker->executor->work;
    Frame *frame;
    RequestMask claimed;
    if (serve_arrived(worker))
        return true;
    if (!frame_queue_claim(worker->executor->queue, groups, work->n_units, &frame, &claimed))
        return false;
    do_unit(worker, &work->units[work->requests[mask_first(&claimed)].unit], frame, &claimed);
    return true;
}

void cpu_executor_leave_alone(CpuExecutor *executor, const RequestMask *requests)
{
    cpu_team_leave_alone(executor->seat, requests);
}

void cpu_executor_run(CpuExecutor *executor, const RequestMask *except)
{
    if (executor->seat) {
        cpu_team_leave_alone(executor->seat, except);
        cpu_team_run(executor->seat);
        return;
    }
    vmaf_mutex_lock(&executor->lock);
    for (unsigned u = 0; u < executor->work->n_units; u++)
        executor->reduced[u] = mask_without(executor->groups[u], except);
    while (serve(&executor->workers[0], executor->reduced))
        ;
    vmaf_mutex_unlock(&executor->lock);
}

/* All that a frame offers: a backend takes no frame that is begun, so what is left of it would wait
 * for this caller, which may be waiting for its pictures. */
bool cpu_executor_help(CpuExecutor *executor)
{
    if (executor->seat)
        return cpu_team_help(executor->seat);
    const WorkList *work = executor->work;
    Frame *frame;
    RequestMask claimed;
    vmaf_mutex_lock(&executor->lock);
    const bool condensed = serve_arrived(&executor->workers[0]);
    bool found =
        !condensed && frame_queue_claim(executor->queue, &executor->all, 1, &frame, &claimed);
    for (unsigned u = 0; found && u < work->n_units; u++) {
        RequestMask part = mask_and(claimed, &work->units[u].requests);
        if (!mask_empty(&part))
            do_unit(&executor->workers[0], &work->units[u], frame, &part);
    }
    vmaf_mutex_unlock(&executor->lock);
    return condensed || found;
}

static void start_threads(CpuExecutor *executor, unsigned n_threads)
{
    while (executor->n_threads < n_threads) {
        Worker *worker = &executor->workers[executor->n_threads];
        if (vmaf_thread_start(&worker->thread, run_worker, worker))
            break;
        executor->n_threads++;
    }
}

/* Units that cannot be divided first, so that others are left to fill the gaps at the end. */
static void make_groups(CpuExecutor *executor, const RequestMask *requests)
{
    const WorkList *work = executor->work;
    unsigned n = 0;
    for (int divisible = 0; divisible <= 1; divisible++) {
        for (unsigned u = 0; u < work->n_units; u++) {
            if (divisible == (work->units[u].extractor->merge != NULL))
                executor->groups[n++] = mask_and(work->units[u].requests, requests);
        }
    }
    executor->all = *requests;
}

/* The largest size of the records of a unit that can be divided. */
static size_t largest_records(const WorkList *work)
{
    size_t largest = 0;
    for (unsigned u = 0; u < work->n_units; u++) {
        const WorkUnit *unit = &work->units[u];
        const size_t size = work_unit_record_offset(work, unit, unit->n_requests);
        if (unit->extractor->merge && size > largest)
            largest = size;
    }
    return largest;
}

static int worker_init(Worker *worker, CpuExecutor *executor, size_t records_size)
{
    worker->executor = executor;
    worker->scratch = calloc(executor->work->n_units + 1, sizeof(*worker->scratch));
    worker->records = memory_alloc(1, records_size + 1);
    return worker->scratch && worker->records ? 0 : -ENOMEM;
}

int cpu_executor_create(CpuExecutor **created, const WorkList *work, FrameQueue *queue,
                        const RequestMask *requests, unsigned n_threads)
{
    CpuExecutor *executor = calloc(1, sizeof(*executor));
    if (!executor)
        return -ENOMEM;
    vmaf_mutex_init(&executor->lock);
    executor->work = work;
    executor->queue = queue;
    executor->trace = trace_here();
    executor->n_workers = n_threads ? n_threads : 1;
    executor->groups = calloc(work->n_units + 1, sizeof(*executor->groups));
    executor->reduced = calloc(work->n_units + 1, sizeof(*executor->reduced));
    executor->workers = calloc(executor->n_workers, sizeof(*executor->workers));
    if (!executor->groups || !executor->reduced || !executor->workers)
        goto fail;
    make_groups(executor, requests);
    const size_t records_size = n_threads > 1 ? largest_records(work) : 0;
    for (unsigned i = 0; i < executor->n_workers; i++) {
        if (worker_init(&executor->workers[i], executor, records_size))
            goto fail;
    }
    const RowWorkers row = {.groups = executor->groups,
                            .n_groups = work->n_units,
                            .n_workers = executor->n_workers,
                            .n_processors = vmaf_processors_usable()};
    if (frame_queue_set_row_workers(queue, &row))
        goto fail;
    start_threads(executor, n_threads);
    if (n_threads && !executor->n_threads)
        goto fail;
    *created = executor;
    return 0;

fail:
    cpu_executor_destroy(executor);
    return -ENOMEM;
}

int cpu_executor_create_in_team(CpuExecutor **created, const WorkList *work, FrameQueue *queue,
                                const RequestMask *requests, CpuTeam *team, unsigned cpu_flags)
{
    CpuExecutor *executor = calloc(1, sizeof(*executor));
    if (!executor)
        return -ENOMEM;
    executor->work = work;
    executor->queue = queue;
    vmaf_mutex_init(&executor->lock);
    int err = cpu_team_join(team, &executor->seat, work, queue, requests, cpu_flags);
    if (err)
        cpu_executor_destroy(executor);
    else
        *created = executor;
    return err;
}

void cpu_executor_destroy(CpuExecutor *executor)
{
    if (!executor)
        return;
    cpu_team_leave(executor->seat);
    frame_queue_stop(executor->queue);
    for (unsigned i = 0; i < executor->n_threads; i++)
        vmaf_thread_join(executor->workers[i].thread);
    for (unsigned i = 0; executor->workers && i < executor->n_workers; i++) {
        for (unsigned u = 0; executor->workers[i].scratch && u < executor->work->n_units; u++)
            extractor_scratch_destroy(executor->work->units[u].extractor,
                                      executor->workers[i].scratch[u]);
        free(executor->workers[i].scratch);
        memory_free(executor->workers[i].records);
    }
    free(executor->workers);
    free(executor->groups);
    free(executor->reduced);
    vmaf_mutex_destroy(&executor->lock);
    free(executor);
}
