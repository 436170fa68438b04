/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/plan/ladder.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Bitrate falls by this factor (its logarithm) from one end of an encoder's qualities to the
 * other, and with the number of pixels to this power, until more is known. */
static const double whole_range = 6, pixel_power = 0.75;

/* How far the logarithm of a bitrate may be off for each unit that it is extrapolated: by the usual
 * slope, by that of what was encoded; and between sizes. */
static const double sd_of_usual = 0.3, sd_of_known = 0.1, sd_between = 0.15;

/* How far beyond a limit of bitrates an estimate may be in any case. */
static const double least_margin = 0.05;

/* With a quarter of the pixels, VMAF ends so much below 100, and the same distance from that end
 * costs so many steps, of an encoder that has about 50, give or take. */
static const double lost_of_quarter = 4, steps_of_quarter = 4, steps_sd = 2;

/* Priors are of a few videos: others deviate by more. */
static const double caution = 1.3;

/* The logarithm of how much dearer the first answer of a goal is taken to be than the largest size
 * is likely to make it. */
static const double first_margin = 0.4;

typedef struct Estimate {
    double mean, sd;
} Estimate;

static long long pixels_of(const LadderCurve *curve)
{
    return (long long)curve->width * curve->height;
}

/* How many times a quarter `small` is of `large`. */
static double quarters(const LadderCurve *large, const LadderCurve *small)
{
    return log((double)pixels_of(large) / (double)pixels_of(small)) / log(4);
}

/* The indices that may be encoded. */
static int first_index(const LadderSearch *ladder)
{
    return (int)fmin(quality_index(&ladder->qualities, ladder->first),
                     quality_index(&ladder->qualities, ladder->last));
}

static int last_index(const LadderSearch *ladder)
{
    return (int)fmax(quality_index(&ladder->qualities, ladder->first),
                     quality_index(&ladder->qualities, ladder->last));
}

static const LadderCurve *largest_of(const LadderSearch *ladder)
{
    return &ladder->curves[ladder->n_curves - 1];
}

/* The nearest size that has encodes; NULL: none has. */
static const LadderCurve *nearest_curve(const LadderSearch *ladder, const LadderCurve *curve)
{
    const LadderCurve *nearest = NULL;
    for (size_t i = 0; i < ladder->n_curves; i++) {
        const LadderCurve *other = &ladder->curves[i];
        if (other->n && (!nearest || labs(other - curve) < labs(nearest - curve)))
            nearest = other;
    }
    return nearest;
}

/* -- bitrates -- */

/* How the logarithm of bitrate falls with each step, by the ends of what was encoded. */
static Estimate slope_of(const LadderSearch *ladder, const LadderCurve *curve)
{
    const Measurement *first = curve->encodes, *last = first;
    for (size_t i = 1; i < curve->n; i++) {
        const Measurement *encode = &curve->encodes[i];
        if (encode->kbps > first->kbps)
            first = encode;
        if (encode->kbps < last->kbps)
            last = encode;
    }
    const int steps = curve->n ? quality_index(&ladder->qualities, last->q) -
                                     quality_index(&ladder->qualities, first->q)
                               : 0;
    if (steps > 0)
        return (Estimate){log(first->kbps / last->kbps) / steps, sd_of_known};
    return (Estimate){whole_range / quality_last_index(&ladder->qualities), sd_of_usual};
}

/* A line between the encodes on both sides, or on from the nearest one. Sizes without any follow
 * the nearest one that has some. */
static Estimate log_kbps(const LadderSearch *ladder, const LadderCurve *curve, int k)
{
    const LadderCurve *known = nearest_curve(ladder, curve);
    Estimate slope = slope_of(ladder, known ? known : curve);
    if (!known)
        return (Estimate){pixel_power * log((double)pixels_of(curve)) - slope.mean * k, 0};
    const double smaller = log(4) * quarters(known, curve);
    const Measurement *near[2] = {NULL, NULL}; /* below, above */
    int way[2] = {INT_MIN, INT_MAX};
    for (size_t i = 0; i < known->n; i++) {
        const int steps = quality_index(&ladder->qualities, known->encodes[i].q) - k;
        const int side = steps > 0;
        if (side ? steps < way[1] : steps > way[0]) {
            near[side] = &known->encodes[i];
            way[side] = steps;
        }
    }
    const int side = !near[0] || (near[1] && way[1] < -way[0]);
    if (near[0] && near[1])
        slope.mean = log(near[0]->kbps / near[1]->kbps) / (way[1] - way[0]);
    return (Estimate){log(near[side]->kbps) + slope.mean * way[side] - pixel_power * smaller,
                      hypot(fabs(slope.mean * way[side]) * slope.sd, sd_between * smaller)};
}

static bool is_allowed(const LadderSearch *ladder, double kbps)
{
    return kbps >= ladder->lowest_kbps &&
           (!(ladder->highest_kbps > 0) || kbps <= ladder->highest_kbps);
}

/* -- scores -- */

