/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/spot_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "engine/frame_queue.h"
#include "picture/picture.h"
#include "platform/machine.h"
#include "platform/thread.h"
#include "support/memory.h"

/* ---- the schedule ---- */

/* The share of one processor that checks may take while one is idle. */
static const double share_of_idle = 0.10;
/* Else the share of the process's time: a run with no idle processor loses less than 2 %. */
static const double share_of_process = 0.015;
/* A check may hold up the thread that fills the pictures of a pool and, at the end, the one that
 * waits for scores. */
static const double share_of_waiting = 0.02;
/* A thread that gets less of a processor shares it with others. */
static const double alone = 0.75;

void spot_schedule_init(SpotSchedule *schedule, unsigned every, uint64_t seed,
                        unsigned n_processors, int64_t likely_us, SpotTime now)
{
    *schedule = (SpotSchedule){
        .every = every,
        .n_processors = n_processors,
        .random = seed,
        .began = now.clock,
    };
    spot_schedule_note(schedule, now, likely_us, likely_us);
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(SpotSchedule *schedule)
{
    uint64_t z = schedule->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool spot_schedule_draws(SpotSchedule *schedule, int64_t age)
{
    unsigned every = schedule->every;
    if (every <= 1)
        return every == 1;
    if (age < SPOT_EARLY_US)
        every = every > SPOT_EARLY_FACTOR ? every / SPOT_EARLY_FACTOR : 1;
    return next_random(schedule) % every == 0;
}

/* The process leaves processors idle, and so did others during the last check. */
static bool is_idle(const SpotSchedule *schedule, SpotTime now)
{
    const double passed = (double)(now.clock - schedule->last.clock);
    const double computed = (double)(now.process - schedule->last.process);
    return schedule->was_idle && 2 * computed < passed * schedule->n_processors;
}

bool spot_schedule_affords(const SpotSchedule *schedule, bool scarce, SpotTime now)
{
    if (schedule->every == 1)
        return true;
    if (now.clock < schedule->next_by_clock || (scarce && now.clock < schedule->next_by_hold))
        return false;
    return now.process >= schedule->next_by_process || is_idle(schedule, now);
}

void spot_schedule_note(SpotSchedule *schedule, SpotTime began, int64_t processor_us,
                        int64_t held_us)
{
    schedule->last = began;
    schedule->was_idle = (double)processor_us >= alone * (double)held_us;
    schedule->next_by_clock = began.clock + (int64_t)((double)processor_us / share_of_idle);
    schedule->next_by_process = began.process + (int64_t)((double)processor_us / share_of_process);
    schedule->next_by_hold = began.clock + (int64_t)((double)held_us / share_of_waiting);
}

int64_t spot_schedule_time_limit(const SpotSchedule *schedule, int64_t clock)
{
    if (schedule->every == 1)
        return -1;
    return (int64_t)((double)(clock - schedule->began) * share_of_waiting);
}

/* ---- the check ---- */

/* What a unit is assumed to cost on the CPU until one was measured. */
enum { LIKELY_NS_PER_SAMPLE = 10 };

/* The frame that is checked. */
typedef struct Job {
    Frame frame; /* a copy; what it refers to is held here */
    RequestMask requests;
    SpotSubject subject;
    SpotTime began;
} Job;

/* What was found of a device. */
typedef struct Findings {
    bool any_good;
    unsigned last_good; /* index */
} Findings;

struct SpotCheck {
    SpotCheckParams params;
    VmafMutex lock;
    VmafCondition changed;
    SpotSchedule schedule;
    Job job;
    unsigned char *records; /* of the backend, laid out as in the frame */
    bool busy;              /* there is a job */
    bool void_job;          /* it is too late: its outcome does not count */
    bool failed, started;
    Findings findings[BALANCE_DEVICES_MAX]; /* by number */
    SpotCheckCounts counts;
    atomic_bool closing;
    TraceContext *trace;
    VmafThread thread;

    /* Used by the thread alone: */
    unsigned char *truth; /* records of the CPU, laid out in the same way */
    void **scratch;       /* by unit; made when first needed */
};

/* ---- on the thread ---- */

static SpotTime time_now(void)
{
    return (SpotTime){vmaf_steady_us(), vmaf_process_time_us()};
}

/* Accumulates what is checked of a unit. 0 or a negative errno. */
static int accumulate(SpotCheck *check, unsigned u, unsigned *n_downloads)
{
    const WorkList *work = check->params.work;
    const WorkUnit *unit = &work->units[u];
    const Job *job = &check->job;
    FrameViews views;
    FrameInput input;
    void *records[REQUESTS_MAX] = {0};
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const WorkRequest *request = &work->requests[unit->first_request + i];
        if (!mask_has(&job->requests, unit->first_request + i))
            continue;
        records[i] = check->truth + request->record_offset;
        memset(records[i], 0, request->record_size);
    }
    int err = check->scratch[u]
                  ? 0
                  : extractor_scratch_create(unit->extractor, &check->scratch[u], unit->params);
    const int downloads = err ? err : frame_view(unit, &job->frame, &views, &input);
    if (downloads < 0)
        return downloads;
    *n_downloads += (unsigned)downloads;
    return unit->extractor->accumulate(unit->params, check->scratch[u], &input,
                                       (RowBand){0, work->format.h[0]}, records);
}

/* The first request of a unit whose records differ; negative: there is none. */
static int compare(const SpotCheck *check, unsigned u)
{
    const WorkList *work = check->params.work;
    const WorkUnit *unit = &work->units[u];
    for (unsigned r = unit->first_request; r < unit->first_request + unit->n_requests; r++) {
        const WorkRequest *request = &work->requests[r];
        if (mask_has(&check->job.requests, r) &&
            memcmp(check->truth + request->record_offset, check->records + request->record_offset,
                   request->record_size) != 0)
            return (int)r;
    }
    return -1;
}

/* Compares a frame: the first request that differs, or -1. False if that was given up. */
static bool examine(SpotCheck *check, int *differing, unsigned *n_downloads)
{
    const WorkList *work = check->params.work;
    *differing = -1;
    for (unsigned u = 0; u < work->n_units && *differing < 0; u++) {
        const RequestMask asked = mask_and(work->units[u].requests, &check->job.requests);
        if (mask_empty(&asked))
            continue;
        if (atomic_load(&check->closing) || accumulate(check, u, n_downloads))
            return false;
        *differing = compare(check, u);
    }
    return true;
}

/* Notes the outcome of a job; true if it is to be reported. Locked. */
static bool conclude(SpotCheck *check, bool done, int differing)
{
    const unsigned index = check->job.frame.index;
    if (!done || check->void_job || check->failed)
        return false;
    check->counts.frames++;
    check->failed = differing >= 0;
    if (!check->failed) {
        check->findings[check->job.subject.device] = (Findings){true, index};
    }
    return check->failed;
}

static void report(SpotCheck *check, int differing)
{
    const WorkList *work = check->params.work;
    const Findings *findings = &check->findings[check->job.subject.device];
    const SpotDifference difference = {
        .backend = check->job.subject.backend,
        .device = check->job.subject.device,
        .extractor = work->units[work->requests[differing].unit].extractor->name,
        .frame = check->job.frame.index,
        .any_good = findings->any_good,
        .last_good = findings->last_good,
    };
    check->params.report(check->params.cookie, &difference);
}

static void do_job(SpotCheck *check)
{
    TRACE_SCOPE(TRACE_WORK, "spot check", TRACE_INDEX(check->job.frame.index));
    const int64_t before = vmaf_thread_time_us();
    unsigned n_downloads = 0;
    int differing;
    const bool done = examine(check, &differing, &n_downloads);
    frame_release_pictures(&check->job.frame);
    const int64_t spent = vmaf_thread_time_us() - before;

    vmaf_mutex_lock(&check->lock);
    spot_schedule_note(&check->schedule, check->job.began, spent,
                       vmaf_steady_us() - check->job.began.clock);
    check->counts.downloads += n_downloads;
    const bool reports = conclude(check, done, differing);
    vmaf_mutex_unlock(&check->lock);
    if (reports)
        report(check, differing);
    vmaf_mutex_lock(&check->lock);
    check->busy = false;
    vmaf_condition_broadcast(&check->changed);
    vmaf_mutex_unlock(&check->lock);
}

static void *run_checks(void *argument)
{
    SpotCheck *check = argument;
    TRACE_THREAD(check->trace, "spot checks");
    processor_time_is_ours();
    vmaf_mutex_lock(&check->lock);
    for (;;) {
        while (!check->busy && !atomic_load(&check->closing))
            vmaf_condition_wait(&check->changed, &check->lock);
        if (!check->busy)
            break;
        vmaf_mutex_unlock(&check->lock);
        do_job(check);
        vmaf_mutex_lock(&check->lock);
    }
    vmaf_mutex_unlock(&check->lock);
    return NULL;
}

/* ---- for others ---- */

static int64_t likely_us(const WorkList *work)
{
    const double samples = (double)work->format.w[0] * work->format.h[0];
    return (int64_t)(samples * work->n_units * LIKELY_NS_PER_SAMPLE / 1000);
}

int spot_check_create(SpotCheck **created, const SpotCheckParams *params)
{
    SpotCheck *check = calloc(1, sizeof(*check));
    if (!check)
        return -ENOMEM;
    check->params = *params;
    atomic_init(&check->closing, false);
    vmaf_mutex_init(&check->lock);
    vmaf_condition_init(&check->changed);
    spot_schedule_init(&check->schedule, params->every, params->seed, vmaf_processors_online(),
                       likely_us(params->work), time_now());
    check->records = memory_alloc_zeroed(1, params->work->records_size);
    check->truth = memory_alloc_zeroed(1, params->work->records_size);
    check->scratch = calloc(params->work->n_units + 1, sizeof(*check->scratch));
    if (!check->records || !check->truth || !check->scratch) {
        spot_check_destroy(check);
        return -ENOMEM;
    }
    *created = check;
    return 0;
}

void spot_check_destroy(SpotCheck *check)
{
    if (!check)
        return;
    vmaf_mutex_lock(&check->lock);
    atomic_store(&check->closing, true);
    vmaf_condition_broadcast(&check->changed);
    vmaf_mutex_unlock(&check->lock);
    if (check->started)
        vmaf_thread_join(check->thread);
    const WorkList *work = check->params.work;
    for (unsigned u = 0; check->scratch && u < work->n_units; u++)
        extractor_scratch_destroy(work->units[u].extractor, check->scratch[u]);
    free(check->scratch);
    memory_free(check->truth);
    memory_free(check->records);
    vmaf_condition_destroy(&check->changed);
    vmaf_mutex_destroy(&check->lock);
    free(check);
}

/* Locked. */
static bool start(SpotCheck *check)
{
    if (check->started)
        return true;
    check->trace = trace_here();
    check->started = !vmaf_thread_start(&check->thread, run_checks, check);
    return check->started;
}

/* Locked. */
static void take(SpotCheck *check, const FrameQueue *queue, const Frame *frame,
                 const RequestMask *requests, const SpotSubject *subject)
{
    const WorkList *work = check->params.work;
    Job *job = &check->job;
    *job = (Job){.requests = *requests, .subject = *subject, .began = time_now()};
    job->frame.position = frame->position;
    job->frame.index = frame->index;
    job->frame.ref = picture_ref(&frame->ref);
    job->frame.dist = picture_ref(&frame->dist);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) { /* the neighbours */
        job->frame.earlier_ref[i] = picture_ref(&frame->earlier_ref[i]);
        job->frame.earlier_dist[i] = picture_ref(&frame->earlier_dist[i]);
    }
    for (unsigned r = 0; r < work->n_requests; r++) {
        if (mask_has(requests, r))
            memcpy(check->records + work->requests[r].record_offset, frame_record(queue, frame, r),
                   work->requests[r].record_size);
    }
    check->void_job = false;
    check->busy = true;
    vmaf_condition_broadcast(&check->changed);
}

