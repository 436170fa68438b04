/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/ladder.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* -- what is known of a curve -- */

/* Bitrate falls by this factor (its logarithm) from one end of an encoder's qualities to the
 * other, and with the number of pixels to this power, until more is known. */
static const double whole_range = 6, pixel_power = 0.75;

/* How far the logarithm of a bitrate may be off for each unit that it is extrapolated: by the usual
 * slope, by that of another size, by that of its own; and between sizes. */
static const double sd_of_usual = 0.3, sd_of_other = 0.15, sd_of_own = 0.1, sd_between = 0.15;

/* The same between two encodes, for each product of the steps to both, of an encoder that has about
 * 50; and how near to a limit it may be in any case. */
static const double sd_of_bend = 0.001, least_margin = 0.05;

/* With a quarter of the pixels, VMAF ends so much below 100, and the same distance from that end
 * costs so many steps, of an encoder that has about 50, give or take. */
static const double lost_of_quarter = 4.5, steps_of_quarter = 4, steps_sd = 2;

/* Priors are of a few videos: others deviate by more. */
static const double caution = 1.5;

/* The logarithm of how much dearer the first answer of a goal is taken to be than the largest size
 * is likely to make it. */
static const double first_margin = 0.25;

/* The goals, what was measured, and the encodes that are under way. */
typedef struct LadderState {
    const LadderSearch *search;
    const LadderProbe *pending;
    size_t n_pending;
    double answers[LADDER_MAX_GOALS];   /* logarithm of the bitrate; INFINITY: none */
    long long pixels[LADDER_MAX_GOALS]; /* of the answer's size; of the goal before without one */
    bool is_enough[LADDER_MAX_GOALS];   /* the answer is as near to the target as is asked for */
} LadderState;

static int index_of(const LadderState *state, double q)
{
    return quality_index(&state->search->qualities, q);
}

static long long pixels_of(const LadderCurve *curve)
{
    return (long long)curve->width * curve->height;
}

/* What is known of a number. */
typedef struct Estimate {
    double mean, sd;
} Estimate;

/* How the logarithm of bitrate falls with k; sd is for each unit of it. */
static Estimate slope_of(const LadderState *state, const LadderCurve *curve)
{
    const Measurement *first = NULL, *last = NULL;
    for (size_t i = 0; i < curve->n; i++) {
        const Measurement *encode = &curve->encodes[i];
        if (!first || index_of(state, encode->q) < index_of(state, first->q))
            first = encode;
        if (!last || index_of(state, encode->q) > index_of(state, last->q))
            last = encode;
    }
    if (first == last)
        return (Estimate){.sd = INFINITY};
    return (Estimate){log(first->kbps / last->kbps) /
                          (index_of(state, last->q) - index_of(state, first->q)),
                      sd_of_own};
}

/* The slope of the size itself, of another, or the usual one. */
static Estimate find_slope(const LadderState *state, const LadderCurve *curve)
{
    const LadderSearch *search = state->search;
    Estimate slope = slope_of(state, curve);
    for (size_t i = search->n_curves; i-- > 0 && !isfinite(slope.sd);) {
        slope = slope_of(state, &search->curves[i]);
        if (isfinite(slope.sd))
            slope.sd = sd_of_other;
    }
    if (isfinite(slope.sd) && slope.mean > 0)
        return slope;
    return (Estimate){whole_range / quality_last_index(&search->qualities), sd_of_usual};
}

/* The encode nearest to k on one side; NULL: there is none. */
static const Measurement *neighbour(const LadderState *state, const LadderCurve *curve, int k,
                                    bool is_above)
{
    const Measurement *best = NULL;
    int least = INT_MAX;
    for (size_t i = 0; i < curve->n; i++) {
        const int distance = (is_above ? 1 : -1) * (index_of(state, curve->encodes[i].q) - k);
        if (distance >= 0 && distance < least) {
            best = &curve->encodes[i];
            least = distance;
        }
    }
    return best;
}

/* Steps of an encoder that has about 50. */
static double usual_steps(const LadderState *state, int steps)
{
    return 50.0 * abs(steps) / quality_last_index(&state->search->qualities);
}

/* A line between two encodes, or on from the last one. */
static Estimate log_kbps_of(const LadderState *state, const LadderCurve *curve, Estimate slope,
                            int k)
{
    const Measurement *below = neighbour(state, curve, k, false);
    const Measurement *above = neighbour(state, curve, k, true);
    const Measurement *near = below ? below : above;
    const int way = index_of(state, near->q) - k;
    if (!below || !above)
        return (Estimate){log(near->kbps) + slope.mean * way, fabs(slope.mean * way) * slope.sd};
    const int rest = index_of(state, above->q) - k;
    if (rest > way)
        slope.mean = log(below->kbps / above->kbps) / (rest - way);
    return (Estimate){log(near->kbps) + slope.mean * way,
                      sd_of_bend * usual_steps(state, way) * usual_steps(state, rest)};
}

