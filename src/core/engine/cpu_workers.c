/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Threads that compute requests on the CPU, of one context or of all members of a group. */
#include "engine/cpu_workers.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/limited_call.h"
#include "engine/cpu_workers_internal.h"
#include "platform/machine.h"
#include "platform/thread.h"
#include "support/memory.h"

/* A unit that several clients have in common: the same extractor and options. The params is that of
 * the first of them. */
typedef struct CommonUnit {
    struct CommonUnit *next;
    const CpuClient *owner;
    const WorkUnit *unit;
    unsigned cpu_flags;
    void *scratch[]; /* by worker; made when first needed */
} CommonUnit;

struct CpuClient {
    CpuPool *pool;
    CpuClient *next;
    const WorkList *work;
    FrameQueue *queue;
    RequestMask *groups; /* what is claimed together: a unit each */
    RequestMask all, except;
    CommonUnit **common; /* by unit */
};

typedef struct CpuWorker {
    CpuPool *pool;
    Batch batch;
    unsigned char *records; /* of a divided unit: this worker's part; NULL: there are none */
    VmafThread thread;
} CpuWorker;

struct CpuPool {
    unsigned n_workers, n_threads; /* at least one worker, which has no thread without threads */
    bool threaded;
    bool shared; /* else it has one client, and its workers take what the queue gives them */
    CpuWorker *workers;
    TraceContext *trace;

    VmafMutex claiming; /* what follows, and the order in which frames are submitted and claimed */
    CpuClient *clients, *first; /* a ring is begun at `first`, so that each has its turn */
    CommonUnit *common;
    unsigned n_references;
    uint64_t n_shared;

    VmafMutex serving; /* of the first worker, for callers that do its work */

    VmafMutex sleeping; /* the innermost lock */
    VmafCondition offered;
    uint64_t n_offers;
    unsigned n_asleep;
    bool stopped;
};

/* ---- units in common ---- */

static bool same_unit(const WorkList *a, const WorkUnit *u, const WorkList *b, const WorkUnit *v)
{
    if (u->extractor != v->extractor || u->n_requests != v->n_requests ||
        !picture_format_equal(&a->format, &b->format))
        return false;
    for (unsigned i = 0; i < u->n_requests; i++) {
        if (!options_equal(a->requests[u->first_request + i].options,
                           b->requests[v->first_request + i].options, u->extractor->options,
                           OPTION_ACCUMULATE | OPTION_CONDENSE))
            return false;
    }
    return true;
}

/* Locked. */
static CommonUnit *common_unit(CpuPool *pool, const CpuClient *client, const WorkUnit *unit,
                               unsigned cpu_flags)
{
    for (CommonUnit *c = pool->common; c; c = c->next) {
        if (c->cpu_flags == cpu_flags && same_unit(c->owner->work, c->unit, client->work, unit))
            return c;
    }
    CommonUnit *made = calloc(1, sizeof(*made) + pool->n_workers * sizeof(void *));
    if (!made)
        return NULL;
    made->next = pool->common;
    made->owner = client;
    made->unit = unit;
    made->cpu_flags = cpu_flags;
    pool->common = made;
    return made;
}

/* Ends what refers to the plans of a client that leaves. Locked. */
static void drop_common_units(CpuPool *pool, const CpuClient *owner)
{
    for (CommonUnit **at = &pool->common; *at;) {
        CommonUnit *c = *at;
        if (c->owner != owner) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        for (CpuClient *client = pool->clients; client; client = client->next) {
            for (unsigned u = 0; u < client->work->n_units; u++) {
                if (client->common[u] == c)
                    client->common[u] = NULL;
            }
        }
        for (unsigned i = 0; i < pool->n_workers; i++)
            extractor_scratch_destroy(c->unit->extractor, c->scratch[i]);
        free(c);
    }
}

/* ---- claims ---- */

static unsigned unit_of(const WorkList *work, const RequestMask *requests)
{
    return work->requests[mask_first(requests)].unit;
}

/* The requests of one unit in the numbers of another that is the same. */
static RequestMask renumber(const RequestMask *requests, const WorkUnit *from, const WorkUnit *to)
{
    RequestMask renumbered = {{0}};
    for (unsigned i = 0; i < from->n_requests; i++) {
        if (mask_has(requests, from->first_request + i))
            mask_add(&renumbered, to->first_request + i);
    }
    return renumbered;
}

static void add_part(CpuWorker *worker, const CpuClient *client, Frame *frame, unsigned unit,
                     const RequestMask *claimed)
{
    Batch *batch = &worker->batch;
    CommonUnit *common = client->common[unit];
    batch->params = common->unit->params;
    batch->scratch = &common->scratch[worker - worker->pool->workers];
    batch->parts[batch->n++] = (BatchPart){
        .work = client->work,
        .queue = client->queue,
        .frame = frame,
        .unit = &client->work->units[unit],
        .claimed = *claimed,
    };
}

