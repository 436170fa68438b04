/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/cpu_executor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

typedef struct Worker {
    CpuExecutor *executor;
    void **scratch; /* by unit; made when first needed */
    pthread_t thread;
} Worker;

struct CpuExecutor {
    const WorkPlan *plan;
    FrameQueue *queue;
    RequestMask *groups; /* by unit: what is claimed together */
    Worker *workers;     /* at least one, which has no thread if n_threads is 0 */
    unsigned n_workers, n_threads;
};

static const VmafPicture *present(const VmafPicture *pic)
{
    return pic->ref ? pic : NULL;
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

    FrameInput input = {.ref = &frame->ref, .dist = &frame->dist};
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        input.earlier_ref[i] = present(&frame->earlier_ref[i]);
        input.earlier_dist[i] = present(&frame->earlier_dist[i]);
    }
    void *records[REQUESTS_MAX];
    for (unsigned i = 0; i < unit->n_requests; i++) {
        unsigned request = unit->first_request + i;
        records[i] =
            mask_has(claimed, request) ? frame_record(executor->queue, frame, request) : NULL;
    }
    RowBand whole = {0, executor->plan->format.h[0]};
    return unit->extractor->accumulate(unit->plan, *scratch, &input, whole, records);
}

static bool serve(Worker *worker, bool wait)
{
    const CpuExecutor *executor = worker->executor;
    const WorkPlan *plan = executor->plan;
    Frame *frame;
    RequestMask claimed;
    if (!frame_queue_claim(executor->queue, executor->groups, plan->n_units, wait, &frame,
                           &claimed))
        return false;
    unsigned first = 0;
    while (!mask_has(&claimed, first))
        first++;
    const WorkUnit *unit = &plan->units[plan->requests[first].unit];
    int status = accumulate(worker, unit, frame, &claimed);
    frame_queue_complete(executor->queue, frame, &claimed, status);
    return true;
}

void cpu_executor_run(CpuExecutor *executor)
{
    while (serve(&executor->workers[0], false))
        ;
}

static void *work(void *argument)
{
    while (serve(argument, true))
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
                        unsigned n_threads)
{
    CpuExecutor *executor = calloc(1, sizeof(*executor));
    if (!executor)
        return -ENOMEM;
    executor->plan = plan;
    executor->queue = queue;
    executor->n_workers = n_threads ? n_threads : 1;
    executor->groups = calloc(plan->n_units + 1, sizeof(*executor->groups));
    executor->workers = calloc(executor->n_workers, sizeof(*executor->workers));
    if (!executor->groups || !executor->workers)
        goto fail;
    for (unsigned u = 0; u < plan->n_units; u++)
        executor->groups[u] = plan->units[u].requests;
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
    free(executor);
}