/* What is added to a score of a size so that it ends at 100, as the largest does. */
static double shift_of(const LadderSearch *ladder, const LadderCurve *curve, const SearchGate *gate)
{
    return gate->prior.scale == CURVE_MISSING_SCORE
               ? lost_of_quarter * quarters(largest_of(ladder), curve)
               : 0;
}

static size_t points_of(const LadderSearch *ladder, const LadderCurve *curve,
                        const SearchGate *gate, size_t number, CurvePoint points[CURVE_MAX_POINTS])
{
    const size_t n = curve->n < CURVE_MAX_POINTS ? curve->n : CURVE_MAX_POINTS;
    const double steps = quality_steps(&ladder->qualities);
    for (size_t i = 0; i < n; i++) {
        const Measurement *encode = &curve->encodes[curve->n - n + i];
        const double value = encode->values[number];
        points[i] = (CurvePoint){.k = quality_index(&ladder->qualities, encode->q) / steps,
                                 .score = (gate->lower_is_better ? -value : value) +
                                          shift_of(ladder, curve, gate)};
    }
    return n;
}

/* The line of a small size is not as straight. What the nearest size has taught counts for one
 * without encodes. */
static CurvePrior prior_of_size(const LadderSearch *ladder, const LadderCurve *curve,
                                const SearchGate *gate, size_t number)
{
    const LadderCurve *largest = largest_of(ladder), *known = nearest_curve(ladder, curve);
    const double step = (ladder->qualities.highest - ladder->qualities.lowest) / 50.0;
    CurvePrior prior = gate->prior;
    prior.bend_sd = 0; /* whole_score says where they end */
    if (!known || known == curve) {
        known = largest;
    } else {
        CurvePoint points[CURVE_MAX_POINTS];
        const size_t n = points_of(ladder, known, gate, number, points);
        prior = curve_prior_of_neighbour(&prior, points, n, step);
    }
    const double below = quarters(known, curve);
    prior.position -= steps_of_quarter * step * below;
    prior.position_sd = hypot(prior.position_sd, steps_sd * step * below);
    prior.deviation *= 1 + fmin(1, quarters(largest, curve));
    return prior;
}

/* Where the first gate of a goal is likely to fail, in steps. */
static CurveEstimate crossing_of(const LadderSearch *ladder, const LadderCurve *curve, size_t goal)
{
    const double steps = quality_steps(&ladder->qualities);
    CurveEstimate first = {.k = INFINITY};
    for (size_t g = 0; g < ladder->goals[goal].n_gates; g++) {
        const SearchGate *gate = &ladder->goals[goal].gates[g];
        const CurvePrior prior = prior_of_size(ladder, curve, gate, g);
        CurvePoint points[CURVE_MAX_POINTS];
        const size_t n = points_of(ladder, curve, gate, g, points);
        const double target = gate->lower_is_better ? -gate->target : gate->target;
        const CurveEstimate at =
            curve_crossing(&prior, points, n, target + shift_of(ladder, curve, gate));
        if (at.k * steps < first.k)
            first = (CurveEstimate){at.k * steps, at.sd * steps};
    }
    return first;
}

/* By how much the gate that has the least is reached; less than 0: one is missed. */
static double margin_of(const SearchOptions *goal, const Measurement *encode)
{
    double least = INFINITY;
    for (size_t g = 0; g < goal->n_gates; g++) {
        const SearchGate *gate = &goal->gates[g];
        const double over = encode->values[g] - gate->target;
        least = fmin(least, gate->lower_is_better ? -over : over);
    }
    return least;
}

/* -- the next encode -- */

/* The cheapest that was measured. */
typedef struct Answer {
    double log_kbps;  /* INFINITY: none */
    long long pixels; /* that the answer of the next goal has at least */
    bool is_enough;   /* it is as near to the target as is asked for */
} Answer;

static Answer find_answer(const LadderSearch *ladder, size_t goal, long long pixels)
{
    const SearchOptions *options = &ladder->goals[goal];
    Answer answer = {INFINITY, pixels, false};
    for (const LadderCurve *curve = ladder->curves; curve <= largest_of(ladder); curve++)
        for (size_t i = 0; i < curve->n && pixels_of(curve) >= pixels; i++) {
            const Measurement *encode = &curve->encodes[i];
            const double margin = margin_of(options, encode);
            if (margin >= 0 && is_allowed(ladder, encode->kbps) &&
                log(encode->kbps) < answer.log_kbps)
                answer = (Answer){log(encode->kbps), ladder->any_order ? 0 : pixels_of(curve),
                                  margin < options->gates[0].stop_within};
        }
    return answer;
}

/* Expectation of how far an estimate is below a limit, nothing if it is above. */
static double expected_below(double limit, Estimate estimate)
{
    const double way = limit - estimate.mean, sd = fmax(estimate.sd, 1e-6), z = way / sd;
    return 0.5 * erfc(-z / sqrt(2)) * way + sd * exp(-z * z / 2) / sqrt(2 * acos(-1));
}

