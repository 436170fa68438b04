/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/search_run.h"

#include "platform/thread.h"
#include "platform/time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- jobs of threads -- */

typedef enum ItemState { ITEM_WAITING, ITEM_RUNNING, ITEM_DONE } ItemState;

typedef struct Item {
    void *job;
    ItemState state;
    struct Item *next;
} Item;

struct JobQueue {
    void (*work)(void *cookie, void *job);
    void *cookie;
    VmafThread *threads;
    int n_threads;
    size_t pending;
    VmafMutex lock;
    VmafCondition changed;
    Item *items; /* that did not come back yet, in the order in which they were submitted */
    bool ends;   /* with the last of them */
};

/* Where the first item in that state is; where there is none, the end. */
static Item **find_item(JobQueue *queue, ItemState state)
{
    Item **place = &queue->items;
    while (*place && (*place)->state != state)
        place = &(*place)->next;
    return place;
}

static void *run(void *argument)
{
    JobQueue *queue = argument;
    vmaf_thread_set_name("tune-job");
    vmaf_mutex_lock(&queue->lock);
    for (;;) {
        Item *item = *find_item(queue, ITEM_WAITING);
        if (!item && queue->ends)
            break;
        if (!item) {
            vmaf_condition_wait(&queue->changed, &queue->lock);
            continue;
        }
        item->state = ITEM_RUNNING;
        vmaf_mutex_unlock(&queue->lock);
        queue->work(queue->cookie, item->job);
        vmaf_mutex_lock(&queue->lock);
        item->state = ITEM_DONE;
        vmaf_condition_broadcast(&queue->changed);
    }
    vmaf_mutex_unlock(&queue->lock);
    return NULL;
}

int job_queue_create(JobQueue **created, int n_threads, void (*work)(void *cookie, void *job),
                     void *cookie)
{
    JobQueue *queue = calloc(1, sizeof(*queue));
    VmafThread *threads = calloc((size_t)n_threads, sizeof(*threads));
    *created = NULL;
    if (!queue || !threads) {
        free(queue);
        free(threads);
        return -ENOMEM;
    }
    *queue = (JobQueue){.work = work, .cookie = cookie, .threads = threads};
    vmaf_mutex_init(&queue->lock);
    vmaf_condition_init(&queue->changed);
    int err = 0;
    for (int i = 0; i < n_threads && !err; i++) {
        err = vmaf_thread_start(&threads[i], run, queue);
        queue->n_threads += !err;
    }
    if (err && !queue->n_threads) { /* fewer threads are as good */
        job_queue_destroy(queue);
        return err;
    }
    *created = queue;
    return 0;
}

/* Out of the list; the job it had. */
static void *remove_item(JobQueue *queue, Item **place)
{
    Item *item = *place;
    void *job = item->job;
    *place = item->next;
    queue->pending--;
    free(item);
    return job;
}

void job_queue_destroy(JobQueue *queue)
{
    if (!queue)
        return;
    vmaf_mutex_lock(&queue->lock);
    queue->ends = true;
    vmaf_mutex_unlock(&queue->lock);
    vmaf_condition_broadcast(&queue->changed);
    for (int i = 0; i < queue->n_threads; i++)
        vmaf_thread_join(queue->threads[i]);
    while (queue->items)
        remove_item(queue, &queue->items);
    vmaf_condition_destroy(&queue->changed);
    vmaf_mutex_destroy(&queue->lock);
    free(queue->threads);
    free(queue);
}

int job_queue_submit(JobQueue *queue, void *job)
{
    Item *item = calloc(1, sizeof(*item));
    if (!item)
        return -ENOMEM;
    item->job = job;
    queue->pending++;
    vmaf_mutex_lock(&queue->lock);
    Item **end = &queue->items;
    while (*end)
        end = &(*end)->next;
    *end = item;
    vmaf_mutex_unlock(&queue->lock);
    vmaf_condition_broadcast(&queue->changed);
    return 0;
}

