/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The choice of an encode for each shot. */
#include "tune/plan/per_shot_internal.h"

#include "tune/search/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far the position of the next shot is from that of a shot, in steps of the quality parameter:
 * less than between videos, but cuts change what is seen. */
static const double neighbour_sd = 3;

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
    measured_encode_free(&tuning->expected);
    session_close_measurer(&tuning->whole);
    free(tuning->folder);
}

int shot_fail(ShotTuning *tuning, int error, const char *what)
{
    if (atomic_exchange(&tuning->has_failed, true))
        return TUNE_NO_RESULT;
    if (error == -ECANCELED)
        what = tuning->session->cache ? "interrupted; what was measured is kept, and the same "
                                        "command goes on from there"
                                      : "interrupted";
    tuning->status = session_fail(tuning->session, error, what);
    return tuning->status;
}

/* -- workers -- */

size_t shot_workers(const ShotTuning *tuning)
{
    const size_t jobs = (size_t)tuning->settings->workers;
    return jobs < tuning->n ? jobs : tuning->n;
}

typedef struct EachShot {
    ShotTuning *tuning;
    int (*work)(ShotTuning *tuning, TunedShot *shot);
} EachShot;

/* One worker, from its first shot on. */
static void follow(void *cookie, void *first)
{
    const EachShot *each = cookie;
    ShotTuning *tuning = each->tuning;
    size_t i = (size_t)((TunedShot *)first - tuning->shots);
    for (; i < tuning->n && !atomic_load(&tuning->has_failed); i += shot_workers(tuning))
        if (each->work(tuning, &tuning->shots[i]))
            break;
}

int shot_each(ShotTuning *tuning, int (*work)(ShotTuning *tuning, TunedShot *shot))
{
    const size_t n = shot_workers(tuning);
    EachShot each = {tuning, work};
    JobQueue *queue;
    int err = job_queue_create(&queue, (int)n, follow, &each);
    for (size_t i = 0; i < n && !err; i++)
        err = job_queue_submit(queue, &tuning->shots[i]);
    if (err)
        shot_fail(tuning, err, "workers cannot be started");
    job_queue_destroy(queue);
    return tuning->status;
}

int shot_open_measurer(ShotTuning *tuning, const MeasureOptions *options, const TunedShot *shot,
                       Measurer **measurer)
{
    const size_t frames = shot_frames(&shot->shot);
    const SampleWindow window = {shot->shot.first, frames, frames};
    const MeasuredPart part = {.windows = &window, .n_windows = 1};
    MeasureOptions shared = *options;
    Message why;
    if (frames < tuning->source->frames)
        shared.reference_memory /= shot_workers(tuning);
    const int err = measurer_open(measurer, tuning->source, &part, &shared, &why);
    return err ? shot_fail(tuning, err, why.text) : 0;
}

/* -- encodes of a shot -- */

const MeasuredEncode *shot_chosen(const TunedShot *shot)
{
    return &shot->encodes[shot->chosen];
}

static double mean_of(const ScoreSeries *series, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += series->values[i];
    return sum / (double)(end - first);
}

double shot_mean(const MeasuredEncode *encode, const char *name)
{
    const ScoreSeries *series = encode_scores_find(&encode->scores, name);
    return series ? mean_of(series, 0, encode->scores.frames) : NAN;
}

double shot_p1(const MeasuredEncode *encode, const char *name)
{
    PooledScores pooled;
    return measured_pool(encode, name, &pooled) ? NAN : pooled.p1;
}

double shot_least_vmaf(const ShotTuning *tuning, const MeasuredEncode *whole)
{
    const ScoreSeries *series = encode_scores_find(&whole->scores, "vmaf");
    double least = NAN;
    if (!series || whole->scores.frames != tuning->source->frames)
        return NAN;
    for (size_t i = 0; i < tuning->n; i++) {
        const Shot *shot = &tuning->shots[i].shot;
        least = fmin(least, mean_of(series, shot->first, shot->end)); /* NAN at first */
    }
    return least;
}