/* Measured, or under way, or what is under way is for the same goal. */
static bool is_probed(const LadderSearch *ladder, const LadderProbe *probes, size_t n,
                      const LadderProbe *probe)
{
    const LadderCurve *curve = &ladder->curves[probe->curve];
    for (size_t i = 0; i < curve->n; i++)
        if (curve->encodes[i].q == probe->q)
            return true;
    for (size_t i = 0; i < n; i++)
        if (probes[i].curve == probe->curve &&
            (probes[i].q == probe->q || probes[i].goal == probe->goal))
            return true;
    return false;
}

/* The logarithm of what a goal pays without this encode. */
static double limit_of(const LadderSearch *ladder, const Answer *answer, size_t goal)
{
    const LadderCurve *largest = largest_of(ladder);
    if (isfinite(answer->log_kbps))
        return answer->log_kbps;
    const double k = crossing_of(ladder, largest, goal).k;
    return log_kbps(ladder, largest, (int)fmax(first_index(ladder), fmin(last_index(ladder), k)))
               .mean +
           first_margin;
}

/* Finds the encode of a size that is expected to save most for a goal: how much, of the logarithm
 * of bitrate. */
static double find_saving(const LadderSearch *ladder, const Answer *answer,
                          const LadderProbe *probes, size_t n_probes, LadderProbe *probe)
{
    const LadderCurve *curve = &ladder->curves[probe->curve];
    const SearchOptions *goal = &ladder->goals[probe->goal];
    const CurveEstimate crossing = crossing_of(ladder, curve, probe->goal);
    const double limit = limit_of(ladder, answer, probe->goal);
    LadderProbe at = *probe;
    double most = 0;
    int end = last_index(ladder) + 1;
    for (size_t i = 0; i < curve->n; i++)
        if (margin_of(goal, &curve->encodes[i]) < 0)
            end = (int)fmin(end, quality_index(&ladder->qualities, curve->encodes[i].q));
    for (int k = first_index(ladder); k < end; k++) {
        const Estimate kbps = log_kbps(ladder, curve, k);
        const double margin = fmax(2 * kbps.sd, least_margin);
        const double chance = 0.5 * erfc((k - crossing.k) / (caution * crossing.sd * sqrt(2)));
        const double saving = chance * expected_below(limit, kbps);
        at.q = quality_value(&ladder->qualities, k);
        if (saving <= most || is_probed(ladder, probes, n_probes, &at) ||
            (!is_allowed(ladder, exp(kbps.mean + margin)) &&
             !is_allowed(ladder, exp(kbps.mean - margin))))
            continue;
        most = saving;
        *probe = at;
    }
    return most;
}

/* The encode that is expected to save most; false: none is worth it. */
static bool find_best(const LadderSearch *ladder, const LadderProbe *probes, size_t n,
                      LadderProbe *best)
{
    double most = LADDER_SAVING;
    long long pixels = 0;
    for (size_t g = 0; g < ladder->n_goals; g++) {
        const Answer answer = find_answer(ladder, g, pixels);
        for (size_t c = 0; c < ladder->n_curves && !answer.is_enough; c++) {
            LadderProbe probe = {.curve = c, .goal = g};
            if (pixels_of(&ladder->curves[c]) < pixels)
                continue;
            const double saving = find_saving(ladder, &answer, probes, n, &probe);
            if (saving > most) {
                most = saving;
                *best = probe;
            }
        }
        pixels = answer.pixels;
    }
    return most > LADDER_SAVING;
}

/* The best encode that there is, to be certain that a goal is out of reach. */
static bool find_proof(const LadderSearch *ladder, LadderProbe *probe)
{
    *probe = (LadderProbe){.curve = ladder->n_curves - 1,
                           .q = quality_value(&ladder->qualities, first_index(ladder))};
    for (size_t g = 0; g < ladder->n_goals; g++)
        if (isinf(find_answer(ladder, g, 0).log_kbps) && !is_probed(ladder, NULL, 0, probe))
            return true;
    return false;
}

size_t ladder_next(const LadderSearch *ladder, size_t most, LadderProbe *probes)
{
    size_t n = 0;
    while (n < most && find_best(ladder, probes, n, &probes[n]))
        n++;
    return n || !most ? n : find_proof(ladder, probes);
}

/* -- rungs of a hull -- */

static double place_of(const EncodePoint *point, RungSpacing spacing)
{
    return spacing == RUNGS_BY_SCORE ? point->score : log(fmax(point->kbps, 1));
}

/* The point nearest to a place; if it is taken, the next that is free, or the nearest below. */
static size_t free_point(const EncodePoint *hull, size_t n, RungSpacing spacing, double place,
                         const bool *taken)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(place_of(&hull[i], spacing) - place) <
            fabs(place_of(&hull[best], spacing) - place))
            best = i;
    for (size_t i = best; i < n; i++)
        if (!taken[i])
            return i;
    while (taken[best])
        best--;
    return best;
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
        taken[free_point(hull, n, spacing, place, taken)] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (taken[i])
            hull[kept++] = hull[i];
    free(taken);
    return (int)kept;
}