void *job_queue_wait(JobQueue *queue, unsigned limit_ms)
{
    const VmafDeadline deadline = vmaf_deadline_after(limit_ms);
    void *job = NULL;
    vmaf_mutex_lock(&queue->lock);
    for (int err = queue->pending ? 0 : -ETIMEDOUT; !job;) {
        Item **done = find_item(queue, ITEM_DONE);
        if (*done)
            job = remove_item(queue, done);
        else if (err)
            break;
        else
            err = vmaf_condition_wait_until(&queue->changed, &queue->lock, deadline);
    }
    vmaf_mutex_unlock(&queue->lock);
    return job;
}

size_t job_queue_pending(const JobQueue *queue)
{
    return queue->pending;
}

/* -- encodes that are under way -- */

enum { WAIT_MS = 100 };

typedef struct Job {
    Measurer *measurer;
    EncodeSpec spec;
    size_t index;
    atomic_bool stop;
    MeasuredEncode measured;
    struct Job *next; /* of those under way */
} Job;

static void do_job(void *cookie, void *argument)
{
    (void)cookie;
    Job *job = argument;
    measure_encode(job->measurer, &job->spec, &job->stop, &job->measured);
}

bool measure_error_is_final(int error)
{
    return error == -ENODEV || error == -ECANCELED || error == -ENOMEM || error == -ENOSPC ||
           error == -ENOENT || error == -EINVAL;
}

/* Encodes that are under way. */
typedef struct Jobs {
    Measurer *measurer;
    JobQueue *queue;
    Job *first;
    int64_t begin_ms;
} Jobs;

/* `wanted` 0: all that there may be. */
static int jobs_of(const Measurer *measurer, int wanted)
{
    const int most = measurer_options(measurer)->jobs;
    if (most < 1)
        return 1;
    return wanted > 0 && wanted < most ? wanted : most;
}

static int open_jobs(Jobs *jobs, Measurer *measurer, int n, Message *why)
{
    *jobs = (Jobs){.measurer = measurer, .begin_ms = vmaf_steady_ms()};
    const int err = job_queue_create(&jobs->queue, n, do_job, NULL);
    return err ? message_set(why, err, "no thread could be started") : 0;
}

static int start_job(Jobs *jobs, const EncodeSpec *spec, size_t index, Message *why)
{
    Job *job = calloc(1, sizeof(*job));
    if (!job)
        return message_set(why, -ENOMEM, "out of memory");
    job->measurer = jobs->measurer;
    job->spec = *spec;
    job->index = index;
    if (job_queue_submit(jobs->queue, job)) {
        free(job);
        return message_set(why, -ENOMEM, "out of memory");
    }
    job->next = jobs->first;
    jobs->first = job;
    return 0;
}

static void stop_all(const Jobs *jobs)
{
    for (Job *job = jobs->first; job; job = job->next)
        atomic_store(&job->stop, true);
}

static bool is_interrupted(const Jobs *jobs)
{
    const atomic_bool *stop = measurer_options(jobs->measurer)->stop;
    return stop && atomic_load(stop);
}

static void free_job(Job *job)
{
    measured_encode_free(&job->measured);
    free(job);
}

/* The next job that is finished, to be freed. NULL: none is under way. */
static Job *wait_for_job(Jobs *jobs)
{
    Job *job = NULL;
    while (!job && job_queue_pending(jobs->queue)) {
        job = job_queue_wait(jobs->queue, WAIT_MS);
        if (is_interrupted(jobs))
            stop_all(jobs);
    }
    for (Job **place = &jobs->first; job && *place; place = &(*place)->next)
        if (*place == job) {
            *place = job->next;
            break;
        }
    return job;
}

static void close_jobs(Jobs *jobs)
{
    stop_all(jobs);
    for (Job *job; (job = wait_for_job(jobs));)
        free_job(job);
    job_queue_destroy(jobs->queue);
}

/* -- searches -- */

/* Takes it over. */
static int keep_encode(SearchRun *run, MeasuredEncode *measured)
{
    MeasuredEncode *grown = realloc(run->encodes, (run->n_encodes + 1) * sizeof(*run->encodes));
    if (!grown)
        return -ENOMEM;
    run->encodes = grown;
    grown[run->n_encodes++] = *measured;
    *measured = (MeasuredEncode){0};
    return 0;
}

