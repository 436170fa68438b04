/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/search.h"

#include "tune/engine/search_state.h"

#include <math.h>

/* If the estimate is less certain than that, in steps, jobs look at different places, not
 * neighbours. */
static const double spread_sd = 1.5;

/* If it is more certain than that, what is settled next to a probe counts. */
static const double settled_sd = 0.7;

size_t search_points(const Search *search, size_t gate, CurvePoint points[CURVE_MAX_POINTS])
{
    const SearchOptions *options = &search->options;
    const size_t n = search->n_samples;
    const size_t first = n > CURVE_MAX_POINTS ? n - CURVE_MAX_POINTS : 0;
    for (size_t i = first; i < n; i++) {
        const Measurement *sample = &search->samples[i];
        const double value = sample->values[gate];
        points[i - first] =
            (CurvePoint){.k = knob_index(&options->knob, sample->q),
                         .score = options->gates[gate].lower_is_better ? -value : value};
    }
    return n - first;
}

typedef struct Crossing {
    double k, sd;  /* where the first of the gates is likely to fail */
    double within; /* so many steps before that, its score is good enough to stop */
} Crossing;

static Crossing gate_crossing(const Search *search, size_t gate)
{
    const SearchGate *options = &search->options.gates[gate];
    CurvePoint points[CURVE_MAX_POINTS];
    const size_t n = search_points(search, gate, points);
    const double target = options->lower_is_better ? -options->target : options->target;
    const CurveEstimate at = curve_crossing(&options->prior, points, n, target);
    Crossing crossing = {.k = at.k, .sd = at.sd};
    if (options->stop_within > 0) {
        const double enough = target + options->stop_within;
        crossing.within = fmax(0, at.k - curve_crossing(&options->prior, points, n, enough).k);
    }
    return crossing;
}

static Crossing first_crossing(const Search *search)
{
    Crossing first = {.k = INFINITY};
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const Crossing crossing = gate_crossing(search, i);
        if (crossing.k < first.k)
            first = crossing;
    }
    return first;
}

/* Probability that it is below x. */
static double normal_below(double x, Crossing crossing)
{
    return 0.5 * erfc((crossing.k - x) / (crossing.sd * sqrt(2)));
}

/* True if k needs no encode of its own any more: outside of what is left, or under way. */
static bool is_settled(const Search *search, int k)
{
    return k < search->low || k > search->high || search->state[k] != INDEX_UNKNOWN;
}

/*
 * How useful k is: the search ends with a pair of neighbours, so the probability that k is one of
 * the two counts, and more where the other one is settled. Far from certain, that pair is rarely
 * the right one, and what is learned about the curve matters more. It also ends with a score that
 * is good enough.
 */
static double usefulness(const Search *search, int k, Crossing crossing)
{
    const double below = normal_below(k, crossing) - normal_below(k - 1, crossing);
    const double above = normal_below(k + 1, crossing) - normal_below(k, crossing);
    const double enough = normal_below(k + crossing.within, crossing) - normal_below(k, crossing);
    const double settled = crossing.sd < settled_sd ? 2 : 1;
    return below * (is_settled(search, k - 1) ? settled : 1) +
           above * (is_settled(search, k + 1) ? settled : 1) + 2 * enough;
}

/* The value nearest to `place` that needs an encode; -1 if none does. */
static int nearest_open(const Search *search, double place)
{
    int best = -1;
    for (int k = search->low; k <= search->high; k++)
        if (!is_settled(search, k) && (best < 0 || fabs(k - place) < fabs(best - place)))
            best = k;
    return best;
}

static int in_flight_inside(const Search *search)
{
    int n = 0;
    for (int k = search->low; k <= search->high; k++)
        n += search->state[k] == INDEX_IN_FLIGHT;
    return n;
}

static int next_by_estimate(const Search *search)
{
    Crossing crossing = first_crossing(search);
    /* What was measured is certain; the estimate only knows where it was likely. */
    crossing.k = fmin(search->high + 1, fmax(search->low - 1, crossing.k));
    const int jobs = search->options.jobs;
    /* The last chance for something that passes at all. */
    if (search->best < 0 && search->probes + 1 == search->options.max_probes)
        return nearest_open(search, floor(crossing.k - crossing.sd));
    if (jobs > 1 && crossing.sd > spread_sd) {
        const double part = (2.0 * in_flight_inside(search) + 1 - jobs) / jobs;
        return nearest_open(search, crossing.k + 1.2 * part * crossing.sd);
    }
    int best = -1;
    double most = -1;
    for (int k = search->low; k <= search->high; k++) {
        if (is_settled(search, k))
            continue;
        const double use = usefulness(search, k, crossing);
        if (use > most) {
            most = use;
            best = k;
        }
    }
    /* Otherwise it is so far away that all probabilities are 0. */
    return most > 0 ? best : nearest_open(search, crossing.k);
}

/* Part of what is left that the next job of a wave looks at; the middle if there is one job. */
static int next_by_bisection(const Search *search, int part)
{
    const int parts = search->options.jobs + 1;
    return nearest_open(search, search->low + search_width(search) * part / parts);
}

static int next_index(const Search *search)
{
    const SearchOptions *options = &search->options;
    const int waiting = in_flight_inside(search);
    if (search->scanning)
        return nearest_open(search, search->high);
    if (options->has_start && !search->n_samples && !search->in_flight)
        return nearest_open(search, knob_index(&options->knob, options->start));
    return search->bisecting ? next_by_bisection(search, waiting + 1) : next_by_estimate(search);
}

bool search_next(Search *search, int *q)
{
    if (search_is_over(search) || search->in_flight >= search->options.jobs ||
        search->probes >= search->options.max_probes)
        return false;
    const int k = next_index(search);
    if (k < 0)
        return false;
    search->state[k] = INDEX_IN_FLIGHT;
    search->in_flight++;
    search->probes++;
    *q = knob_value(&search->options.knob, k);
    return true;
}

/* The encode nearest to q on a side of it that has a bitrate; NULL if there is none. */
static const Measurement *nearest_encode(const Search *search, int q, bool above, int beyond)
{
    const Measurement *best = NULL;
    int least = 0;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        const int distance = above ? sample->q - q : q - sample->q;
        if (sample->kbps > 0 && distance > beyond && (!best || distance < least)) {
            best = sample;
            least = distance;
        }
    }
    return best;
}

double search_predicted_kbps(const Search *search, int q)
{
    const Measurement *a = nearest_encode(search, q, false, -1);
    const Measurement *b = nearest_encode(search, q, true, -1);
    if (a && a->q == q)
        return a->kbps;
    if (!a && b) /* all on one side: the two nearest */
        a = nearest_encode(search, q, true, b->q - q);
    else if (a && !b)
        b = nearest_encode(search, q, false, q - a->q);
    if (!a || !b)
        return NAN;
    const double slope = (log(b->kbps) - log(a->kbps)) / (b->q - a->q);
    return exp(log(a->kbps) + slope * (q - a->q));
}