unsigned shot_misses(const TuneGates *gates, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    unsigned missed = 0;
    const bool has_values = !tune_gates_values(gates, encode, values, &why);
    for (size_t i = 0; i < gates->n; i++) {
        const TuneGates one = {.gate = {gates->gate[i]}, .n = 1};
        missed |= (unsigned)(!has_values || !tune_gates_reached(&one, &values[i])) << i;
    }
    return missed;
}

size_t shot_edge(const TunedShot *shot, const TuneGates *gates, bool holds)
{
    size_t edge = shot->n_encodes;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const MeasuredEncode *encode = &shot->encodes[i], *found = &shot->encodes[edge];
        if (encode->error || !shot_misses(gates, encode) != holds)
            continue;
        if (edge == shot->n_encodes || (holds ? encode->stream_bytes < found->stream_bytes
                                              : encode->stream_bytes > found->stream_bytes))
            edge = i;
    }
    return edge;
}

/* The encode of that quality that has scores; n_encodes: there is none. */
static size_t find_encode(const TunedShot *shot, double q)
{
    size_t i = 0;
    while (i < shot->n_encodes && (shot->encodes[i].error || shot->encodes[i].spec.q != q))
        i++;
    return i;
}

/* Failed encodes are kept, too, unless no other would do better. */
static int measure(ShotTuning *tuning, Measurer *measurer, double q, TunedShot *shot)
{
    EncodeSpec spec = tuning->plan.spec;
    MeasuredEncode *grown = realloc(shot->encodes, (shot->n_encodes + 1) * sizeof(*grown));
    if (!grown)
        return shot_fail(tuning, -ENOMEM, "out of memory");
    shot->encodes = grown;
    MeasuredEncode *measured = &grown[shot->n_encodes++];
    spec.q = q;
    measure_encode(measurer, &spec, NULL, measured);
    return measure_error_is_final(measured->error)
               ? shot_fail(tuning, measured->error, measured->why.text)
               : 0;
}

int shot_choose(ShotTuning *tuning, Measurer *measurer, double q, TunedShot *shot)
{
    shot->chosen = find_encode(shot, q);
    const int status = shot->chosen < shot->n_encodes ? 0 : measure(tuning, measurer, q, shot);
    if (status || !shot_chosen(shot)->error)
        return status;
    return shot_fail(tuning, shot_chosen(shot)->error, shot_chosen(shot)->why.text);
}

/* -- searching -- */

static const QualityRange *qualities_of(const ShotTuning *tuning)
{
    return &tuning->plan.search.qualities;
}

/* Within the range of the search. */
static double quality_at(const ShotTuning *tuning, int k)
{
    const SearchOptions *search = &tuning->plan.search;
    const double a = search->first, b = search->last;
    return fmin(fmax(a, b), fmax(fmin(a, b), quality_value(&search->qualities, k)));
}

double shot_middle_quality(const ShotTuning *tuning)
{
    double sum = 0, frames = 0;
    for (size_t i = 0; i < tuning->n; i++) {
        const double n = (double)shot_frames(&tuning->shots[i].shot);
        sum += n * quality_index(qualities_of(tuning), shot_chosen(&tuning->shots[i])->spec.q);
        frames += n;
    }
    return quality_value(qualities_of(tuning), (int)lrint(sum / frames));
}

/* Where scores or sizes are not monotonic, a cheaper encode than the search's answer may have been
 * measured on its way. */
static int choose(ShotTuning *tuning, Measurer *measurer, const SearchPlan *plan,
                  const SearchResult *result, TunedShot *shot)
{
    shot->n_iterations = result->n_iterations;
    shot->converged = result->converged;
    shot->chosen = shot_edge(shot, &plan->gates, true);
    const bool holds = shot->chosen < shot->n_encodes;
    shot->mark = result->ok || (holds && result->status == SEARCH_TOO_LARGE) ? SHOT_REACHED
                 : result->status == SEARCH_EXHAUSTED                        ? SHOT_EXHAUSTED
                 : result->status == SEARCH_NON_MONOTONIC                    ? SHOT_NON_MONOTONIC
                                                                             : SHOT_UNREACHABLE;
    if (holds)
        return 0;
    if (result->status != SEARCH_TOO_LARGE)
        return shot_choose(tuning, measurer, quality_at(tuning, 0), shot);
    shot->chosen = shot_edge(shot, &plan->gates, false); /* what is better is still larger */
    return 0;
}