static int measurement_of(const SearchPlan *plan, const MeasuredEncode *measured,
                          Measurement *measurement, Message *why)
{
    *measurement = (Measurement){
        .q = measured->spec.q,
        .kbps = measured->kbps,
        .encode_ms = measured->outcome.wall_ms,
    };
    return tune_gates_values(&plan->gates, measured, measurement->values, why);
}

/* Tells the search what became of an encode. Returns an error that ends the run. */
static int report(SearchRun *run, const SearchPlan *plan, const MeasuredEncode *measured)
{
    Measurement measurement;
    const double q = measured->spec.q;
    if (measured->error == -ECANCELED && search_is_unneeded(&run->search, q)) {
        search_cancelled(&run->search, q);
        return 0;
    }
    run->why = measured->why;
    if (measure_error_is_final(measured->error))
        return measured->error;
    if (measured->error)
        return search_report_failure(&run->search, q);
    const int err = measurement_of(plan, measured, &measurement, &run->why);
    return err ? err : search_report(&run->search, &measurement);
}

static int finish_job(Jobs *jobs, SearchRun *run, const SearchPlan *plan, Job *job)
{
    int err = report(run, plan, &job->measured);
    if (job->measured.error != -ECANCELED) {
        if (plan->on_encode)
            plan->on_encode(plan->cookie, &job->measured);
        err = keep_encode(run, &job->measured) ? -ENOMEM : err;
    }
    for (Job *other = jobs->first; other; other = other->next)
        if (search_is_unneeded(&run->search, other->spec.q))
            atomic_store(&other->stop, true);
    free_job(job);
    return err;
}

static bool is_late(const Jobs *jobs, const SearchPlan *plan)
{
    return plan->time_budget > 0 &&
           (double)(vmaf_steady_ms() - jobs->begin_ms) >= plan->time_budget * 1000;
}

static int start_encodes(Jobs *jobs, SearchRun *run, const SearchPlan *plan)
{
    EncodeSpec spec = plan->spec;
    int err = 0;
    if (is_late(jobs, plan) && run->search.probes)
        search_end(&run->search);
    while (!err && search_next(&run->search, &spec.q))
        err = start_job(jobs, &spec, 0, &run->why);
    return err;
}

static int run_encodes(Jobs *jobs, SearchRun *run, const SearchPlan *plan)
{
    for (;;) {
        if (is_interrupted(jobs))
            return message_set(&run->why, -ECANCELED, "interrupted");
        const int err = start_encodes(jobs, run, plan);
        if (err)
            return err;
        Job *job = wait_for_job(jobs);
        if (!job)
            return search_is_over(&run->search) ? 0 : -EINVAL;
        const int failed = finish_job(jobs, run, plan, job);
        if (failed)
            return failed;
    }
}

static int start_search(Measurer *measurer, const SearchPlan *plan, SearchRun *run)
{
    SearchOptions options = plan->search;
    if (options.qualities.lowest == options.qualities.highest)
        options.qualities = plan->spec.encoder->qualities;
    options.jobs = jobs_of(measurer, plan->jobs);
    const int err = search_start(&run->search, &options);
    if (err)
        return message_set(&run->why, err, "%s cannot be searched from %s %g to %g",
                           plan->spec.encoder->name, plan->spec.encoder->quality_name,
                           options.first, options.last);
    for (size_t i = 0; i < plan->n_known; i++) {
        Measurement measurement;
        const MeasuredEncode *known = &plan->known[i];
        if (!known->error && !measurement_of(plan, known, &measurement, &run->why))
            search_know(&run->search, &measurement);
    }
    return 0;
}