static void begin_batch(CpuWorker *worker, const CpuClient *client, Frame *frame, unsigned unit,
                        const RequestMask *claimed)
{
    worker->batch.n = 0;
    worker->batch.arrived = false;
    add_part(worker, client, frame, unit, claimed);
}

/* Adds what the other clients offer of the same. Locked. */
static void claim_same(CpuWorker *worker, const CommonUnit *common)
{
    CpuPool *pool = worker->pool;
    Batch *batch = &worker->batch;
    const BatchPart *first = &batch->parts[0];
    for (CpuClient *client = pool->clients; client && batch->n < BATCH_MAX; client = client->next) {
        for (unsigned u = 0; u < client->work->n_units; u++) {
            if (client->common[u] != common || client->queue == first->queue)
                continue;
            const WorkUnit *unit = &client->work->units[u];
            const RequestMask wanted = renumber(&first->claimed, first->unit, unit);
            const RequestMask all = mask_and(unit->requests, &client->all);
            const RequestMask group = mask_without(all, &client->except);
            Frame *frame = frame_queue_try_claim_same(client->queue, &group, &wanted, first->frame,
                                                      unit->needs.ref_history);
            if (frame)
                add_part(worker, client, frame, u, &wanted);
        }
    }
    pool->n_shared += batch->n - 1;
}

/* Records of a backend that are to be condensed. */
static bool claim_arrived(const CpuClient *client, CpuWorker *worker)
{
    Frame *frame;
    RequestMask taken;
    if (!frame_queue_try_claim_arrived(client->queue, &frame, &taken))
        return false;
    begin_batch(worker, client, frame, unit_of(client->work, &taken), &taken);
    worker->batch.arrived = true;
    return true;
}

/* Something that one client offers. Locked. */
static bool claim_of(const CpuClient *client, CpuWorker *worker)
{
    RequestMask *groups = worker->batch.groups;
    Frame *frame;
    RequestMask claimed;
    for (unsigned u = 0; u < client->work->n_units; u++)
        groups[u] = mask_without(client->groups[u], &client->except);
    if (!frame_queue_try_claim(client->queue, groups, client->work->n_units, &frame, &claimed))
        return false;
    const unsigned unit = unit_of(client->work, &claimed);
    begin_batch(worker, client, frame, unit, &claimed);
    claim_same(worker, client->common[unit]);
    return true;
}

static bool claim(CpuPool *pool, CpuWorker *worker)
{
    bool found = false;
    vmaf_mutex_lock(&pool->claiming);
    if (pool->clients) {
        CpuClient *client = pool->first;
        do {
            found = claim_arrived(client, worker) || claim_of(client, worker);
            client = client->next ? client->next : pool->clients;
        } while (!found && client != pool->first);
        pool->first = client;
    }
    vmaf_mutex_unlock(&pool->claiming);
    return found;
}

/* ---- workers ---- */

static void wake_one(void *cookie)
{
    CpuPool *pool = cookie;
    vmaf_mutex_lock(&pool->sleeping);
    pool->n_offers++;
    if (pool->n_asleep)
        vmaf_condition_signal(&pool->offered);
    vmaf_mutex_unlock(&pool->sleeping);
}

static bool look(CpuPool *pool, uint64_t *seen)
{
    vmaf_mutex_lock(&pool->sleeping);
    *seen = pool->n_offers;
    const bool goes_on = !pool->stopped;
    vmaf_mutex_unlock(&pool->sleeping);
    return goes_on;
}

static void sleep_after(CpuPool *pool, uint64_t seen)
{
    TRACE_SCOPE(TRACE_WAIT, "wait for work");
    vmaf_mutex_lock(&pool->sleeping);
    pool->n_asleep++;
    while (pool->n_offers == seen && !pool->stopped)
        vmaf_condition_wait(&pool->offered, &pool->sleeping);
    pool->n_asleep--;
    vmaf_mutex_unlock(&pool->sleeping);
}

/* Does what the clients of a shared pool offer. */
static void serve_clients(CpuWorker *worker)
{
    CpuPool *pool = worker->pool;
    uint64_t seen;
    while (look(pool, &seen)) {
        if (!claim(pool, worker)) {
            sleep_after(pool, seen);
            continue;
        }
        wake_one(pool); /* there may be more */
        batch_do(&worker->batch);
    }
}

/* Does what the queue of the only client gives out. */
static void serve_queue(CpuWorker *worker, unsigned number)
{
    const CpuClient *client = worker->pool->clients;
    WorkItem item;
    while (frame_queue_wait_for_unit(client->queue, number, &item)) {
        begin_batch(worker, client, item.frame, item.unit, &item.requests);
        worker->batch.arrived = item.arrived;
        if (item.divided)
            batch_do_bands(&worker->batch, &item, worker->records);
        else
            batch_do(&worker->batch);
    }
}

