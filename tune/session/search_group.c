/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/session/search.h"

#include "tune/engine/choice.h"
#include "tune/measure/search_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { WAIT_MS = 1000 };

int search_group_prepare(SearchGroup *group)
{
    group->runs = calloc(group->n_targets, sizeof(*group->runs));
    if (!group->runs)
        return -ENOMEM;
    for (size_t i = 0; i < group->n_targets; i++) {
        group->runs[i].result.best_q = -1;
        group->runs[i].error = message_set(&group->runs[i].why, -ECANCELED, "interrupted");
    }
    return 0;
}

void search_group_free(SearchGroup *group)
{
    for (size_t i = 0; group->runs && i < group->n_targets; i++)
        search_run_free(&group->runs[i]);
    free(group->runs);
    group->runs = NULL;
}

SearchPlan search_group_plan(const SearchGroup *group, const TuneSource *source, size_t target)
{
    SearchPlan plan = group->plan;
    search_set_target(&plan, source, group->choice, group->targets[target]);
    return plan;
}

const MeasuredEncode *search_group_encode(const SearchGroup *group, size_t index)
{
    for (size_t i = 0; group->runs && i < group->n_targets; i++) {
        if (index < group->runs[i].n_encodes)
            return &group->runs[i].encodes[index];
        index -= group->runs[i].n_encodes;
    }
    return NULL;
}

const MeasuredEncode *search_group_best(const SearchGroup *group, size_t target)
{
    const SearchRun *run = &group->runs[target];
    const MeasuredEncode *best = NULL;
    if (run->error || !run->result.ok)
        return NULL;
    for (size_t i = 0; !best && i < group->n_targets; i++)
        best = search_run_encode(&group->runs[i], run->result.best_q);
    return best;
}

/* An error that all others would meet as well. */
static bool is_common(int error)
{
    return error == -ECANCELED || error == -ENODEV || error == -ENOMEM || error == -ENOSPC;
}

/* -- searches -- */

static size_t count_encodes(const SearchRun *runs, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += runs[i].n_encodes;
    return count;
}

/* What the searches before this one have measured. What it points to stays theirs. */
static MeasuredEncode *known_before(const SearchGroup *group, size_t target, size_t *n)
{
    MeasuredEncode *known = malloc((count_encodes(group->runs, target) + 1) * sizeof(*known));
    *n = 0;
    for (size_t i = 0; known && i < target; i++)
        for (size_t e = 0; e < group->runs[i].n_encodes; e++)
            known[(*n)++] = group->runs[i].encodes[e];
    return known;
}

static int search_one(Measurer *measurer, SearchGroup *group, size_t target, int jobs)
{
    SearchRun *run = &group->runs[target];
    SearchPlan plan = search_group_plan(group, measurer_source(measurer), target);
    MeasuredEncode *known = known_before(group, target, &plan.n_known);
    if (!known)
        return run->error = message_set(&run->why, -ENOMEM, "out of memory");
    plan.known = known;
    plan.jobs = jobs;
    search_run(measurer, &plan, run);
    free(known);
    return run->error;
}

typedef struct GroupJob {
    Measurer *measurer;
    SearchGroup *group;
    int jobs;
    int error;
    Message why;
} GroupJob;

static void search_all(void *cookie, void *argument)
{
    GroupJob *job = argument;
    SearchGroup *group = job->group;
    (void)cookie;
    for (size_t i = 0; i < group->n_targets; i++) {
        SearchRun *run = &group->runs[i];
        const int err = run->error = search_one(job->measurer, group, i, job->jobs);
        if (is_common(err)) {
            job->error = err;
            job->why = run->why;
            break;
        }
    }
}

static int wait_for_all(JobQueue *queue, Message *why)
{
    int err = 0;
    while (job_queue_pending(queue)) {
        const GroupJob *job = job_queue_wait(queue, WAIT_MS);
        if (job && job->error && !err) {
            err = job->error;
            *why = job->why;
        }
    }
    return err;
}

static int search_groups(Measurer *measurer, SearchGroup *groups, size_t n, int at_once,
                         Message *why)
{
    const int encodes = measurer_options(measurer)->jobs > 0 ? measurer_options(measurer)->jobs : 1;
    int workers = at_once > 0 && at_once < encodes ? at_once : encodes;
    workers = (size_t)workers > n ? (int)n : workers;
    JobQueue *queue;
    GroupJob *jobs = calloc(n, sizeof(*jobs));
    int err = jobs ? job_queue_create(&queue, workers, search_all, NULL) : -ENOMEM;
    if (err) {
        free(jobs);
        return message_set(why, err, "no thread could be started");
    }
    for (size_t i = 0; i < n && !err; i++) {
        /* The groups that begin at once share all encodes; later ones get the smallest share. */
        const int share = encodes / workers + (i < (size_t)(encodes % workers));
        jobs[i] = (GroupJob){.measurer = measurer, .group = &groups[i], .jobs = share};
        err = job_queue_submit(queue, &jobs[i]);
    }
    const int failed = wait_for_all(queue, why);
    job_queue_destroy(queue);
    free(jobs);
    if (failed)
        return failed;
    return err ? message_set(why, err, "out of memory") : 0;
}

