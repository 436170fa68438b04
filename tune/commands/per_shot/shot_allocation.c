/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/shot_tuning.h"

#include "tune/engine/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

static const Knob *knob_of(const ShotTuning *tuning)
{
    return &tuning->plan.spec.encoder->knob;
}

static int index_of(const ShotTuning *tuning, size_t encode, const TunedShot *shot)
{
    return knob_index(knob_of(tuning), shot->encodes[encode].spec.q);
}

static int lowest_index(const ShotTuning *tuning)
{
    const int a = knob_index(knob_of(tuning), tuning->plan.search.first);
    const int b = knob_index(knob_of(tuning), tuning->plan.search.last);
    return a < b ? a : b;
}

static int highest_index(const ShotTuning *tuning)
{
    const int a = knob_index(knob_of(tuning), tuning->plan.search.first);
    const int b = knob_index(knob_of(tuning), tuning->plan.search.last);
    return a > b ? a : b;
}

/* A step that changes bitrate by about half. */
static int coarse_step(const ShotTuning *tuning)
{
    const int step = knob_last_index(knob_of(tuning)) / 12;
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
    if (tuned_shot_find(shot, knob_value(knob_of(tuning), k)) == shot->n_encodes)
        wanted->k[wanted->n++] = k;
}

/* -- measuring -- */

static bool keep(void *cookie, size_t index, MeasuredEncode *measured)
{
    (void)index;
    return !tuned_shot_keep(cookie, measured);
}

static int measure_wanted(ShotTuning *tuning, TunedShot *shot, const Wanted *wanted)
{
    EncodeSpec specs[MAX_WANTED];
    SessionMeasurer measurer;
    Message why;
    for (size_t i = 0; i < wanted->n; i++) {
        specs[i] = tuning->plan.spec;
        specs[i].q = knob_value(knob_of(tuning), wanted->k[i]);
    }
    int status = shot_tuning_measurer(tuning, shot, &measurer);
    if (!status) {
        const int err = grid_run(measurer.measurer, specs, wanted->n, keep, shot, &why);
        status = err ? session_fail(tuning->session, err, why.text) : 0;
    }
    session_close_measurer(&measurer);
    shot->n_iterations += (int)wanted->n;
    return status;
}

/* -- choosing -- */

static int points_of(const TunedShot *shot, ShotChoices *choices)
{
    *choices = (ShotChoices){.points = calloc(shot->n_encodes, sizeof(*choices->points)),
                             .frames = shot_frames(&shot->shot)};
    if (!choices->points)
        return -ENOMEM;
    for (size_t i = 0; i < shot->n_encodes; i++) {
        const MeasuredEncode *encode = &shot->encodes[i];
        if (encode->error)
            continue;
        choices->points[choices->n++] = (EncodePoint){
            .q = encode->spec.q,
            .kbps = encode->kbps,
            .score = shot_mean_vmaf(encode),
            .low = NAN,
            .high = NAN,
            .source = i,
        };
    }
    return 0;
}

static int allocate(ShotTuning *tuning, Allocation *allocation)
{
    ShotChoices *choices = calloc(tuning->n, sizeof(*choices));
    int err = choices ? 0 : -ENOMEM;
    for (size_t i = 0; i < tuning->n && !err; i++)
        err = points_of(&tuning->shots[i], &choices[i]);
    if (!err)
        err = allocate_bits(choices, tuning->n, tuning->plan.gates.gate[0].target, allocation);
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

/* Encodes that might be better than what was chosen. *n: how many there were. */
static int refine(ShotTuning *tuning, size_t *n)
{
    int status = 0;
    *n = 0;
    for (size_t i = 0; i < tuning->n && !status; i++) {
        Wanted wanted = {.n = 0};
        want_neighbours(tuning, &tuning->shots[i], &wanted);
        *n += wanted.n;
        if (wanted.n)
            status = measure_wanted(tuning, &tuning->shots[i], &wanted);
    }
    return status;
}

static int measure_around(ShotTuning *tuning)
{
    const int step = coarse_step(tuning);
    int status = 0;
    for (size_t i = 0; i < tuning->n && !status; i++) {
        Wanted wanted = {.n = 0};
        const TunedShot *shot = &tuning->shots[i];
        const int k = index_of(tuning, shot->chosen, shot);
        want(tuning, shot, k - step, &wanted);
        want(tuning, shot, k + step, &wanted);
        want(tuning, shot, k - 2 * step, &wanted);
        want(tuning, shot, k + 2 * step, &wanted);
        if (wanted.n)
            status = measure_wanted(tuning, &tuning->shots[i], &wanted);
    }
    return status;
}

static int measure_best(ShotTuning *tuning)
{
    int status = 0;
    for (size_t i = 0; i < tuning->n && !status; i++) {
        Wanted wanted = {.n = 0};
        want(tuning, &tuning->shots[i], lowest_index(tuning), &wanted);
        if (wanted.n)
            status = measure_wanted(tuning, &tuning->shots[i], &wanted);
    }
    return status;
}

static int allocate_in_rounds(ShotTuning *tuning, Allocation *allocation)
{
    size_t n_measured = 1;
    int status = measure_around(tuning);
    if (!status)
        status = allocate(tuning, allocation);
    if (!status && !allocation->reached)
        status = measure_best(tuning);
    for (int round = 0; round < MAX_ROUNDS && n_measured && !status; round++) {
        status = allocate(tuning, allocation);
        if (!status)
            status = refine(tuning, &n_measured);
    }
    return status ? status : allocate(tuning, allocation);
}

int shot_tuning_allocate(ShotTuning *tuning)
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