int shot_search(ShotTuning *tuning, Measurer *measurer, const SearchPlan *plan, TunedShot *shot)
{
    SearchRun run;
    Message why, text;
    search_run(measurer, plan, &run);
    shot->encodes = run.encodes;
    shot->n_encodes = run.n_encodes;
    for (size_t i = 0; i < plan->gates.n; i++) { /* of one shot, whatever those before it were */
        run.search.options.gates[i].prior = tuning->plan.search.gates[i].prior;
        shot->learned[i] = search_learned(&run.search, i, neighbour_sd);
    }
    if (!run.error && run.result.status != SEARCH_FAILED)
        return choose(tuning, measurer, plan, &run.result, shot);
    search_run_explain(&run, plan, &why);
    message_set(&text, 0, "frames %zu to %zu: %s", shot->shot.first, shot->shot.end - 1, why.text);
    return shot_fail(tuning, run.error ? run.error : -EIO, text.text);
}

static int search_shot(ShotTuning *tuning, TunedShot *shot)
{
    SearchPlan plan = tuning->plan;
    const size_t workers = shot_workers(tuning), number = (size_t)(shot - tuning->shots);
    Measurer *measurer;
    plan.jobs = workers > 1 ? 1 : 0;
    if (number >= workers) {
        const TunedShot *before = shot - workers;
        for (size_t i = 0; i < plan.gates.n; i++)
            plan.search.gates[i].prior = before->learned[i];
    }
    int status = shot_open_measurer(tuning, &tuning->options, shot, &measurer);
    if (status)
        return status;
    status = shot_search(tuning, measurer, &plan, shot);
    measurer_close(measurer);
    if (status)
        return status;
    const MeasuredEncode *encode = shot_chosen(shot);
    const bool is_reached = shot->mark == SHOT_REACHED;
    progress_print(tuning->session->progress,
                   "shot %zu of %zu, frames %zu to %zu: %s %g, %.1f kbit/s, VMAF %.3f%s%s",
                   number + 1, tuning->n, shot->shot.first, shot->shot.end - 1,
                   encode->spec.encoder->quality_name, encode->spec.q, encode->kbps,
                   shot_mean(encode, "vmaf"), is_reached ? "" : ", ",
                   is_reached ? "" : shot_mark_name(shot->mark));
    return 0;
}

/* -- what shots are together -- */

/* The scores of one condition, of all frames. */
static int join_scores(const ShotTuning *tuning, const char *name, ScoreSeries *series)
{
    double *to = calloc(tuning->expected.scores.frames, sizeof(*to));
    series->name = strdup(name);
    series->values = to;
    if (!to || !series->name)
        return -ENOMEM;
    for (size_t i = 0; i < tuning->n; i++) {
        const EncodeScores *scores = &shot_chosen(&tuning->shots[i])->scores;
        const ScoreSeries *part = encode_scores_find(scores, name);
        if (!part)
            return -ENOENT;
        memcpy(to, part->values, scores->frames * sizeof(*to));
        to += scores->frames;
    }
    return 0;
}

/* Sets tuning->expected, with the scores of all conditions. A status. */
static int join(ShotTuning *tuning)
{
    const TuneGates *gates = &tuning->plan.gates;
    const FrameRate rate = tuning->source->rate;
    MeasuredEncode *all = &tuning->expected;
    measured_encode_free(all);
    for (size_t i = 0; i < tuning->n; i++) {
        const MeasuredEncode *encode = shot_chosen(&tuning->shots[i]);
        all->stream_bytes += encode->stream_bytes;
        all->frames += shot_frames(&tuning->shots[i].shot);
        all->scores.frames += encode->scores.frames;
    }
    all->kbps = (double)all->stream_bytes * 8 / 1000 * rate.numerator /
                ((double)all->frames * rate.denominator);
    all->scores.series = calloc(gates->n, sizeof(*all->scores.series));
    all->scores.n_series = all->scores.series ? gates->n : 0;
    int err = all->scores.series ? 0 : -ENOMEM;
    for (size_t i = 0; i < gates->n && !err; i++)
        err = join_scores(tuning, gates->gate[i].name, &all->scores.series[i]);
    return err ? shot_fail(tuning, err, "the scores of shots cannot be joined") : 0;
}

