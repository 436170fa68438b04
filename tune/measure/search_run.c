/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/search_run.h"

#include "platform/time.h"
#include "tune/measure/job_queue.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- conditions -- */

static int malformed(const char *text, size_t length, Message *why)
{
    return message_set(why, -EINVAL,
                       "--require: \"%.*s\" is no NAME.POOL>=NUMBER, with a pool of mean, "
                       "harmonic_mean, min, p1, p5 or p10 (<= for scores of which less is better)",
                       (int)length, text);
}

/* NAME.POOL, of which names may contain points. */
static bool parse_name(TuneGate *gate, const char *text, size_t length)
{
    char name[GATE_NAME_SIZE];
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    char *point = strrchr(name, '.');
    if (!point || point == name)
        return false;
    *point = '\0';
    strcpy(gate->name, name);
    return score_pool_named(point + 1, &gate->pool);
}

static int parse_gate(TuneGates *gates, const char *text, size_t length, Message *why)
{
    const size_t name_length = strcspn(text, "<>");
    char *end;
    if (gates->n == SEARCH_MAX_GATES)
        return message_set(why, -EINVAL, "--require: at most %d conditions", SEARCH_MAX_GATES);
    TuneGate *gate = &gates->gate[gates->n];
    if (name_length + 2 >= length || text[name_length + 1] != '=' ||
        !parse_name(gate, text, name_length))
        return malformed(text, length, why);
    gate->lower_is_better = text[name_length] == '<';
    gate->target = strtod(text + name_length + 2, &end);
    if (end != text + length || !isfinite(gate->target))
        return malformed(text, length, why);
    gates->n++;
    return 0;
}

int tune_gates_parse(TuneGates *gates, const char *text, Message *why)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        const int err = parse_gate(gates, text, length, why);
        if (err || !text[length])
            return err;
        text += length + 1;
    }
}

/* True if pool `a` of any scores is never above pool `b` of the same scores. */
static bool is_never_above(ScorePool a, ScorePool b)
{
    const bool are_percentiles = a >= POOL_MIN && b >= POOL_MIN;
    return a == b || (are_percentiles && a < b) || a == POOL_MIN ||
           (a == POOL_HARMONIC_MEAN && b == POOL_MEAN);
}

static bool contradict(const TuneGate *least, const TuneGate *most)
{
    return !least->lower_is_better && most->lower_is_better && !strcmp(least->name, most->name) &&
           is_never_above(least->pool, most->pool) && least->target > most->target;
}

int tune_gates_check(const TuneGates *gates, Message *why)
{
    for (size_t i = 0; i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        char label[GATE_LABEL_SIZE], other[GATE_LABEL_SIZE];
        tune_gate_label(gate, label);
        if (!strcmp(gate->name, "vmaf") && !gate->lower_is_better && gate->target > 100)
            return message_set(why, -EINVAL, "%s %g cannot be reached: the scale ends at 100",
                               label, gate->target);
        for (size_t k = 0; k < gates->n; k++) {
            if (!contradict(gate, &gates->gate[k]))
                continue;
            tune_gate_label(&gates->gate[k], other);
            return message_set(why, -EINVAL,
                               "no encode can have both %s of at least %g and %s of at most %g",
                               label, gate->target, other, gates->gate[k].target);
        }
    }
    return 0;
}

void tune_gate_label(const TuneGate *gate, char label[GATE_LABEL_SIZE])
{
    const bool is_vmaf = !strcmp(gate->name, "vmaf");
    const char *name = is_vmaf ? "VMAF" : gate->name;
    if (is_vmaf && gate->pool == POOL_MEAN)
        snprintf(label, GATE_LABEL_SIZE, "%s", name);
    else
        snprintf(label, GATE_LABEL_SIZE, "%s %s", name, score_pool_name(gate->pool));
}

/* Means of windows, weighted; -ENOENT if the windows are not those that were measured. */
static int weighted_mean(const TuneGates *gates, const MeasuredEncode *measured, const char *name,
                         double *mean)
{
    const ScoreSeries *series = encode_scores_find(&measured->scores, name);
    double sum = 0, weight = 0;
    size_t frame = 0;
    for (size_t i = 0; series && i < gates->n_windows; i++) {
        const SampleWindow *window = &gates->windows[i];
        PooledScores pooled;
        if (frame + window->frames > measured->scores.frames ||
            pool_scores(series->values + frame, window->frames, &pooled))
            return -ENOENT;
        sum += pooled.mean * (double)window->stands_for;
        weight += (double)window->stands_for;
        frame += window->frames;
    }
    *mean = sum / weight;
    return series && weight > 0 ? 0 : -ENOENT;
}

int tune_gates_values(const TuneGates *gates, const MeasuredEncode *measured,
                      double values[SEARCH_MAX_GATES], Message *why)
{
    for (size_t i = 0; i < gates->n; i++) {
        PooledScores pooled;
        const int err = measured_pool(measured, gates->gate[i].name, &pooled);
        if (err)
            return message_set(why, err,
                               "there are no scores of \"%s\" that could be pooled (--feature adds "
                               "metrics)",
                               gates->gate[i].name);
        values[i] = pooled_score(&pooled, gates->gate[i].pool);
        if (gates->n_windows && gates->gate[i].pool == POOL_MEAN &&
            weighted_mean(gates, measured, gates->gate[i].name, &values[i]))
            return message_set(why, -ENOENT, "the scores of \"%s\" are of other frames",
                               gates->gate[i].name);
    }
    return 0;
}

