/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot_internal.h"

#include "platform/machine.h"
#include "tune/engine/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far the position of the next shot is from that of a shot, in steps of the quality parameter:
 * less than between videos, but cuts change what is seen. */
static const double neighbour_sd = 3;

int shot_tuning_set(ShotTuning *tuning, const Shot *shots, size_t n)
{
    tuning->shots = calloc(n, sizeof(*tuning->shots));
    if (!tuning->shots)
        return session_fail(tuning->session, -ENOMEM, "out of memory");
    tuning->n = n;
    for (size_t i = 0; i < n; i++) {
        const size_t frames = shot_frames(&shots[i]);
        tuning->shots[i].shot = shots[i];
        tuning->shots[i].window = (SampleWindow){shots[i].first, frames, frames};
    }
    return 0;
}

void tuned_shot_free(TunedShot *shot)
{
    for (size_t i = 0; i < shot->n_encodes; i++)
        measured_encode_free(&shot->encodes[i]);
    free(shot->encodes);
    *shot = (TunedShot){0};
}

void shot_tuning_free(ShotTuning *tuning)
{
    for (size_t i = 0; i < tuning->n; i++)
        tuned_shot_free(&tuning->shots[i]);
    free(tuning->shots);
    tuning->shots = NULL;
    tuning->n = 0;
}

/* -- encodes of a shot -- */

/* Takes an encode over. 0; -ENOMEM, and it is freed. */
static int tuned_shot_keep(TunedShot *shot, MeasuredEncode *encode)
{
    MeasuredEncode *grown = realloc(shot->encodes, (shot->n_encodes + 1) * sizeof(*grown));
    if (!grown) {
        measured_encode_free(encode);
        return -ENOMEM;
    }
    shot->encodes = grown;
    grown[shot->n_encodes++] = *encode;
    *encode = (MeasuredEncode){0};
    return 0;
}

const MeasuredEncode *tuned_shot_chosen(const TunedShot *shot)
{
    return &shot->encodes[shot->chosen];
}

/* The encode of that quality that has scores; n_encodes: there is none. */
static size_t tuned_shot_find(const TunedShot *shot, double q)
{
    size_t i = 0;
    while (i < shot->n_encodes && (shot->encodes[i].error || shot->encodes[i].spec.q != q))
        i++;
    return i;
}

const char *shot_mark_name(ShotMark mark)
{
    static const char *const names[] = {"ok", "unreachable", "exhausted", "non_monotonic"};
    return names[mark];
}

double shot_mean_vmaf(const MeasuredEncode *encode)
{
    PooledScores pooled;
    return measured_pool(encode, "vmaf", &pooled) ? NAN : pooled.mean;
}

bool shot_gates_hold(const TuneGates *gates, const MeasuredEncode *encode,
                     bool holds[SEARCH_MAX_GATES])
{
    double values[SEARCH_MAX_GATES] = {0};
    Message why;
    const bool has_values = !tune_gates_values(gates, encode, values, &why);
    bool hold_all = has_values;
    for (size_t i = 0; i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        const double over =
            gate->lower_is_better ? gate->target - values[i] : values[i] - gate->target;
        holds[i] = has_values && (isnan(gate->target) || over >= 0);
        hold_all = hold_all && holds[i];
    }
    return hold_all;
}

size_t shot_refuted(const TunedShot *shot, const TuneGates *gates, bool holds[SEARCH_MAX_GATES])
{
    size_t dearest = shot->n_encodes;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const MeasuredEncode *encode = &shot->encodes[i];
        if (!encode->error && !shot_gates_hold(gates, encode, holds) &&
            (dearest == shot->n_encodes ||
             encode->stream_bytes > shot->encodes[dearest].stream_bytes))
            dearest = i;
    }
    if (dearest < shot->n_encodes)
        shot_gates_hold(gates, &shot->encodes[dearest], holds);
    return dearest;
}

double shot_least_vmaf(const ShotTuning *tuning, const MeasuredEncode *whole)
{
    const ScoreSeries *series = encode_scores_find(&whole->scores, "vmaf");
    double least = NAN;
    for (size_t i = 0; i < tuning->n && series; i++) {
        const Shot *shot = &tuning->shots[i].shot;
        double sum = 0;
        if (shot->end > whole->scores.frames)
            return NAN;
        for (size_t frame = shot->first; frame < shot->end; frame++)
            sum += series->values[frame];
        least = fmin(least, sum / (double)shot_frames(shot)); /* of NAN and a number, the number */
    }
    return least;
}