int search_run(Measurer *measurer, const SearchPlan *plan, SearchRun *run)
{
    Jobs jobs;
    *run = (SearchRun){0};
    run->error = start_search(measurer, plan, run);
    if (run->error)
        return run->error;
    run->error = open_jobs(&jobs, measurer, jobs_of(measurer, plan->jobs), &run->why);
    if (!run->error) {
        run->error = run_encodes(&jobs, run, plan);
        close_jobs(&jobs);
    }
    search_result(&run->search, &run->result);
    return run->error;
}

void search_run_free(SearchRun *run)
{
    for (size_t i = 0; i < run->n_encodes; i++)
        measured_encode_free(&run->encodes[i]);
    free(run->encodes);
    run->encodes = NULL;
    run->n_encodes = 0;
}

const MeasuredEncode *search_run_encode(const SearchRun *run, double q)
{
    for (size_t i = 0; i < run->n_encodes; i++)
        if (run->encodes[i].spec.q == q && !run->encodes[i].error)
            return &run->encodes[i];
    return NULL;
}

void search_run_explain(const SearchRun *run, const SearchPlan *plan, Message *why)
{
    char label[GATE_LABEL_SIZE], quality[16];
    if (run->error || run->result.status == SEARCH_FAILED) {
        *why = run->why;
        return;
    }
    const size_t gate = search_missed_gate(&run->search);
    tune_gate_label(&plan->gates.gate[gate], label);
    snprintf(quality, sizeof(quality), "%s", plan->spec.encoder->quality_name);
    for (char *at = quality; *at; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    search_explain(&run->search, gate, label, quality, why->text, sizeof(why->text));
}

/* -- grids -- */

int grid_run(Measurer *measurer, const EncodeSpec *specs, size_t n,
             bool (*done)(void *cookie, size_t index, MeasuredEncode *measured), void *cookie,
             Message *why)
{
    Jobs jobs;
    const size_t at_once = (size_t)jobs_of(measurer, 0);
    size_t next = 0;
    int err = open_jobs(&jobs, measurer, (int)at_once, why);
    if (err)
        return err;
    while (!err) {
        while (!err && next < n && job_queue_pending(jobs.queue) < at_once &&
               !is_interrupted(&jobs)) {
            err = start_job(&jobs, &specs[next], next, why);
            next++;
        }
        Job *job = err ? NULL : wait_for_job(&jobs);
        if (!job)
            break;
        if (measure_error_is_final(job->measured.error)) {
            err = job->measured.error;
            *why = job->measured.why;
        } else if (!done(cookie, job->index, &job->measured)) {
            err = message_set(why, -ECANCELED, "ended");
        }
        free_job(job);
    }
    if (!err && is_interrupted(&jobs))
        err = message_set(why, -ECANCELED, "interrupted");
    close_jobs(&jobs);
    return err;
}

/* -- gates of searches -- */

static SearchGate gate_for_search(const TuneGate *gate, const Encoder *encoder, int height)
{
    const KnownMetric *metric = known_metric(gate->name);
    SearchGate search = {
        .target = isnan(gate->target) ? 0 : gate->target, /* which every score of VMAF reaches */
        .lower_is_better = gate->lower_is_better,
        .is_percentage = metric->is_percentage,
        .guard = HUGE_VAL,
    };
    const double target = gate->lower_is_better ? -search.target : search.target;
    search.prior = curve_prior_unknown(&encoder->qualities, target, metric->per_step);
    if (search.is_percentage) {
        const CurvePrior mean = curve_prior_of_vmaf(encoder->name, &encoder->qualities, height);
        const bool is_mean = gate->pool == POOL_MEAN || gate->pool == POOL_HARMONIC_MEAN;
        search.prior = is_mean ? mean : curve_prior_of_low_pool(&mean);
        search.guard = is_mean ? SEARCH_DEFAULT_GUARD : HUGE_VAL;
    }
    return search;
}

void tune_gates_for_search(const TuneGates *gates, const Encoder *encoder, int height,
                           double stop_within, SearchOptions *search)
{
    search->n_gates = gates->n;
    for (size_t i = 0; i < gates->n; i++) {
        search->gates[i] = gate_for_search(&gates->gate[i], encoder, height);
        search->gates[i].stop_within = stop_within;
    }
}