/* The nearest size that has encodes; NULL: none has. */
static const LadderCurve *nearest_curve(const LadderSearch *search, size_t curve)
{
    for (size_t distance = 0; distance < search->n_curves; distance++) {
        if (curve + distance < search->n_curves && search->curves[curve + distance].n)
            return &search->curves[curve + distance];
        if (curve >= distance && search->curves[curve - distance].n)
            return &search->curves[curve - distance];
    }
    return NULL;
}

/* How many times a quarter `small` is of `large`. */
static double quarters(const LadderCurve *large, const LadderCurve *small)
{
    return log((double)pixels_of(large) / (double)pixels_of(small)) / log(4);
}

/* Estimates an encode. Sizes without any follow the nearest one that has some. */
static Estimate log_kbps(const LadderState *state, size_t curve, int k)
{
    const LadderCurve *own = &state->search->curves[curve];
    const LadderCurve *known = nearest_curve(state->search, curve);
    const Estimate slope = find_slope(state, own);
    if (!known)
        return (Estimate){pixel_power * log((double)pixels_of(own)) - slope.mean * k, 0};
    Estimate kbps = log_kbps_of(state, known, slope, k);
    kbps.mean -= pixel_power * log(4) * quarters(known, own);
    kbps.sd = hypot(kbps.sd, sd_between * log(4) * quarters(known, own));
    return kbps;
}

static double sense(const SearchGate *gate, double value)
{
    return gate->lower_is_better ? -value : value;
}

/* A score of a size as if it ended at 100, as the largest does. */
static double whole_score(const LadderSearch *search, const LadderCurve *curve,
                          const SearchGate *gate, double value)
{
    const bool ends = gate->prior.scale == CURVE_MISSING_SCORE;
    const LadderCurve *largest = &search->curves[search->n_curves - 1];
    return sense(gate, value) + (ends ? lost_of_quarter * quarters(largest, curve) : 0);
}

static size_t points_of(const LadderState *state, const LadderCurve *curve, const SearchGate *gate,
                        size_t number, CurvePoint points[CURVE_MAX_POINTS])
{
    const size_t n = curve->n < CURVE_MAX_POINTS ? curve->n : CURVE_MAX_POINTS;
    for (size_t i = 0; i < n; i++) {
        const Measurement *encode = &curve->encodes[curve->n - n + i];
        points[i] =
            (CurvePoint){.k = index_of(state, encode->q),
                         .score = whole_score(state->search, curve, gate, encode->values[number])};
    }
    return n;
}

/* The line of a small size is not as straight. What the nearest size has taught counts for one
 * without encodes. */
static CurvePrior prior_of_size(const LadderState *state, const SearchGate *gate, size_t number,
                                size_t curve)
{
    const LadderSearch *search = state->search;
    const LadderCurve *own = &search->curves[curve];
    const LadderCurve *largest = &search->curves[search->n_curves - 1];
    const LadderCurve *known = nearest_curve(search, curve);
    const double step = 1 / usual_steps(state, 1);
    CurvePrior prior = gate->prior;
    prior.bend_sd = 0; /* whole_score says where they end */
    if (known && known != own) {
        CurvePoint points[CURVE_MAX_POINTS];
        const size_t n = points_of(state, known, gate, number, points);
        prior = curve_prior_of_neighbour(&prior, points, n, step);
    }
    const double below = quarters(known && known != own ? known : largest, own);
    prior.position -= steps_of_quarter * step * below;
    prior.position_sd = hypot(prior.position_sd, steps_sd * step * below);
    prior.deviation *= 1 + fmin(1, quarters(largest, own));
    return prior;
}

/* Where the first gate of a goal is likely to fail. */
static CurveEstimate crossing_of(const LadderState *state, size_t curve, size_t goal)
{
    const LadderSearch *search = state->search;
    CurveEstimate first = {.k = INFINITY};
    for (size_t g = 0; g < search->goals[goal].n_gates; g++) {
        const SearchGate *gate = &search->goals[goal].gates[g];
        const CurvePrior prior = prior_of_size(state, gate, g, curve);
        CurvePoint points[CURVE_MAX_POINTS];
        const LadderCurve *own = &search->curves[curve];
        const size_t n = points_of(state, own, gate, g, points);
        const CurveEstimate at =
            curve_crossing(&prior, points, n, whole_score(search, own, gate, gate->target));
        if (at.k < first.k)
            first = at;
    }
    return first;
}