double shot_expected_p1(const ShotTuning *tuning)
{
    const size_t frames = tuning->shots[tuning->n - 1].shot.end;
    double *values = malloc(frames * sizeof(*values));
    PooledScores pooled = {.p1 = NAN};
    bool is_complete = values != NULL;
    for (size_t i = 0; i < tuning->n && is_complete; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const EncodeScores *scores = &tuned_shot_chosen(shot)->scores;
        const ScoreSeries *series = encode_scores_find(scores, "vmaf");
        is_complete = series && scores->frames == shot_frames(&shot->shot);
        if (is_complete)
            memcpy(&values[shot->shot.first], series->values, scores->frames * sizeof(*values));
    }
    if (is_complete)
        pool_scores(values, frames, &pooled);
    free(values);
    return pooled.p1;
}

ShotTotals shot_totals(const ShotTuning *tuning)
{
    ShotTotals totals = {.least = NAN};
    for (size_t i = 0; i < tuning->n; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const MeasuredEncode *encode = tuned_shot_chosen(shot);
        const double frames = (double)shot_frames(&shot->shot);
        totals.frames += shot_frames(&shot->shot);
        totals.missed += shot->mark == SHOT_UNREACHABLE || shot->mark == SHOT_EXHAUSTED;
        totals.bytes += encode->stream_bytes;
        totals.vmaf += shot_mean_vmaf(encode) * frames;
        totals.least = fmin(totals.least, shot_mean_vmaf(encode));
    }
    const FrameRate rate = tuning->source->rate;
    const double seconds = (double)totals.frames * rate.denominator / rate.numerator;
    totals.vmaf /= (double)totals.frames;
    totals.kbps = (double)totals.bytes * 8 / 1000 / seconds;
    return totals;
}

/* -- what all have in common -- */

int shot_tuning_prepare(ShotTuning *tuning)
{
    const SessionPart first = {.windows = &tuning->shots[0].window, .n = 1};
    SessionMeasurer measurer;
    const int status = session_open_measurer(tuning->session, tuning->source, &first, &measurer);
    if (!status) {
        tuning->options = *measurer_options(measurer.measurer);
        tuning->hdr = measurer.hdr;
        memcpy(tuning->model, measurer.model, sizeof tuning->model);
        tuning->is_calibrated = measurer.is_calibrated;
        tuning->options.hdr = tuning->options.hdr ? &tuning->hdr : NULL;
        tuning->options.score.model = tuning->model;
    }
    session_close_measurer(&measurer);
    return status;
}

ShotTuning shot_tuning_of_whole(const ShotTuning *tuning)
{
    const int processors = (int)vmaf_processors_usable(), threads = tuning->whole_threads;
    const int most = threads < processors ? processors / threads : 1;
    ShotTuning whole = *tuning;
    whole.options.ffmpeg_threads = threads;
    whole.options.jobs = tuning->options.jobs < most ? tuning->options.jobs : most;
    whole.options.score.threads = tuning->session->options->score_threads;
    return whole;
}

int shot_fail(ShotTuning *tuning, int error, const char *what)
{
    if (atomic_exchange(&tuning->has_failed, true))
        return TUNE_NO_RESULT;
    tuning->status = session_fail(tuning->session, error, what);
    return tuning->status;
}

/* -- workers -- */

typedef struct Worker {
    ShotTuning *tuning;
    int (*work)(ShotTuning *tuning, TunedShot *shot);
    size_t first;
} Worker;

size_t shot_workers(const ShotTuning *tuning)
{
    const size_t jobs = tuning->options.jobs > 1 ? (size_t)tuning->options.jobs : 1;
    return jobs < tuning->n ? jobs : tuning->n;
}

static void follow(void *cookie, void *job)
{
    (void)cookie;
    const Worker *worker = job;
    ShotTuning *tuning = worker->tuning;
    const size_t step = shot_workers(tuning);
    for (size_t i = worker->first; i < tuning->n && !atomic_load(&tuning->has_failed); i += step)
        if (worker->work(tuning, &tuning->shots[i]))
            break;
}

