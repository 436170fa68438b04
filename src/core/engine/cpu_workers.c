/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/cpu_workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "engine/cpu_workers_internal.h"
#include "engine/frame_queue.h"
#include "platform/thread.h"

/* A unit that several seats have in common: the same extractor and options. The plan is that of the
 * first of them. */
typedef struct CommonUnit {
    struct CommonUnit *next;
    const TeamSeat *owner;
    const WorkUnit *unit;
    unsigned cpu_flags;
    void *scratch[]; /* by worker; made when first needed */
} CommonUnit;

struct TeamSeat {
    CpuTeam *team;
    TeamSeat *next;
    const WorkList *work;
    FrameQueue *queue;
    RequestMask *groups; /* by unit: what is claimed together */
    RequestMask all, except;
    CommonUnit **common; /* by unit */
};

typedef struct TeamWorker {
    CpuTeam *team;
    Batch batch;
    VmafThread thread;
} TeamWorker;

struct CpuTeam {
    unsigned n_workers, n_threads; /* at least one worker, which has no thread without threads */
    bool threaded;
    TeamWorker *workers;
    TraceContext *trace;

    VmafMutex claiming; /* what follows, and the order in which frames are submitted and claimed */
    TeamSeat *seats, *first; /* a ring is begun at `first`, so that each has its turn */
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

/* -- units in common -- */

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
static CommonUnit *common_unit(CpuTeam *team, const TeamSeat *seat, const WorkUnit *unit,
                               unsigned cpu_flags)
{
    for (CommonUnit *c = team->common; c; c = c->next) {
        if (c->cpu_flags == cpu_flags && same_unit(c->owner->work, c->unit, seat->work, unit))
            return c;
    }
    CommonUnit *made = calloc(1, sizeof(*made) + team->n_workers * sizeof(void *));
    if (!made)
        return NULL;
    made->next = team->common;
    made->owner = seat;
    made->unit = unit;
    made->cpu_flags = cpu_flags;
    team->common = made;
    return made;
}

/* Ends what refers to the plans of a seat that leaves. Locked. */
static void drop_common_units(CpuTeam *team, const TeamSeat *owner)
{
    for (CommonUnit **at = &team->common; *at;) {
        CommonUnit *c = *at;
        if (c->owner != owner) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        for (TeamSeat *seat = team->seats; seat; seat = seat->next) {
            for (unsigned u = 0; u < seat->work->n_units; u++) {
                if (seat->common[u] == c)
                    seat->common[u] = NULL;
            }
        }
        for (unsigned i = 0; i < team->n_workers; i++)
            extractor_scratch_destroy(c->unit->extractor, c->scratch[i]);
        free(c);
    }
}

/* -- claims -- */

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

static void begin_batch(Batch *batch, bool arrived)
{
    batch->n = 0;
    batch->arrived = arrived;
}

static void add_part(TeamWorker *worker, const TeamSeat *seat, Frame *frame, unsigned unit,
                     const RequestMask *claimed)
{
    Batch *batch = &worker->batch;
    CommonUnit *common = seat->common[unit];
    batch->plan = common->unit->plan;
    batch->scratch = &common->scratch[worker - worker->team->workers];
    batch->parts[batch->n++] = (BatchPart){
        .work = seat->work,
        .queue = seat->queue,
        .frame = frame,
        .unit = &seat->work->units[unit],
        .claimed = *claimed,
    };
}

/* Adds what the other seats offer of the same. Locked. */
static void claim_same(TeamWorker *worker, const CommonUnit *common)
{
    CpuTeam *team = worker->team;
    Batch *batch = &worker->batch;
    const BatchPart *first = &batch->parts[0];
    for (TeamSeat *seat = team->seats; seat && batch->n < BATCH_MAX; seat = seat->next) {
        for (unsigned u = 0; u < seat->work->n_units; u++) {
            if (seat->common[u] != common || seat->queue == first->queue)
                continue;
            const WorkUnit *unit = &seat->work->units[u];
            const RequestMask wanted = renumber(&first->claimed, first->unit, unit);
            const RequestMask group = mask_without(seat->groups[u], &seat->except);
            Frame *frame = frame_queue_claim_same(seat->queue, &group, &wanted, first->frame,
                                                  unit->needs.ref_history);
            if (frame)
                add_part(worker, seat, frame, u, &wanted);
        }
    }
    team->n_shared += batch->n - 1;
}

/* Records of a backend that are to be condensed. */
static bool claim_arrived(TeamSeat *seat, TeamWorker *worker)
{
    Frame *frame;
    RequestMask taken;
    if (!frame_queue_take_arrived(seat->queue, &frame, &taken))
        return false;
    begin_batch(&worker->batch, true);
    add_part(worker, seat, frame, unit_of(seat->work, &taken), &taken);
    return true;
}

/* Something that one seat offers. Locked. */
static bool claim_of(TeamSeat *seat, TeamWorker *worker)
{
    Batch *batch = &worker->batch;
    Frame *frame;
    RequestMask claimed;
    if (claim_arrived(seat, worker))
        return true;
    for (unsigned u = 0; u < seat->work->n_units; u++)
        batch->groups[u] = mask_without(seat->groups[u], &seat->except);
    if (!frame_queue_claim(seat->queue, batch->groups, seat->work->n_units, &frame, &claimed))
        return false;
    const unsigned unit = unit_of(seat->work, &claimed);
    begin_batch(batch, false);
    add_part(worker, seat, frame, unit, &claimed);
    claim_same(worker, seat->common[unit]);
    return true;
}

static bool claim(CpuTeam *team, TeamWorker *worker)
{
    bool found = false;
    vmaf_mutex_lock(&team->claiming);
    if (team->seats) {
        TeamSeat *seat = team->first;
        do {
            found = claim_of(seat, worker);
            seat = seat->next ? seat->next : team->seats;
        } while (!found && seat != team->first);
        team->first = seat;
    }
    vmaf_mutex_unlock(&team->claiming);
    return found;
}

/* -- workers -- */

static void wake_one(void *cookie)
{
    CpuTeam *team = cookie;
    vmaf_mutex_lock(&team->sleeping);
    team->n_offers++;
    if (team->n_asleep)
        vmaf_condition_signal(&team->offered);
    vmaf_mutex_unlock(&team->sleeping);
}

static bool look(CpuTeam *team, uint64_t *seen)
{
    vmaf_mutex_lock(&team->sleeping);
    *seen = team->n_offers;
    const bool goes_on = !team->stopped;
    vmaf_mutex_unlock(&team->sleeping);
    return goes_on;
}

static void sleep_after(CpuTeam *team, uint64_t seen)
{
    TRACE_SCOPE(TRACE_WAIT, "wait for work");
    vmaf_mutex_lock(&team->sleeping);
    team->n_asleep++;
    while (team->n_offers == seen && !team->stopped)
        vmaf_condition_wait(&team->offered, &team->sleeping);
    team->n_asleep--;
    vmaf_mutex_unlock(&team->sleeping);
}

static void *run_worker(void *argument)
{
    TeamWorker *worker = argument;
    CpuTeam *team = worker->team;
    uint64_t seen;
    processor_time_is_ours();
    TRACE_THREAD(team->trace, "worker %u", (unsigned)(worker - team->workers) + 1);
    while (look(team, &seen)) {
        if (!claim(team, worker)) {
            sleep_after(team, seen);
            continue;
        }
        wake_one(team); /* there may be more */
        batch_do(&worker->batch);
    }
    return NULL;
}

static int start_threads(CpuTeam *team)
{
    if (!team->threaded || team->n_threads)
        return 0;
    team->trace = trace_here();
    while (team->n_threads < team->n_workers) {
        TeamWorker *worker = &team->workers[team->n_threads];
        if (vmaf_thread_start(&worker->thread, run_worker, worker))
            break;
        team->n_threads++;
    }
    return team->n_threads ? 0 : -ENOMEM;
}

/* -- the team -- */

int cpu_team_create(CpuTeam **created, unsigned n_threads)
{
    CpuTeam *team = calloc(1, sizeof(*team));
    if (!team)
        return -ENOMEM;
    team->threaded = n_threads != 0;
    team->n_workers = n_threads ? n_threads : 1;
    team->workers = calloc(team->n_workers, sizeof(*team->workers));
    if (!team->workers) {
        free(team);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < team->n_workers; i++)
        team->workers[i].team = team;
    team->n_references = 1;
    vmaf_mutex_init(&team->claiming);
    vmaf_mutex_init(&team->serving);
    vmaf_mutex_init(&team->sleeping);
    vmaf_condition_init(&team->offered);
    *created = team;
    return 0;
}

static void drop_reference(CpuTeam *team)
{
    vmaf_mutex_lock(&team->claiming);
    const bool last = --team->n_references == 0;
    vmaf_mutex_unlock(&team->claiming);
    if (!last)
        return;
    vmaf_condition_destroy(&team->offered);
    vmaf_mutex_destroy(&team->sleeping);
    vmaf_mutex_destroy(&team->serving);
    vmaf_mutex_destroy(&team->claiming);
    free(team->workers);
    free(team);
}

void cpu_team_release(CpuTeam *team)
{
    if (!team)
        return;
    vmaf_mutex_lock(&team->sleeping);
    team->stopped = true;
    vmaf_condition_broadcast(&team->offered);
    vmaf_mutex_unlock(&team->sleeping);
    for (unsigned i = 0; i < team->n_threads; i++)
        vmaf_thread_join(team->workers[i].thread);
    drop_reference(team);
}

static void free_seat(TeamSeat *seat)
{
    free(seat->groups);
    free(seat->common);
    free(seat);
}

/* Locked. */
static int take_seat(CpuTeam *team, TeamSeat *seat, unsigned cpu_flags)
{
    for (unsigned u = 0; u < seat->work->n_units; u++) {
        seat->common[u] = common_unit(team, seat, &seat->work->units[u], cpu_flags);
        if (!seat->common[u])
            return -ENOMEM;
    }
    TeamSeat **at = &team->seats;
    while (*at)
        at = &(*at)->next;
    *at = seat;
    if (!team->first)
        team->first = seat;
    team->n_references++;
    return 0;
}

int cpu_team_join(CpuTeam *team, TeamSeat **joined, const WorkList *work, FrameQueue *queue,
                  const RequestMask *requests, unsigned cpu_flags)
{
    TeamSeat *seat = calloc(1, sizeof(*seat));
    if (!seat)
        return -ENOMEM;
    seat->team = team;
    seat->work = work;
    seat->queue = queue;
    seat->all = *requests;
    seat->groups = calloc(work->n_units + 1, sizeof(*seat->groups));
    seat->common = calloc(work->n_units + 1, sizeof(*seat->common));
    int err = seat->groups && seat->common ? 0 : -ENOMEM;
    for (unsigned u = 0; !err && u < work->n_units; u++)
        seat->groups[u] = mask_and(work->units[u].requests, requests);
    vmaf_mutex_lock(&team->claiming);
    if (!err)
        err = take_seat(team, seat, cpu_flags);
    if (err)
        drop_common_units(team, seat);
    vmaf_mutex_unlock(&team->claiming);
    if (err) {
        free_seat(seat);
        return err;
    }
    if (team->threaded)
        frame_queue_set_notify(queue, wake_one, team);
    err = start_threads(team);
    if (err)
        cpu_team_leave(seat);
    else
        *joined = seat;
    return err;
}

void cpu_team_leave(TeamSeat *seat)
{
    if (!seat)
        return;
    CpuTeam *team = seat->team;
    vmaf_mutex_lock(&team->claiming);
    TeamSeat **at = &team->seats;
    while (*at && *at != seat)
        at = &(*at)->next;
    if (*at)
        *at = seat->next;
    if (team->first == seat)
        team->first = team->seats;
    drop_common_units(team, seat);
    vmaf_mutex_unlock(&team->claiming);
    free_seat(seat);
    drop_reference(team);
}

void cpu_team_hold(CpuTeam *team)
{
    vmaf_mutex_lock(&team->claiming);
}

void cpu_team_resume(CpuTeam *team)
{
    vmaf_mutex_unlock(&team->claiming);
}

void cpu_team_leave_alone(TeamSeat *seat, const RequestMask *requests)
{
    vmaf_mutex_lock(&seat->team->claiming);
    seat->except = *requests;
    vmaf_mutex_unlock(&seat->team->claiming);
}

void cpu_team_run(const TeamSeat *seat)
{
    CpuTeam *team = seat->team;
    vmaf_mutex_lock(&team->serving);
    while (claim(team, &team->workers[0]))
        batch_do(&team->workers[0].batch);
    vmaf_mutex_unlock(&team->serving);
}

/* Does what was claimed of a frame, one unit after another. */
static void do_frame(TeamSeat *seat, TeamWorker *worker, Frame *frame, const RequestMask *claimed)
{
    for (unsigned u = 0; u < seat->work->n_units; u++) {
        const RequestMask part = mask_and(*claimed, &seat->work->units[u].requests);
        if (mask_empty(&part))
            continue;
        begin_batch(&worker->batch, false);
        add_part(worker, seat, frame, u, &part);
        batch_do(&worker->batch);
    }
}

bool cpu_team_help(TeamSeat *seat)
{
    TeamWorker *worker = &seat->team->workers[0];
    Frame *frame;
    RequestMask claimed;
    vmaf_mutex_lock(&seat->team->serving);
    const bool arrived = claim_arrived(seat, worker);
    if (arrived)
        batch_do(&worker->batch);
    const bool found = !arrived && frame_queue_claim(seat->queue, &seat->all, 1, &frame, &claimed);
    if (found)
        do_frame(seat, worker, frame, &claimed);
    vmaf_mutex_unlock(&seat->team->serving);
    return arrived || found;
}

uint64_t cpu_team_shared_count(CpuTeam *team)
{
    vmaf_mutex_lock(&team->claiming);
    const uint64_t n = team->n_shared;
    vmaf_mutex_unlock(&team->claiming);
    return n;
}
