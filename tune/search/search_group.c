/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/search_plan.h"

#include "tune/search/choice.h"
#include "tune/search/search_run.h"

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

static int search_one(Measurer *measurer, SearchGroup *group, size_t target, int jobs)
{
    SearchRun *run = &group->runs[target];
    SearchPlan plan = search_group_plan(group, measurer_source(measurer), target);
    MeasuredEncode *known = NULL; /* what these point to stays the group's */
    const MeasuredEncode *encode;
    while ((encode = search_group_encode(group, plan.n_known))) {
        MeasuredEncode *more = realloc(known, (plan.n_known + 1) * sizeof(*known));
        if (!more) {
            free(known);
            return run->error = message_set(&run->why, -ENOMEM, "out of memory");
        }
        known = more;
        known[plan.n_known++] = *encode;
    }
    plan.known = known;
    plan.jobs = jobs;
    search_run(measurer, &plan, run);
    free(known);
    return run->error;
}

typedef struct GroupJob {
    SearchGroup *group;
    int jobs;
    const SearchRun *failed; /* so that nothing more can be measured; NULL: none has */
} GroupJob;

static void search_all(void *cookie, void *argument)
{
    GroupJob *job = argument;
    for (size_t i = 0; i < job->group->n_targets && !job->failed; i++)
        if (is_common(search_one(cookie, job->group, i, job->jobs)))
            job->failed = &job->group->runs[i];
}

static int search_groups(Measurer *measurer, SearchGroup *groups, size_t n, int at_once,
                         Message *why)
{
    const int encodes = measurer_options(measurer)->jobs > 0 ? measurer_options(measurer)->jobs : 1;
    int workers = at_once > 0 && at_once < encodes ? at_once : encodes;
    workers = (size_t)workers > n ? (int)n : workers;
    JobQueue *queue;
    GroupJob *jobs = calloc(n, sizeof(*jobs));
    const SearchRun *failed = NULL;
    int err = jobs ? job_queue_create(&queue, workers, search_all, measurer) : -ENOMEM;
    if (err) {
        free(jobs);
        return message_set(why, err, "no thread could be started");
    }
    for (size_t i = 0; i < n && !err; i++) {
        /* The groups that begin at once share all encodes; later ones get the smallest share. */
        const int share = encodes / workers + (i < (size_t)(encodes % workers));
        jobs[i] = (GroupJob){.group = &groups[i], .jobs = share};
        err = job_queue_submit(queue, &jobs[i]);
    }
    while (job_queue_pending(queue)) {
        const GroupJob *job = job_queue_wait(queue, WAIT_MS);
        if (job && job->failed && !failed)
            failed = job->failed;
    }
    job_queue_destroy(queue);
    free(jobs);
    if (!failed)
        return err ? message_set(why, err, "out of memory") : 0;
    *why = failed->why;
    return failed->error;
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
    const double score = values[0];
    if (!isnan(gates->gate[0].target))
        values[0] = gates->gate[0].target;
    if (tune_gates_reached(gates, values))
        point.score = gates->gate[0].lower_is_better ? -score : score;
    return point;
}

/* The cheapest of the sweep that reaches a target. */
static void choose_from_sweep(const SearchGroup *group, const SearchRun *sweep,
                              const EncodePoint *points, size_t target)
{
    SearchRun *run = &group->runs[target];
    const Encoder *encoder = group->plan.spec.encoder;
    const TuneGate *gate = &group->plan.gates.gate[0];
    const double sign = gate->lower_is_better ? -1 : 1;
    const double wanted = isnan(group->targets[target]) ? 0 : sign * group->targets[target];
    const Choice choice = choose_cheapest(&encoder->qualities, points, sweep->n_encodes, wanted);
    const EncodePoint *best = &points[choice.index];
    run->error = 0;
    run->result = (SearchResult){.status = SEARCH_FAILED, .best_q = -1, .converged = true};
    run->result.n_iterations = target ? 0 : (int)sweep->n_encodes;
    if (choice.status == CHOICE_MET) {
        run->result.status = SEARCH_FOUND;
        run->result.ok = true;
        run->result.best_q = best->q;
        run->result.best = (Measurement){
            .q = best->q,
            .values = {sign * best->score},
            .kbps = best->kbps,
            .encode_ms = sweep->encodes[choice.index].outcome.wall_ms,
        };
        return;
    }
    message_set(&run->why, 0, "nothing of the sweep could be measured, or meets all --require");
    for (size_t i = 0; i < sweep->n_encodes; i++)
        if (sweep->encodes[i].error)
            run->why = sweep->encodes[i].why;
    if (choice.status == CHOICE_UNMET) {
        char label[GATE_LABEL_SIZE];
        tune_gate_label(gate, label);
        message_set(&run->why, 0, "no %s of the sweep reaches %s %g (best: %.3f at %g)",
                    encoder->quality_name, label, sign * wanted, sign * best->score, best->q);
    }
}

static int sweep_one(Measurer *measurer, SearchGroup *group, Message *why)
{
    SearchRun *run = &group->runs[0];
    EncodeSpec *specs = calloc(group->n_sweep, sizeof(*specs));
    EncodePoint *points = calloc(group->n_sweep, sizeof(*points));
    run->encodes = calloc(group->n_sweep, sizeof(*run->encodes));
    int err = specs && points && run->encodes ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < group->n_sweep && !err; i++) {
        specs[i] = group->plan.spec;
        specs[i].q = group->sweep[i];
    }
    if (!err)
        err = grid_run(measurer, specs, group->n_sweep, take_encode, run, why);
    for (size_t i = 0; i < run->n_encodes; i++)
        points[i] = search_group_point(&group->plan.gates, &run->encodes[i]);
    for (size_t i = 0; i < group->n_targets && !is_common(err); i++) {
        choose_from_sweep(group, run, points, i);
        if (err && !group->runs[i].result.ok)
            group->runs[i].why = *why;
    }
    free(points);
    free(specs);
    return err;
}

int search_groups_run(Measurer *measurer, SearchGroup *groups, size_t n, int at_once, Message *why)
{
    int err = 0;
    if (n && !groups[0].n_sweep)
        return search_groups(measurer, groups, n, at_once, why);
    for (size_t i = 0; i < n && !is_common(err); i++)
        err = sweep_one(measurer, &groups[i], why);
    return is_common(err) ? err : 0;
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