int shot_tuning_each(ShotTuning *tuning, int (*work)(ShotTuning *tuning, TunedShot *shot))
{
    const size_t n = shot_workers(tuning);
    Worker *workers = calloc(n, sizeof(*workers));
    JobQueue *queue = NULL;
    int err = workers ? job_queue_create(&queue, (int)n, follow, NULL) : -ENOMEM;
    for (size_t i = 0; i < n && !err; i++) {
        workers[i] = (Worker){tuning, work, i};
        err = job_queue_submit(queue, &workers[i]);
    }
    if (err)
        shot_fail(tuning, err, "workers cannot be started");
    job_queue_destroy(queue);
    free(workers);
    return tuning->status;
}

/* Memory and processors are shared by those that work at the same time. */
static int open_measurer(ShotTuning *tuning, const MeasuredPart *part, MeasureOptions *options,
                         Measurer **measurer)
{
    Message why;
    *options = tuning->options;
    *measurer = NULL;
    if (tuning->n > 1 && part->windows->frames < tuning->source->frames)
        options->reference_memory /= shot_workers(tuning);
    const int err = measurer_open(measurer, tuning->source, part, options, &why);
    return err ? shot_fail(tuning, err, why.text) : 0;
}

/* What the shot before teaches of the main score. */
static void learn(const ShotTuning *tuning, const TunedShot *before, SearchPlan *plan)
{
    CurvePoint points[CURVE_MAX_POINTS];
    size_t n = 0;
    const QualityRange *qualities = &plan->search.qualities;
    const double steps = quality_steps(qualities);
    SearchGate *gate = &plan->search.gates[0];
    for (size_t i = 0; i < before->n_encodes && n < CURVE_MAX_POINTS; i++) {
        double values[SEARCH_MAX_GATES];
        Message why;
        const MeasuredEncode *encode = &before->encodes[i];
        if (encode->error || tune_gates_values(&tuning->plan.gates, encode, values, &why))
            continue;
        points[n++] = (CurvePoint){quality_index(qualities, encode->spec.q) / steps, values[0]};
    }
    gate->prior = curve_prior_of_neighbour(&gate->prior, points, n, neighbour_sd);
    if (plan->search.strategy == SEARCH_BISECT) {
        plan->search.has_start = true;
        plan->search.start = tuned_shot_chosen(before)->spec.q;
    }
}

static double best_quality(const SearchPlan *plan)
{
    const double first = plan->search.first, last = plan->search.last;
    const bool takes_first = quality_index(&plan->spec.encoder->qualities, first) <
                             quality_index(&plan->spec.encoder->qualities, last);
    return takes_first ? first : last;
}

static ShotMark mark_of(const SearchResult *result)
{
    if (result->ok)
        return SHOT_REACHED;
    if (result->status == SEARCH_EXHAUSTED)
        return SHOT_EXHAUSTED;
    return result->status == SEARCH_NON_MONOTONIC ? SHOT_NON_MONOTONIC : SHOT_UNREACHABLE;
}

static int measure_one(ShotTuning *tuning, Measurer *measurer, double q, TunedShot *shot)
{
    MeasuredEncode measured;
    EncodeSpec spec = tuning->plan.spec;
    spec.q = q;
    measure_encode(measurer, &spec, NULL, &measured);
    if (measured.error) {
        const int status = shot_fail(tuning, measured.error, measured.why.text);
        measured_encode_free(&measured);
        return status;
    }
    return tuned_shot_keep(shot, &measured) ? shot_fail(tuning, -ENOMEM, "out of memory") : 0;
}

/* Where scores or sizes are not monotonic, a cheaper encode than the search's answer may have been
 * measured on its way. n_encodes: none reaches what is asked for. */
static size_t cheapest_that_holds(const TuneGates *gates, const TunedShot *shot)
{
    size_t best = shot->n_encodes;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const MeasuredEncode *encode = &shot->encodes[i];
        bool holds[SEARCH_MAX_GATES];
        if (!encode->error && shot_gates_hold(gates, encode, holds) &&
            (best == shot->n_encodes || encode->stream_bytes < shot->encodes[best].stream_bytes))
            best = i;
    }
    return best;
}