static bool passes(const SearchOptions *goal, const Measurement *encode)
{
    for (size_t g = 0; g < goal->n_gates; g++)
        if (!(sense(&goal->gates[g], encode->values[g]) >=
              sense(&goal->gates[g], goal->gates[g].target)))
            return false;
    return true;
}

static bool is_near(const SearchOptions *goal, const Measurement *encode)
{
    for (size_t g = 0; g < goal->n_gates; g++) {
        const SearchGate *gate = &goal->gates[g];
        if (sense(gate, encode->values[g]) - sense(gate, gate->target) < gate->stop_within)
            return true;
    }
    return false;
}

static bool is_allowed(const LadderSearch *search, double kbps)
{
    return kbps >= search->lowest_kbps &&
           (!(search->highest_kbps > 0) || kbps <= search->highest_kbps);
}

/* -- answers -- */

static void take(LadderState *state, size_t goal, size_t curve, double kbps, bool is_enough)
{
    if (log(kbps) >= state->answers[goal] || !is_allowed(state->search, kbps))
        return;
    state->answers[goal] = log(kbps);
    state->pixels[goal] = pixels_of(&state->search->curves[curve]);
    state->is_enough[goal] = is_enough;
}

static bool is_large_enough(const LadderState *state, size_t goal, size_t curve)
{
    return state->search->any_order || !goal ||
           pixels_of(&state->search->curves[curve]) >= state->pixels[goal - 1];
}

/* The cheapest of what was measured, and of what is expected of encodes that are under way. */
static void find_answer(LadderState *state, size_t goal)
{
    const LadderSearch *search = state->search;
    state->answers[goal] = INFINITY;
    state->is_enough[goal] = false;
    state->pixels[goal] = goal ? state->pixels[goal - 1] : 0;
    for (size_t c = 0; c < search->n_curves; c++) {
        const LadderCurve *curve = &search->curves[c];
        if (!is_large_enough(state, goal, c))
            continue;
        for (size_t i = 0; i < curve->n; i++)
            if (passes(&search->goals[goal], &curve->encodes[i]))
                take(state, goal, c, curve->encodes[i].kbps,
                     is_near(&search->goals[goal], &curve->encodes[i]));
    }
    for (size_t i = 0; i < state->n_pending; i++) {
        const size_t c = state->pending[i].curve;
        const int k = index_of(state, state->pending[i].q);
        if (is_large_enough(state, goal, c) && crossing_of(state, c, goal).k >= k)
            take(state, goal, c, exp(log_kbps(state, c, k).mean), false);
    }
}

/* The least k of a size that is known, or expected, to miss a goal. */
static int first_miss(const LadderState *state, size_t curve, size_t goal, CurveEstimate crossing)
{
    const LadderCurve *known = &state->search->curves[curve];
    int first = INT_MAX;
    for (size_t i = 0; i < known->n; i++) {
        const int k = index_of(state, known->encodes[i].q);
        if (k < first && !passes(&state->search->goals[goal], &known->encodes[i]))
            first = k;
    }
    for (size_t i = 0; i < state->n_pending; i++) {
        const int k = index_of(state, state->pending[i].q);
        if (state->pending[i].curve == curve && k < first && crossing.k < k)
            first = k;
    }
    return first;
}

static bool is_known(const LadderState *state, size_t curve, int k)
{
    const LadderCurve *known = &state->search->curves[curve];
    for (size_t i = 0; i < known->n; i++)
        if (index_of(state, known->encodes[i].q) == k)
            return true;
    for (size_t i = 0; i < state->n_pending; i++)
        if (state->pending[i].curve == curve && index_of(state, state->pending[i].q) == k)
            return true;
    return false;
}

/* -- what an encode is expected to save -- */

typedef struct Saving {
    double sum, most; /* of the logarithms of bitrates: over all goals, of one of them */
} Saving;

/* What a goal without an answer is taken to pay. */
static double no_answer(const LadderState *state, size_t goal, int first, int last)
{
    const size_t largest = state->search->n_curves - 1;
    const double k = crossing_of(state, largest, goal).k;
    return log_kbps(state, largest, (int)fmax(first, fmin(last, k))).mean + first_margin;
}

/* Expectation of how far an estimate is below a limit, nothing if it is above. */
static double expected_below(double limit, Estimate estimate)
{
    const double way = limit - estimate.mean;
    if (estimate.sd < 1e-6)
        return fmax(0, way);
    const double z = way / estimate.sd;
    return 0.5 * erfc(-z / sqrt(2)) * way + estimate.sd * exp(-z * z / 2) / sqrt(2 * acos(-1));
}