/* How much scores fall with a step of CRF, roughly, for metrics whose names begin so; the first
 * match counts. Percentages have the prior of VMAF instead. */
static const struct {
    const char *begin;
    double per_step;
    bool is_percentage;
} metrics[] = {
    {"vmaf", 1.5, true},          {"ssimulacra2", 2, false}, {"psnr", 0.5, false},
    {"float_ssim", 0.003, false}, {"ssim", 0.003, false},    {"float_ms_ssim", 0.002, false},
    {"ciede", 0.4, false},        {"cambi", 0.2, false},
};

enum { N_METRICS = sizeof metrics / sizeof *metrics };

static SearchGate gate_for_search(const TuneGate *gate, const Encoder *encoder, int height)
{
    const char *name = score_plain_name(gate->name);
    SearchGate search = {
        .target = isnan(gate->target) ? 0 : gate->target, /* which every score of VMAF reaches */
        .lower_is_better = gate->lower_is_better,
        .guard = HUGE_VAL,
    };
    double per_step = 0.1;
    for (int i = 0; i < N_METRICS; i++) {
        if (strncmp(name, metrics[i].begin, strlen(metrics[i].begin)))
            continue;
        per_step = metrics[i].per_step;
        search.is_percentage = metrics[i].is_percentage;
        break;
    }
    const double target = gate->lower_is_better ? -search.target : search.target;
    search.prior = curve_prior_unknown(&encoder->knob, target, per_step);
    if (search.is_percentage) {
        const CurvePrior mean = curve_prior_of_vmaf(encoder->name, &encoder->knob, height);
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
    int err = job ? 0 : -ENOMEM;
    if (job) {
        job->measurer = jobs->measurer;
        job->spec = *spec;
        job->index = index;
        err = job_queue_submit(jobs->queue, job);
    }
    if (err) {
        free(job);
        return message_set(why, err, "out of memory");
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

/* The next job that is finished, to be freed. NULL: none is under way. */
static Job *wait_for_job(Jobs *jobs)
{
    while (job_queue_pending(jobs->queue)) {
        Job *job = job_queue_wait(jobs->queue, WAIT_MS);
        if (is_interrupted(jobs))
            stop_all(jobs);
        if (!job)
            continue;
        for (Job **place = &jobs->first; *place; place = &(*place)->next)
            if (*place == job) {
                *place = job->next;
                break;
            }
        return job;
    }
    return NULL;
}

static void close_jobs(Jobs *jobs)
{
    stop_all(jobs);
    for (Job *job; (job = wait_for_job(jobs));) {
        measured_encode_free(&job->measured);
        free(job);
    }
    job_queue_destroy(jobs->queue);
}

/* -- searches -- */

static int keep_encode(SearchRun *run, const MeasuredEncode *measured)
{
    MeasuredEncode *grown = realloc(run->encodes, (run->n_encodes + 1) * sizeof(*run->encodes));
    if (!grown)
        return -ENOMEM;
    run->encodes = grown;
    grown[run->n_encodes++] = *measured;
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
    const int q = measured->spec.q;
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

static void stop_unneeded(const Jobs *jobs, const Search *search)
{
    for (Job *job = jobs->first; job; job = job->next)
        if (search_is_unneeded(search, job->spec.q))
            atomic_store(&job->stop, true);
}

static int finish_job(Jobs *jobs, SearchRun *run, const SearchPlan *plan, Job *job)
{
    int err = report(run, plan, &job->measured);
    if (job->measured.error == -ECANCELED)
        measured_encode_free(&job->measured);
    else if (!err || job->measured.error)
        err = keep_encode(run, &job->measured) ? -ENOMEM : err;
    else
        measured_encode_free(&job->measured);
    stop_unneeded(jobs, &run->search);
    free(job);
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
    if (options.knob.lowest == options.knob.highest)
        options.knob = plan->spec.encoder->knob;
    options.jobs = jobs_of(measurer, plan->jobs ? plan->jobs : options.jobs);
    const int err = search_start(&run->search, &options);
    if (err)
        return message_set(&run->why, err, "%s cannot be searched from %s %d to %d",
                           plan->spec.encoder->name, plan->spec.encoder->knob_name, options.first,
                           options.last);
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

const MeasuredEncode *search_run_encode(const SearchRun *run, int q)
{
    for (size_t i = 0; i < run->n_encodes; i++)
        if (run->encodes[i].spec.q == q && !run->encodes[i].error)
            return &run->encodes[i];
    return NULL;
}

void search_run_explain(const SearchRun *run, const SearchPlan *plan, Message *why)
{
    char label[GATE_LABEL_SIZE], knob[16];
    if (run->error || run->result.status == SEARCH_FAILED) {
        *why = run->why;
        return;
    }
    const size_t gate = search_missed_gate(&run->search);
    tune_gate_label(&plan->gates.gate[gate], label);
    size_t n = 0;
    for (const char *name = plan->spec.encoder->knob_name; name[n] && n < sizeof knob - 1; n++)
        knob[n] = (char)(name[n] >= 'a' && name[n] <= 'z' ? name[n] - 'a' + 'A' : name[n]);
    knob[n] = '\0';
    search_explain(&run->search, gate, label, knob, why->text, sizeof why->text);
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
        measured_encode_free(&job->measured);
        free(job);
    }
    if (!err && is_interrupted(&jobs))
        err = message_set(why, -ECANCELED, "interrupted");
    close_jobs(&jobs);
    return err;
}