/* The cheapest encode that reaches what is asked for, or the best quality that there is. */
static int choose(ShotTuning *tuning, Measurer *measurer, const SearchPlan *plan,
                  const SearchResult *result, TunedShot *shot)
{
    const bool has_answer =
        result->best_q >= 0 && (result->ok || result->status == SEARCH_NON_MONOTONIC);
    const double q = has_answer ? result->best_q : best_quality(&tuning->plan);
    int status = 0;
    shot->mark = mark_of(result);
    shot->n_iterations = result->n_iterations;
    shot->converged = result->converged;
    shot->chosen = cheapest_that_holds(&plan->gates, shot);
    if (shot->chosen < shot->n_encodes) {
        if (result->status == SEARCH_TOO_LARGE)
            shot->mark = SHOT_REACHED;
        return 0;
    }
    if (result->status == SEARCH_TOO_LARGE) { /* what is better is still larger */
        bool holds[SEARCH_MAX_GATES];
        shot->chosen = shot_refuted(shot, &plan->gates, holds);
        return 0;
    }
    if (tuned_shot_find(shot, q) == shot->n_encodes)
        status = measure_one(tuning, measurer, q, shot);
    shot->chosen = tuned_shot_find(shot, q);
    return status;
}

static int conclude(ShotTuning *tuning, Measurer *measurer, const SearchPlan *plan, SearchRun *run,
                    TunedShot *shot)
{
    shot->encodes = run->encodes;
    shot->n_encodes = run->n_encodes;
    run->encodes = NULL;
    run->n_encodes = 0;
    if (!run->error && run->result.status != SEARCH_FAILED)
        return choose(tuning, measurer, plan, &run->result, shot);
    Message why, text;
    search_run_explain(run, plan, &why);
    message_set(&text, 0, "frames %zu to %zu: %s", shot->shot.first, shot->shot.end - 1, why.text);
    return shot_fail(tuning, run->error ? run->error : -EIO, text.text);
}

static void print_shot(const ShotTuning *tuning, const TunedShot *shot)
{
    const MeasuredEncode *encode = tuned_shot_chosen(shot);
    progress_print(tuning->session->progress,
                   "shot %zu of %zu, frames %zu to %zu: %s %g, %.1f kbit/s, VMAF %.3f%s%s",
                   (size_t)(shot - tuning->shots) + 1, tuning->n, shot->shot.first,
                   shot->shot.end - 1, encode->spec.encoder->quality_name, encode->spec.q,
                   encode->kbps, shot_mean_vmaf(encode), shot->mark == SHOT_REACHED ? "" : ", ",
                   shot->mark == SHOT_REACHED ? "" : shot_mark_name(shot->mark));
}

int tuned_shot_search(ShotTuning *tuning, const SearchPlan *plan, TunedShot *shot)
{
    const MeasuredPart part = {.windows = &shot->window, .n_windows = 1};
    MeasureOptions options;
    Measurer *measurer;
    SearchRun run;
    int status = open_measurer(tuning, &part, &options, &measurer);
    if (!status) {
        search_run(measurer, plan, &run);
        status = conclude(tuning, measurer, plan, &run, shot);
        search_run_free(&run);
    }
    measurer_close(measurer);
    return status;
}

static int search_shot(ShotTuning *tuning, TunedShot *shot)
{
    SearchPlan plan = tuning->plan;
    const size_t workers = shot_workers(tuning);
    plan.jobs = workers > 1 ? 1 : 0;
    if (shot >= tuning->shots + workers)
        learn(tuning, shot - workers, &plan);
    const int status = tuned_shot_search(tuning, &plan, shot);
    if (!status)
        print_shot(tuning, shot);
    return status;
}

/*
 * Every shot gets some encodes around the one that reaches the target, bits are spent among them,
 * and what lies between what was chosen and its neighbours is measured, until nothing does.
 */

enum { MAX_ROUNDS = 8, MAX_WANTED = 4 };

/* Qualities of a shot that are to be measured, as compression indices. */
typedef struct Wanted {
    int k[MAX_WANTED];
    size_t n;
} Wanted;

static const QualityRange *quality_range_of(const ShotTuning *tuning)
{
    return &tuning->plan.spec.encoder->qualities;
}

static int index_of(const ShotTuning *tuning, size_t encode, const TunedShot *shot)
{
    return quality_index(quality_range_of(tuning), shot->encodes[encode].spec.q);
}

static int lowest_index(const ShotTuning *tuning)
{
    const int a = quality_index(quality_range_of(tuning), tuning->plan.search.first);
    const int b = quality_index(quality_range_of(tuning), tuning->plan.search.last);
    return a < b ? a : b;
}