/* Takes a choice that was made for each. */
static int take(ShotTuning *tuning, bool equal)
{
    for (size_t i = 0; i < tuning->n; i++) {
        TunedShot *shot = &tuning->shots[i];
        shot->chosen = equal ? shot->equal : shot->slope;
    }
    return join(tuning);
}

/* All conditions hold of what is expected, and of how much else the video of shots was. */
static bool is_enough(const ShotTuning *tuning)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    if (tune_gates_values(&tuning->plan.gates, &tuning->expected, values, &why))
        return false;
    for (size_t i = 0; i < tuning->plan.gates.n; i++)
        values[i] += tuning->differences[i];
    return tune_gates_reached(&tuning->plan.gates, values);
}

/* -- by equal slope -- */

/* Means of the goal, of which more is better. */
static double goal_of(const ShotTuning *tuning, double mean)
{
    return tuning->plan.gates.gate[tuning->goal].lower_is_better ? -mean : mean;
}

static double goal_of_encode(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    const char *name = tuning->plan.gates.gate[tuning->goal].name;
    return encode->error ? NAN : goal_of(tuning, shot_mean(encode, name));
}

/* Usable encodes whose mean is at least `floor`, or the best one if there are none. */
static int points_of(const ShotTuning *tuning, const TunedShot *shot, double floor,
                     ShotChoices *choices)
{
    double best = -INFINITY;
    *choices = (ShotChoices){.points = calloc(shot->n_encodes + 1, sizeof(*choices->points)),
                             .frames = shot_frames(&shot->shot)};
    for (size_t i = 0; i < shot->n_encodes; i++)
        best = fmax(best, goal_of_encode(tuning, &shot->encodes[i]));
    for (size_t i = 0; i < shot->n_encodes && choices->points; i++) {
        const MeasuredEncode *encode = &shot->encodes[i];
        const double score = goal_of_encode(tuning, encode);
        if (score >= fmin(floor, best))
            choices->points[choices->n++] = (EncodePoint){
                .q = encode->spec.q, .kbps = encode->kbps, .score = score, .source = i};
    }
    return choices->points ? 0 : -ENOMEM;
}

/* Takes the fewest bits for a mean of the goal, which becomes what it is then. A status. */
static int spend_bits(ShotTuning *tuning, double *mean)
{
    Allocation allocation;
    ShotChoices *choices = calloc(tuning->n, sizeof(*choices));
    int err = choices ? 0 : -ENOMEM;
    for (size_t i = 0; i < tuning->n && !err; i++)
        err = points_of(tuning, &tuning->shots[i], *mean - tuning->settings->floor, &choices[i]);
    if (!err)
        err = allocate_bits(choices, tuning->n, *mean, &allocation);
    for (size_t i = 0; i < tuning->n && choices; i++) {
        tuning->shots[i].slope = choices[i].chosen.source;
        free(choices[i].points);
    }
    free(choices);
    if (err)
        return shot_fail(tuning, err, "bits cannot be spent among the shots");
    *mean = allocation.score;
    return take(tuning, false);
}

/* The least mean at which all conditions hold; none: all shots at their best. */
static int find_slope(ShotTuning *tuning)
{
    enum { HALVINGS = 16 };
    const double target = tuning->plan.gates.gate[tuning->goal].target;
    double low = isnan(target) ? -INFINITY : goal_of(tuning, target), high = INFINITY;
    int status = spend_bits(tuning, &low);
    if (status || is_enough(tuning))
        return status;
    status = spend_bits(tuning, &high);
    if (status || !is_enough(tuning))
        return status;
    for (int i = 0; i < HALVINGS && !status; i++) {
        const double middle = low + (high - low) / 2;
        double mean = middle;
        status = spend_bits(tuning, &mean);
        *(is_enough(tuning) ? &high : &low) = middle;
    }
    return status ? status : spend_bits(tuning, &high);
}

/* Steps are whole: shots that reach all by themselves may happen to be cheaper than what is optimal
 * on hulls. */