void spot_check_offer(SpotCheck *check, const FrameQueue *queue, const Frame *frame,
                      const RequestMask *requests, const SpotSubject *subject)
{
    if (!check || mask_empty(requests))
        return;
    const bool scarce = picture_is_pooled(&frame->ref) || picture_is_pooled(&frame->dist);
    vmaf_mutex_lock(&check->lock);
    while (check->busy && check->schedule.every == 1 && !atomic_load(&check->closing)) {
        TRACE_SCOPE(TRACE_WAIT, "wait for a spot check");
        vmaf_condition_wait(&check->changed, &check->lock);
    }
    if (!check->busy && !check->failed && !atomic_load(&check->closing) &&
        spot_schedule_draws(&check->schedule, vmaf_steady_us() - subject->since) &&
        spot_schedule_affords(&check->schedule, scarce, time_now()) && start(check))
        take(check, queue, frame, requests, subject);
    vmaf_mutex_unlock(&check->lock);
}

void spot_check_settle(SpotCheck *check)
{
    if (!check)
        return;
    vmaf_mutex_lock(&check->lock);
    const int64_t limit = spot_schedule_time_limit(&check->schedule, vmaf_steady_us());
    const VmafDeadline deadline = vmaf_deadline_after(limit < 0 ? 0 : (unsigned)(limit / 1000));
    bool late = false;
    while (check->busy && !late) {
        if (limit < 0)
            vmaf_condition_wait(&check->changed, &check->lock);
        else
            late = vmaf_condition_wait_until(&check->changed, &check->lock, deadline) != 0;
    }
    /* A difference is being reported, which takes no time. */
    while (check->busy && check->failed)
        vmaf_condition_wait(&check->changed, &check->lock);
    check->void_job = check->busy;
    vmaf_mutex_unlock(&check->lock);
}

SpotCheckCounts spot_check_counts(SpotCheck *check)
{
    if (!check)
        return (SpotCheckCounts){0};
    vmaf_mutex_lock(&check->lock);
    const SpotCheckCounts counts = check->counts;
    vmaf_mutex_unlock(&check->lock);
    return counts;
}