static void *run_worker(void *argument)
{
    CpuWorker *worker = argument;
    const CpuPool *pool = worker->pool;
    const unsigned number = (unsigned)(worker - pool->workers);
    processor_time_is_ours();
    TRACE_THREAD(pool->trace, "worker %u", number + 1);
    if (pool->shared)
        serve_clients(worker);
    else
        serve_queue(worker, number);
    return NULL;
}

static int start_threads(CpuPool *pool)
{
    if (!pool->threaded || pool->n_threads)
        return 0;
    pool->trace = trace_here();
    while (pool->n_threads < pool->n_workers) {
        CpuWorker *worker = &pool->workers[pool->n_threads];
        if (vmaf_thread_start(&worker->thread, run_worker, worker))
            break;
        pool->n_threads++;
    }
    return pool->n_threads ? 0 : -ENOMEM;
}

/* ---- pools ---- */

int cpu_pool_create(CpuPool **created, unsigned n_threads)
{
    CpuPool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return -ENOMEM;
    pool->threaded = n_threads != 0;
    pool->shared = true;
    pool->n_workers = n_threads ? n_threads : 1;
    pool->workers = calloc(pool->n_workers, sizeof(*pool->workers));
    if (!pool->workers) {
        free(pool);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < pool->n_workers; i++)
        pool->workers[i].pool = pool;
    pool->n_references = 1;
    vmaf_mutex_init(&pool->claiming);
    vmaf_mutex_init(&pool->serving);
    vmaf_mutex_init(&pool->sleeping);
    vmaf_condition_init(&pool->offered);
    *created = pool;
    return 0;
}

static void drop_reference(CpuPool *pool)
{
    vmaf_mutex_lock(&pool->claiming);
    const bool last = --pool->n_references == 0;
    vmaf_mutex_unlock(&pool->claiming);
    if (!last)
        return;
    vmaf_condition_destroy(&pool->offered);
    vmaf_mutex_destroy(&pool->sleeping);
    vmaf_mutex_destroy(&pool->serving);
    vmaf_mutex_destroy(&pool->claiming);
    for (unsigned i = 0; i < pool->n_workers; i++)
        memory_free(pool->workers[i].records);
    free(pool->workers);
    free(pool);
}

void cpu_pool_release(CpuPool *pool)
{
    if (!pool)
        return;
    vmaf_mutex_lock(&pool->sleeping);
    pool->stopped = true;
    vmaf_condition_broadcast(&pool->offered);
    vmaf_mutex_unlock(&pool->sleeping);
    for (unsigned i = 0; i < pool->n_threads; i++)
        vmaf_thread_join(pool->workers[i].thread);
    drop_reference(pool);
}

void cpu_pool_hold(CpuPool *pool)
{
    vmaf_mutex_lock(&pool->claiming);
}

void cpu_pool_resume(CpuPool *pool)
{
    vmaf_mutex_unlock(&pool->claiming);
}

uint64_t cpu_pool_shared_count(CpuPool *pool)
{
    vmaf_mutex_lock(&pool->claiming);
    const uint64_t n = pool->n_shared;
    vmaf_mutex_unlock(&pool->claiming);
    return n;
}

/* ---- clients ---- */

static void free_client(CpuClient *client)
{
    free(client->groups);
    free(client->common);
    free(client);
}