static int choose_slope(ShotTuning *tuning)
{
    int status = find_slope(tuning);
    const bool is_reached = !status && is_enough(tuning);
    const uint64_t bytes = tuning->expected.stream_bytes;
    if (!status)
        status = take(tuning, true);
    tuning->is_reached = is_reached || (!status && is_enough(tuning));
    if (!status && (!is_enough(tuning) || (is_reached && tuning->expected.stream_bytes > bytes)))
        status = take(tuning, false);
    for (size_t i = 0; i < tuning->n; i++) /* of all frames, not of one shot */
        tuning->shots[i].mark = tuning->is_reached ? SHOT_REACHED : SHOT_UNREACHABLE;
    return status;
}

/* Measures a quality, unless that was done before. A status. */
static int measure_once(ShotTuning *tuning, double q, Measurer **measurer, TunedShot *shot)
{
    for (size_t i = 0; i < shot->n_encodes; i++)
        if (shot->encodes[i].spec.q == q)
            return 0;
    const int status = *measurer ? 0 : shot_open_measurer(tuning, &tuning->options, shot, measurer);
    shot->n_iterations++;
    return status ? status : measure(tuning, *measurer, q, shot);
}

/* Half way to the nearest encodes on both sides of the chosen one, or beyond them all, where
 * bitrate is half or double. The best one, if nothing that was measured is enough. */
static int measure_neighbours(ShotTuning *tuning, TunedShot *shot)
{
    const QualityRange *qualities = qualities_of(tuning);
    const int k = quality_index(qualities, shot_chosen(shot)->spec.q);
    const int step = quality_last_index(qualities) / 12 + 1;
    int below = k - 2 * step, above = k + 2 * step, status = 0;
    Measurer *measurer = NULL;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const int other = quality_index(qualities, shot->encodes[i].spec.q);
        if (shot->encodes[i].error)
            continue;
        below = other < k && other > below ? other : below;
        above = other > k && other < above ? other : above;
    }
    if (!tuning->is_reached)
        status = measure_once(tuning, quality_at(tuning, 0), &measurer, shot);
    if (!status)
        status = measure_once(tuning, quality_at(tuning, k + (above - k) / 2), &measurer, shot);
    if (!status)
        status = measure_once(tuning, quality_at(tuning, k - (k - below) / 2), &measurer, shot);
    measurer_close(measurer);
    return status;
}

static size_t encodes_of(const ShotTuning *tuning)
{
    size_t n = 0;
    for (size_t i = 0; i < tuning->n; i++)
        n += tuning->shots[i].n_encodes;
    return n;
}

/* Until what lies between what was chosen and its neighbours is measured. */
static int refine(ShotTuning *tuning)
{
    enum { MAX_ROUNDS = 12 };
    int status = choose_slope(tuning);
    for (int round = 0; round < MAX_ROUNDS && !status; round++) {
        const size_t n = encodes_of(tuning);
        status = shot_each(tuning, measure_neighbours);
        if (!status && encodes_of(tuning) == n)
            break;
        if (!status)
            status = choose_slope(tuning);
    }
    return status;
}

int shot_tuning_run(ShotTuning *tuning)
{
    const int status = shot_each(tuning, search_shot);
    if (status)
        return status;
    for (size_t i = 0; i < tuning->n; i++)
        tuning->shots[i].equal = tuning->shots[i].chosen;
    tuning->is_reached = !shots_missed(tuning);
    return tuning->is_lagrange ? refine(tuning) : join(tuning);
}

int shot_tuning_correct(ShotTuning *tuning, const MeasuredEncode *made, bool *changed)
{
    const TuneGates *gates = &tuning->plan.gates;
    double expected[SEARCH_MAX_GATES], values[SEARCH_MAX_GATES];
    Message why;
    *changed = false;
    if (tune_gates_values(gates, &tuning->expected, expected, &why) ||
        tune_gates_values(gates, made, values, &why))
        return 0;
    for (size_t i = 0; i < gates->n; i++)
        tuning->differences[i] = values[i] - expected[i];
    const int status = choose_slope(tuning);
    *changed = tuning->is_reached;
    if (status || *changed)
        return status ? status : refine(tuning);
    memset(tuning->differences, 0, sizeof tuning->differences);
    return choose_slope(tuning);
}