static int highest_index(const ShotTuning *tuning)
{
    const int a = quality_index(quality_range_of(tuning), tuning->plan.search.first);
    const int b = quality_index(quality_range_of(tuning), tuning->plan.search.last);
    return a > b ? a : b;
}

/* A step that changes bitrate by about half. */
static int coarse_step(const ShotTuning *tuning)
{
    const int step = quality_last_index(quality_range_of(tuning)) / 12;
    return step < 1 ? 1 : step;
}

static void want(const ShotTuning *tuning, const TunedShot *shot, int k, Wanted *wanted)
{
    const int lowest = lowest_index(tuning), highest = highest_index(tuning);
    k = k < lowest ? lowest : k;
    k = k > highest ? highest : k;
    for (size_t i = 0; i < wanted->n; i++)
        if (wanted->k[i] == k)
            return;
    if (tuned_shot_find(shot, quality_value(quality_range_of(tuning), k)) == shot->n_encodes)
        wanted->k[wanted->n++] = k;
}

/* -- measuring -- */

/* Failed ones, too, unless no other would do better. */
static int measure_next(ShotTuning *tuning, Measurer *measurer, double q, TunedShot *shot)
{
    MeasuredEncode measured;
    EncodeSpec spec = tuning->plan.spec;
    spec.q = q;
    measure_encode(measurer, &spec, NULL, &measured);
    int status = 0;
    if (measure_error_is_final(measured.error)) {
        status = shot_fail(tuning, measured.error, measured.why.text);
        measured_encode_free(&measured);
    } else if (tuned_shot_keep(shot, &measured)) {
        status = shot_fail(tuning, -ENOMEM, "out of memory");
    }
    shot->n_iterations += !status;
    return status;
}

static int measure_wanted(ShotTuning *tuning, TunedShot *shot, const Wanted *wanted)
{
    const MeasuredPart part = {.windows = &shot->window, .n_windows = 1};
    MeasureOptions options;
    Measurer *measurer;
    if (!wanted->n)
        return 0;
    int status = open_measurer(tuning, &part, &options, &measurer);
    for (size_t i = 0; i < wanted->n && !status; i++)
        status = measure_next(tuning, measurer,
                              quality_value(quality_range_of(tuning), wanted->k[i]), shot);
    measurer_close(measurer);
    return status;
}

int tuned_shot_measure(ShotTuning *tuning, double q, TunedShot *shot)
{
    const MeasuredPart part = {.windows = &shot->window, .n_windows = 1};
    MeasureOptions options;
    Measurer *measurer;
    int status = open_measurer(tuning, &part, &options, &measurer);
    if (!status)
        status = measure_one(tuning, measurer, q, shot);
    measurer_close(measurer);
    shot->chosen = shot->n_encodes ? shot->n_encodes - 1 : 0;
    return status;
}

/* -- choosing -- */

/* Usable encodes whose mean is at least `floor`, or the best one if there are none. */
static int points_of(const TunedShot *shot, double floor, ShotChoices *choices)
{
    EncodePoint best = {.score = -INFINITY};
    *choices = (ShotChoices){.points = calloc(shot->n_encodes + 1, sizeof(*choices->points)),
                             .frames = shot_frames(&shot->shot)};
    if (!choices->points)
        return -ENOMEM;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const MeasuredEncode *encode = &shot->encodes[i];
        if (encode->error)
            continue;
        const EncodePoint point = {
            .q = encode->spec.q,
            .kbps = encode->kbps,
            .score = shot_mean_vmaf(encode),
            .source = i,
        };
        if (point.score > best.score)
            best = point;
        if (point.score >= floor)
            choices->points[choices->n++] = point;
    }
    if (!choices->n && isfinite(best.score))
        choices->points[choices->n++] = best;
    return 0;
}

static int allocate(ShotTuning *tuning, Allocation *allocation)
{
    const double target = tuning->plan.gates.gate[0].target;
    ShotChoices *choices = calloc(tuning->n, sizeof(*choices));
    int err = choices ? 0 : -ENOMEM;
    for (size_t i = 0; i < tuning->n && !err; i++)
        err = points_of(&tuning->shots[i], target - tuning->floor, &choices[i]);
    if (!err)
        err = allocate_bits(choices, tuning->n, target, allocation);
    for (size_t i = 0; i < tuning->n && !err; i++)
        tuning->shots[i].chosen = choices[i].chosen.source;
    for (size_t i = 0; i < tuning->n && choices; i++)
        free(choices[i].points);
    free(choices);
    return err ? session_fail(tuning->session, err, "bits cannot be spent among the shots") : 0;
}