/* Units that cannot be divided first, so that others are left to fill the gaps at the end. */
static void make_groups(CpuClient *client)
{
    const WorkList *work = client->work;
    unsigned n = 0;
    for (int divisible = 0; divisible <= 1; divisible++) {
        for (unsigned u = 0; u < work->n_units; u++) {
            if (divisible == (work->units[u].extractor->merge != NULL))
                client->groups[n++] = mask_and(work->units[u].requests, &client->all);
        }
    }
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

/* Announces the workers of a pool to the queue of its only client. */
static int set_row_workers(const CpuPool *pool, const CpuClient *client)
{
    const size_t size = pool->n_workers > 1 ? largest_records(client->work) : 0;
    for (unsigned i = 0; i < pool->n_workers; i++) {
        pool->workers[i].records = memory_alloc(1, size + 1);
        if (!pool->workers[i].records)
            return -ENOMEM;
    }
    const RowWorkers row = {.groups = client->groups,
                            .n_groups = client->work->n_units,
                            .n_workers = pool->n_workers,
                            .n_processors = vmaf_processors_usable()};
    return frame_queue_set_row_workers(client->queue, &row);
}

/* Locked. */
static int add_client(CpuPool *pool, CpuClient *client, unsigned cpu_flags)
{
    for (unsigned u = 0; u < client->work->n_units; u++) {
        client->common[u] = common_unit(pool, client, &client->work->units[u], cpu_flags);
        if (!client->common[u])
            return -ENOMEM;
    }
    CpuClient **at = &pool->clients;
    while (*at)
        at = &(*at)->next;
    *at = client;
    if (!pool->first)
        pool->first = client;
    pool->n_references++;
    return 0;
}

static void leave(CpuClient *client)
{
    CpuPool *pool = client->pool;
    vmaf_mutex_lock(&pool->claiming);
    CpuClient **at = &pool->clients;
    while (*at && *at != client)
        at = &(*at)->next;
    if (*at)
        *at = client->next;
    if (pool->first == client)
        pool->first = pool->clients;
    drop_common_units(pool, client);
    vmaf_mutex_unlock(&pool->claiming);
    free_client(client);
    drop_reference(pool);
}

/* Lets the workers find what the queue of a client offers, and starts them if it is the first. */
static int start_serving(CpuPool *pool, const CpuClient *client)
{
    int err = 0;
    if (pool->threaded && pool->shared)
        frame_queue_set_notify(client->queue, wake_one, pool);
    else if (pool->threaded)
        err = set_row_workers(pool, client);
    return err ? err : start_threads(pool);
}

int cpu_client_join(CpuClient **joined, CpuPool *pool, const WorkList *work, FrameQueue *queue,
                    const RequestMask *requests, unsigned cpu_flags)
{
    CpuClient *client = calloc(1, sizeof(*client));
    if (!client)
        return -ENOMEM;
    client->pool = pool;
    client->work = work;
    client->queue = queue;
    client->all = *requests;
    client->groups = calloc(work->n_units + 1, sizeof(*client->groups));
    client->common = calloc(work->n_units + 1, sizeof(*client->common));
    int err = client->groups && client->common ? 0 : -ENOMEM;
    if (!err)
        make_groups(client);
    vmaf_mutex_lock(&pool->claiming);
    if (!err)
        err = add_client(pool, client, cpu_flags);
    if (err)
        drop_common_units(pool, client);
    vmaf_mutex_unlock(&pool->claiming);
    if (err) {
        free_client(client);
        return err;
    }
    err = start_serving(pool, client);
    if (err)
        leave(client);
    else
        *joined = client;
    return err;
}

int cpu_client_create(CpuClient **client, const WorkList *work, FrameQueue *queue,
                      const RequestMask *requests, unsigned n_threads)
{
    CpuPool *pool;
    int err = cpu_pool_create(&pool, n_threads);
    if (err)
        return err;
    pool->shared = false;
    err = cpu_client_join(client, pool, work, queue, requests, 0);
    if (err)
        cpu_pool_release(pool);
    return err;
}

void cpu_client_destroy(CpuClient *client)
{
    if (!client)
        return;
    frame_queue_stop(client->queue);
    if (!client->pool->shared)
        cpu_pool_release(client->pool);
    leave(client);
}

void cpu_client_leave_alone(CpuClient *client, const RequestMask *requests)
{
    vmaf_mutex_lock(&client->pool->claiming);
    client->except = *requests;
    vmaf_mutex_unlock(&client->pool->claiming);
}

void cpu_client_run(CpuClient *client, const RequestMask *except)
{
    CpuPool *pool = client->pool;
    vmaf_mutex_lock(&pool->serving);
    cpu_client_leave_alone(client, except);
    while (claim(pool, &pool->workers[0]))
        batch_do(&pool->workers[0].batch);
    vmaf_mutex_unlock(&pool->serving);
}

/* Does what was claimed of a frame, one unit after another. */
static void do_frame(const CpuClient *client, CpuWorker *worker, Frame *frame,
                     const RequestMask *claimed)
{
    for (unsigned u = 0; u < client->work->n_units; u++) {
        const RequestMask part = mask_and(*claimed, &client->work->units[u].requests);
        if (mask_empty(&part))
            continue;
        begin_batch(worker, client, frame, u, &part);
        batch_do(&worker->batch);
    }
}

/* All that a frame offers: a backend takes no frame that is begun, so what is left of it would wait
 * for this caller, which may be waiting for its pictures. */
bool cpu_client_help(CpuClient *client)
{
    CpuWorker *worker = &client->pool->workers[0];
    Frame *frame;
    RequestMask claimed;
    vmaf_mutex_lock(&client->pool->serving);
    const bool arrived = claim_arrived(client, worker);
    if (arrived)
        batch_do(&worker->batch);
    const bool found =
        !arrived && frame_queue_try_claim(client->queue, &client->all, 1, &frame, &claimed);
    if (found)
        do_frame(client, worker, frame, &claimed);
    vmaf_mutex_unlock(&client->pool->serving);
    return arrived || found;
}
