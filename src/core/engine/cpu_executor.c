/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/cpu_executor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "picture/picture.h"
#include "support/deadline.h"

typedef struct Worker {
    CpuExecutor *executor;
    void **scratch; /* by unit; made when first needed */
    pthread_t thread;
} Worker;

struct CpuExecutor {
    const WorkPlan *plan;
    FrameQueue *queue;
    RequestMask *groups;  /* by unit: what is claimed together */
    RequestMask all;      /* of them */
    RequestMask *reduced; /* the same without what a caller has excepted */
    Worker *workers;      /* at least one, which has no thread if n_threads is 0 */
    unsigned n_workers, n_threads;
    pthread_mutex_t lock; /* of the first worker and `reduced`, for whoever has no thread of ours */
};

/* The pictures of a frame as the host can read them. */
typedef struct FrameViews {
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
} FrameViews;

static int view_earlier(const VmafPicture earlier[], unsigned n, VmafPicture views[],
                        const VmafPicture *input[])
{
    int err = 0;
    for (unsigned i = 0; i < n && earlier[i].ref && !err; i++) {
        err = picture_on_host(&earlier[i], &views[i]);
        input[i] = &views[i];
    }
    return err;
}

static int view_frame(const WorkUnit *unit, const Frame *frame, FrameViews *views,
                      FrameInput *input)
{
    *input = (FrameInput){.ref = &views->ref, .dist = &views->dist};
    int err = picture_on_host(&frame->ref, &views->ref);
    if (!err)
        err = picture_on_host(&frame->dist, &views->dist);
    if (!err)
        err = view_earlier(frame->earlier_ref, unit->needs.ref_history, views->earlier_ref,
                           input->earlier_ref);
    if (!err)
        err = view_earlier(frame->earlier_dist, unit->needs.dist_history, views->earlier_dist,
                           input->earlier_dist);
    return err;
}

static int accumulate(Worker *worker, const WorkUnit *unit, const Frame *frame,
                      const RequestMask *claimed)
{
    const CpuExecutor *executor = worker->executor;
    void **scratch = &worker->scratch[unit - executor->plan->units];
    if (!*scratch) {
        int err = unit->extractor->scratch_create(scratch, unit->plan);
        if (err)
            return err;
    }

    FrameViews views;
    FrameInput input;
    int err = view_frame(unit, frame, &views, &input);
    if (err)
        return err;
    void *records[REQUESTS_MAX];
    for (unsigned i = 0; i < unit->n_requests; i++) {
        unsigned request = unit->first_request + i;
        records[i] =
            mask_has(claimed, request) ? frame_record(executor->queue, frame, request) : NULL;
    }
    RowBand whole = {0, executor->plan->format.h[0]};
    return unit->extractor->accumulate(unit->plan, *scratch, &input, whole, records);
}

/* Accumulates what was claimed of a unit, and completes it. */
static void do_unit(Worker *worker, const WorkUnit *unit, Frame *frame, const RequestMask *claimed)
{
    FrameQueue *queue = worker->executor->queue;
    int64_t begin = steady_us();
    int status = accumulate(worker, unit, frame, claimed);
    frame_queue_note_work(queue, (unsigned)(unit - worker->executor->plan->units),
                          steady_us() - begin);
    frame_queue_complete(queue, frame, claimed, status);
}

static bool serve(Worker *worker, const RequestMask *groups, bool wait)
{
    const CpuExecutor *executor = worker->executor;
    const WorkPlan *plan = executor->plan;
    Frame *frame;
    RequestMask claimed;
    if (!frame_queue_claim(executor->queue, groups, plan->n_units, wait, &frame, &claimed))
        return false;
    unsigned first = 0;
    while (!mask_has(&claimed, first))
        first++;
    do_unit(worker, &plan->units[plan->requests[first].unit], frame, &claimed);
    return true;
}

void cpu_executor_run(CpuExecutor *executor, const RequestMask *except)
{
    pthread_mutex_lock(&executor->lock);
    for (unsigned u = 0; u < executor->plan->n_units; u++)
        executor->reduced[u] = mask_without(executor->groups[u], except);
    while (serve(&executor->workers[0], executor->reduced, false))
        ;
    pthread_mutex_unlock(&executor->lock);
}

/* All that a frame offers, since a backend takes no frame that is begun: what is left of it might
 * wait for a caller who waits for its pictures. */
bool cpu_executor_help(CpuExecutor *executor)
{
    const WorkPlan *plan = executor->plan;
    Frame *frame;
    RequestMask claimed;
    pthread_mutex_lock(&executor->lock);
    bool found = frame_queue_claim(executor->queue, &executor->all, 1, false, &frame, &claimed);
    for (unsigned u = 0; found && u < plan->n_units; u++) {
        RequestMask part = mask_and(claimed, &plan->units[u].requests);
        if (!mask_empty(&part))
            do_unit(&executor->workers[0], &plan->units[u], frame, &part);
    }
    pthread_mutex_unlock(&executor->lock);
    return found;
}

static void *work(void *argument)
{
    Worker *worker = argument;
    while (serve(worker, worker->executor->groups, true))
        ;
    return NULL;
}

/* Signals are the business of the host program's threads. */
static void start_threads(CpuExecutor *executor, unsigned n_threads)
{
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    while (executor->n_threads < n_threads) {
        Worker *worker = &executor->workers[executor->n_threads];
        if (pthread_create(&worker->thread, NULL, work, worker))
            break;
        executor->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
}

int cpu_executor_create(CpuExecutor **created, const WorkPlan *plan, FrameQueue *queue,
                        const RequestMask *requests, unsigned n_threads)
{
    CpuExecutor *executor = calloc(1, sizeof(*executor));
    if (!executor)
        return -ENOMEM;
    pthread_mutex_init(&executor->lock, NULL);
    executor->plan = plan;
    executor->queue = queue;
    executor->n_workers = n_threads ? n_threads : 1;
    executor->groups = calloc(plan->n_units + 1, sizeof(*executor->groups));
    executor->reduced = calloc(plan->n_units + 1, sizeof(*executor->reduced));
    executor->workers = calloc(executor->n_workers, sizeof(*executor->workers));
    if (!executor->groups || !executor->reduced || !executor->workers)
        goto fail;
    for (unsigned u = 0; u < plan->n_units; u++)
        executor->groups[u] = mask_and(plan->units[u].requests, requests);
    executor->all = *requests;
    for (unsigned i = 0; i < executor->n_workers; i++) {
        executor->workers[i].executor = executor;
        executor->workers[i].scratch = calloc(plan->n_units + 1, sizeof(void *));
        if (!executor->workers[i].scratch)
            goto fail;
    }
    start_threads(executor, n_threads);
    if (n_threads && !executor->n_threads)
        goto fail;
    *created = executor;
    return 0;

fail:
    cpu_executor_destroy(executor);
    return -ENOMEM;
}

void cpu_executor_destroy(CpuExecutor *executor)
{
    if (!executor)
        return;
    frame_queue_stop(executor->queue);
    for (unsigned i = 0; i < executor->n_threads; i++)
        pthread_join(executor->workers[i].thread, NULL);
    for (unsigned i = 0; executor->workers && i < executor->n_workers; i++) {
        for (unsigned u = 0; executor->workers[i].scratch && u < executor->plan->n_units; u++)
            executor->plan->units[u].extractor->scratch_destroy(executor->workers[i].scratch[u]);
        free(executor->workers[i].scratch);
    }
    free(executor->workers);
    free(executor->groups);
    free(executor->reduced);
    pthread_mutex_destroy(&executor->lock);
    free(executor);
}