/* Half way to the nearest encodes on both sides of the chosen one, or beyond them all. */
static void want_neighbours(const ShotTuning *tuning, const TunedShot *shot, Wanted *wanted)
{
    const int k = index_of(tuning, shot->chosen, shot), step = coarse_step(tuning);
    int below = k - 2 * step, above = k + 2 * step;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const int other = index_of(tuning, i, shot);
        if (shot->encodes[i].error)
            continue;
        below = other < k && other > below ? other : below;
        above = other > k && other < above ? other : above;
    }
    want(tuning, shot, k - (k - below) / 2, wanted);
    want(tuning, shot, k + (above - k) / 2, wanted);
}

/* Encodes that might be better than what was chosen. */
static int refine(ShotTuning *tuning, TunedShot *shot)
{
    Wanted wanted = {.n = 0};
    want_neighbours(tuning, shot, &wanted);
    return measure_wanted(tuning, shot, &wanted);
}

static int measure_around(ShotTuning *tuning, TunedShot *shot)
{
    const int step = coarse_step(tuning), k = index_of(tuning, shot->chosen, shot);
    const int distances[MAX_WANTED] = {-step, step, -2 * step, 2 * step};
    Wanted wanted = {.n = 0};
    for (int i = 0; i < MAX_WANTED; i++)
        want(tuning, shot, k + distances[i], &wanted);
    return measure_wanted(tuning, shot, &wanted);
}

static int measure_best(ShotTuning *tuning, TunedShot *shot)
{
    Wanted wanted = {.n = 0};
    want(tuning, shot, lowest_index(tuning), &wanted);
    return measure_wanted(tuning, shot, &wanted);
}

static size_t encodes_of(const ShotTuning *tuning)
{
    size_t n = 0;
    for (size_t i = 0; i < tuning->n; i++)
        n += tuning->shots[i].n_encodes;
    return n;
}

static int allocate_in_rounds(ShotTuning *tuning, Allocation *allocation)
{
    int status = shot_tuning_each(tuning, measure_around);
    if (!status)
        status = allocate(tuning, allocation);
    if (!status && !allocation->reached)
        status = shot_tuning_each(tuning, measure_best);
    size_t before = 0;
    for (int round = 0; round < MAX_ROUNDS && before != encodes_of(tuning) && !status; round++) {
        before = encodes_of(tuning);
        status = allocate(tuning, allocation);
        if (!status)
            status = shot_tuning_each(tuning, refine);
    }
    return status ? status : allocate(tuning, allocation);
}

/* Chooses among all that was measured, and measures more where that may pay. */
static int shot_tuning_allocate(ShotTuning *tuning)
{
    const double target = tuning->plan.gates.gate[0].target;
    const ShotTotals equal = shot_totals(tuning);
    Allocation allocation;
    size_t *chosen = malloc(tuning->n * sizeof(*chosen));
    if (!chosen)
        return session_fail(tuning->session, -ENOMEM, "out of memory");
    for (size_t i = 0; i < tuning->n; i++)
        chosen[i] = tuning->shots[i].chosen;
    const int status = allocate_in_rounds(tuning, &allocation);
    /* Steps are whole: equal scores may happen to be cheaper than what is optimal on hulls. */
    const bool equal_is_better =
        equal.vmaf >= target && (!allocation.reached || equal.kbps <= allocation.kbps);
    for (size_t i = 0; i < tuning->n && !status && equal_is_better; i++)
        tuning->shots[i].chosen = chosen[i];
    for (size_t i = 0; i < tuning->n && !status; i++) /* of all frames, not of one shot */
        tuning->shots[i].mark =
            allocation.reached || equal_is_better ? SHOT_REACHED : SHOT_UNREACHABLE;
    free(chosen);
    return status;
}

int shot_tuning_run(ShotTuning *tuning)
{
    int status = shot_tuning_each(tuning, search_shot);
    if (!status && tuning->is_lagrange)
        status = shot_tuning_allocate(tuning);
    return status;
}