/* -- sweeps -- */

static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    SearchRun *run = cookie;
    (void)index;
    run->encodes[run->n_encodes++] = *measured;
    *measured = (MeasuredEncode){0};
    return true;
}

static bool passes(const TuneGate *gate, double value)
{
    return gate->lower_is_better ? value <= gate->target : value >= gate->target;
}

EncodePoint search_group_point(const TuneGates *gates, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    EncodePoint point = {
        .width = encode->spec.width,
        .height = encode->spec.height,
        .q = encode->spec.q,
        .kbps = encode->kbps,
        .score = NAN,
    };
    if (encode->error || tune_gates_values(gates, encode, values, &why))
        return point;
    point.score = values[0];
    for (size_t i = 1; i < gates->n; i++)
        if (!passes(&gates->gate[i], values[i]))
            point.score = NAN;
    return point;
}

static void choose_from_sweep(const SearchGroup *group, const SearchRun *sweep,
                              const EncodePoint *points, size_t target)
{
    SearchRun *run = &group->runs[target];
    const Encoder *encoder = group->plan.spec.encoder;
    const double wanted = isnan(group->targets[target]) ? 0 : group->targets[target];
    const Choice choice = choose_cheapest(&encoder->qualities, points, sweep->n_encodes, wanted);
    SearchResult *result = &run->result;
    run->error = 0;
    *result = (SearchResult){.status = SEARCH_FAILED, .best_q = -1, .converged = true};
    result->n_iterations = target ? 0 : (int)sweep->n_encodes;
    if (choice.status == CHOICE_NONE) {
        message_set(&run->why, 0, "nothing of the sweep could be measured, or meets all --require");
        for (size_t i = 0; i < sweep->n_encodes; i++)
            if (sweep->encodes[i].error)
                run->why = sweep->encodes[i].why;
        return;
    }
    const EncodePoint *best = &points[choice.index];
    if (choice.status == CHOICE_UNMET) {
        message_set(&run->why, 0, "no %s of the sweep reaches VMAF %g (best: %.3f at %g)",
                    encoder->quality_name, wanted, best->score, best->q);
        return;
    }
    result->status = SEARCH_FOUND;
    result->ok = true;
    result->best_q = best->q;
    result->best = (Measurement){
        .q = best->q,
        .values = {best->score},
        .kbps = best->kbps,
        .encode_ms = sweep->encodes[choice.index].outcome.wall_ms,
    };
}

/* Answers all targets. */
static int conclude_sweep(SearchGroup *group)
{
    const SearchRun *sweep = &group->runs[0];
    EncodePoint *points = calloc(sweep->n_encodes + 1, sizeof(*points));
    if (!points)
        return -ENOMEM;
    for (size_t i = 0; i < sweep->n_encodes; i++)
        points[i] = search_group_point(&group->plan.gates, &sweep->encodes[i]);
    for (size_t i = 0; i < group->n_targets; i++)
        choose_from_sweep(group, sweep, points, i);
    free(points);
    return 0;
}

static int sweep_one(Measurer *measurer, SearchGroup *group, Message *why)
{
    SearchRun *run = &group->runs[0];
    EncodeSpec *specs = calloc(group->n_sweep, sizeof(*specs));
    run->encodes = calloc(group->n_sweep, sizeof(*run->encodes));
    int err = specs && run->encodes ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < group->n_sweep && !err; i++) {
        specs[i] = group->plan.spec;
        specs[i].q = group->sweep[i];
    }
    if (!err)
        err = grid_run(measurer, specs, group->n_sweep, take_encode, run, why);
    free(specs);
    if (is_common(err))
        return err;
    const int failed = conclude_sweep(group);
    for (size_t i = 0; err && i < group->n_targets; i++)
        if (!group->runs[i].result.ok)
            group->runs[i].why = *why;
    return failed ? message_set(why, failed, "out of memory") : err;
}

int search_groups_run(Measurer *measurer, SearchGroup *groups, size_t n, int at_once, Message *why)
{
    if (!n)
        return 0;
    if (!groups[0].n_sweep)
        return search_groups(measurer, groups, n, at_once, why);
    for (size_t i = 0; i < n; i++) {
        const int err = sweep_one(measurer, &groups[i], why);
        if (is_common(err))
            return err;
    }
    return 0;
}

int search_group_print_commands(const Session *session, Measurer *measurer,
                                const SearchGroup *group)
{
    int status = 0;
    if (!group->n_sweep)
        return session_print_example(session, measurer, &group->plan.spec);
    for (size_t i = 0; i < group->n_sweep && !status; i++) {
        EncodeSpec spec = group->plan.spec;
        spec.q = group->sweep[i];
        status = session_print_commands(session, measurer, &spec);
    }
    return status;
}