/* Adds what encodes of a size at first .. last are expected to save for a goal. */
static void add_savings(const LadderState *state, size_t curve, size_t goal, int first, int last,
                        Saving *savings)
{
    const CurveEstimate crossing = crossing_of(state, curve, goal);
    const int miss = first_miss(state, curve, goal, crossing);
    const double answer =
        isfinite(state->answers[goal]) ? state->answers[goal] : no_answer(state, goal, first, last);
    for (int k = first; k <= last && k < miss && !state->is_enough[goal]; k++) {
        const Estimate kbps = log_kbps(state, curve, k);
        const double margin = fmax(2 * kbps.sd, least_margin);
        if (!is_allowed(state->search, exp(kbps.mean + margin)) &&
            !is_allowed(state->search, exp(kbps.mean - margin)))
            continue;
        const double chance = 0.5 * erfc((k - crossing.k) / (caution * crossing.sd * sqrt(2)));
        const double saving = chance * expected_below(answer, kbps);
        savings[k].sum += saving;
        savings[k].most = fmax(savings[k].most, saving);
    }
}

/* Where most is saved; false: nothing that is worth an encode. */
static bool find_best(const LadderState *state, int first, int last, LadderProbe *probe)
{
    const LadderSearch *search = state->search;
    double most = 0;
    for (size_t c = 0; c < search->n_curves; c++) {
        Saving savings[SEARCH_MAX_INDICES] = {{0}};
        for (size_t g = 0; g < search->n_goals; g++)
            if (is_large_enough(state, g, c))
                add_savings(state, c, g, first, last, savings);
        for (int k = first; k <= last; k++) {
            if (savings[k].most <= LADDER_SAVING || savings[k].sum <= most || is_known(state, c, k))
                continue;
            most = savings[k].sum;
            *probe = (LadderProbe){.curve = c, .q = quality_value(&search->qualities, k)};
        }
    }
    return most > 0;
}

/* The best encode that there is, to be certain that a goal is out of reach. */
static bool find_proof(const LadderState *state, int first, LadderProbe *probe)
{
    const LadderSearch *search = state->search;
    const size_t largest = search->n_curves - 1;
    for (size_t g = 0; g < search->n_goals; g++) {
        if (isfinite(state->answers[g]) || is_known(state, largest, first))
            continue;
        *probe = (LadderProbe){.curve = largest, .q = quality_value(&search->qualities, first)};
        return true;
    }
    return false;
}

size_t ladder_next(const LadderSearch *search, size_t most, LadderProbe *probes)
{
    const int a = quality_index(&search->qualities, search->first);
    const int b = quality_index(&search->qualities, search->last);
    const int first = a < b ? a : b, last = a < b ? b : a;
    LadderState state = {.search = search, .pending = probes};
    while (state.n_pending < most) {
        for (size_t g = 0; g < search->n_goals; g++)
            find_answer(&state, g);
        LadderProbe *next = &probes[state.n_pending];
        if (!find_best(&state, first, last, next) &&
            (state.n_pending || !find_proof(&state, first, next)))
            break;
        state.n_pending++;
    }
    return state.n_pending;
}

/* -- rungs of a hull -- */

static double place_of(const EncodePoint *point, RungSpacing spacing)
{
    return spacing == RUNGS_BY_SCORE ? point->score : log(fmax(point->kbps, 1));
}

/* The first of the points nearest to `place`. */
static size_t nearest(const EncodePoint *hull, size_t n, RungSpacing spacing, double place)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(place_of(&hull[i], spacing) - place) <
            fabs(place_of(&hull[best], spacing) - place))
            best = i;
    return best;
}

/* The next that is free; when there is none, the nearest below. One is free. */
static size_t free_place(const bool *taken, size_t n, size_t wanted)
{
    size_t i = wanted;
    while (i < n && taken[i])
        i++;
    if (i < n)
        return i;
    i = wanted;
    while (taken[i])
        i--;
    return i;
}

int ladder_choose(EncodePoint *hull, size_t n, size_t wanted, RungSpacing spacing)
{
    if (!wanted || n > INT_MAX)
        return -EINVAL;
    if (wanted >= n)
        return (int)n;
    if (wanted == 1) {
        hull[0] = hull[n - 1];
        return 1;
    }
    bool *taken = calloc(n, sizeof(*taken));
    if (!taken)
        return -ENOMEM;
    const double first = place_of(&hull[0], spacing), last = place_of(&hull[n - 1], spacing);
    taken[0] = taken[n - 1] = true;
    for (size_t i = 1; i + 1 < wanted; i++) {
        const double place = first + (last - first) * (double)i / (double)(wanted - 1);
        taken[free_place(taken, n, nearest(hull, n, spacing, place))] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (taken[i])
            hull[kept++] = hull[i];
    free(taken);
    return (int)kept;
}
