/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/sample_search.h"

#include "tune/engine/bd_rate.h"
#include "tune/measure/source_shots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Windows at least, each of which takes a third of --sample-chunk-seconds. */
enum { MIN_WINDOWS = 3, DEFAULT_TRIALS = 6 };

/* How far the answer for samples may be from that for the whole video, in steps of the knob. Mostly
 * it is nearer; then so wide a guess costs no more encodes, and else it saves many. */
#define SAMPLED_SD 5.0

#define AT(member) .target = offsetof(SampleChoice, member)

static const TuneOption rows[] = {
    {.name = "n-trials",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(n_trials),
     .lowest = 1,
     .highest = 256,
     .help = "encodes of samples at most (6)"},
    {.name = "time-budget-s",
     .argument = "S",
     .type = TUNE_NUMBER,
     AT(time_budget),
     .lowest = 0,
     .highest = 1e9,
     .help = "begin no further encode of samples after so long (300; 0: no limit)"},
    {.name = "sample-chunk-seconds",
     .argument = "S",
     .type = TUNE_NUMBER,
     AT(chunk_seconds),
     .lowest = 0.001,
     .highest = 1e9,
     .help = "of the video in three samples together (5); --sample-windows makes more of them"},
    {.name = "sample-by",
     .type = TUNE_CHOICE,
     AT(by),
     .values = "time|shots",
     .help = "samples at equal distances (time), or of shots of all kinds, which takes a pass "
             "through the video"},
};

SampleChoice sample_choice(void)
{
    return (SampleChoice){.n_trials = DEFAULT_TRIALS, .time_budget = 300, .chunk_seconds = 5};
}

OptionGroup sample_option_group(SampleChoice *choice)
{
    return (OptionGroup){"Samples", rows, sizeof rows / sizeof *rows, choice};
}

/* -- windows -- */

static int choose_by_shots(const Session *session, const TuneSource *source, double seconds,
                           size_t n, Samples *samples, Message *why)
{
    const ShotOptions options = {
        .threshold = SHOT_DEFAULT_THRESHOLD,
        .min_frames = SHOT_DEFAULT_MIN_FRAMES,
        .join_below = SHOT_ENCODED_MIN_FRAMES,
    };
    SourceShots found;
    int chosen =
        source_shots_find(source, &options, session_interrupt(), session->progress, &found, why);
    if (!chosen)
        chosen = sample_by_shots(found.shots, found.n, source->rate, seconds, n, samples->windows);
    source_shots_free(&found);
    return chosen;
}

int samples_choose(Session *session, const SampleChoice *choice, const TuneSource *source,
                   Samples *samples)
{
    const int wanted = session->options->sample_windows;
    const size_t n = wanted > MIN_WINDOWS ? (size_t)wanted : MIN_WINDOWS;
    const double seconds = choice->chunk_seconds * (double)n / MIN_WINDOWS;
    Message why = {"no part of the video could be chosen"};
    *samples = (Samples){.frames = source->frames};
    if (session->options->sample_seconds > 0)
        return command_fail(session->command, TUNE_USAGE,
                            "samples are chosen by --sample-chunk-seconds and --sample-windows");
    if (seconds >= source->seconds)
        return 0;
    samples->windows = calloc(n, sizeof(*samples->windows));
    if (!samples->windows)
        return session_fail(session, -ENOMEM, "out of memory");
    const int chosen =
        choice->by == SAMPLE_BY_SHOTS
            ? choose_by_shots(session, source, seconds, n, samples, &why)
            : sample_by_time(source->frames, source->rate, seconds, n, samples->windows);
    if (chosen <= 0)
        return session_fail(session, chosen ? chosen : -EINVAL, why.text);
    samples->n = (size_t)chosen;
    samples->frames = 0;
    for (size_t i = 0; i < samples->n; i++)
        samples->frames += samples->windows[i].frames;
    return 0;
}

void samples_free(Samples *samples)
{
    free(samples->windows);
    *samples = (Samples){0};
}

/* -- searches -- */

void sample_plan(const SampleChoice *choice, const Samples *samples, SearchPlan *plan)
{
    plan->gates.windows = samples->windows;
    plan->gates.n_windows = samples->n;
    plan->search.max_probes = choice->n_trials;
    plan->search.on_non_monotonic = NON_MONOTONIC_KEEP;
    plan->time_budget = choice->time_budget;
}

int sample_verification(const SearchPlan *sampled, const SearchRun *run, int max_probes,
                        SearchPlan *plan)
{
    *plan = *sampled;
    plan->gates.windows = NULL;
    plan->gates.n_windows = 0;
    plan->known = NULL;
    plan->n_known = 0;
    plan->time_budget = 0;
    return search_verification(&run->search, SAMPLED_SD, max_probes, &plan->search);
}

static int compare_q(const void *a, const void *b)
{
    const Measurement *x = a, *y = b;
    return (x->q > y->q) - (x->q < y->q);
}

double sampled_score(const SearchRun *run, int q)
{
    const size_t n = run->search.n_samples;
    Measurement sorted[SEARCH_MAX_INDICES];
    double x[SEARCH_MAX_INDICES], y[SEARCH_MAX_INDICES], slopes[SEARCH_MAX_INDICES];
    for (size_t i = 0; i < n; i++) {
        sorted[i] = run->search.samples[i];
        if (sorted[i].q == q)
            return sorted[i].values[0];
    }
    if (n < 2)
        return NAN;
    qsort(sorted, n, sizeof(*sorted), compare_q);
    for (size_t i = 0; i < n; i++) {
        x[i] = sorted[i].q;
        y[i] = sorted[i].values[0];
    }
    pchip_slopes(x, y, n, slopes);
    const size_t end = q < x[0] ? 0 : n - 1;
    const bool is_inside = q >= x[0] && q <= x[n - 1];
    const double score =
        is_inside ? pchip_value(x, y, slopes, n, q) : y[end] + slopes[end] * (q - x[end]);
    return fmax(0, fmin(100, score));
}
