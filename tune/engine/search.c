/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* After that many probes, one that does not halve what is left is the last of the estimate. */
enum { TRUSTED_PROBES = 4, TRUSTED_FINE_PROBES = 7 };

enum { INDEX_UNKNOWN, INDEX_IN_FLIGHT, INDEX_MEASURED, INDEX_FAILED };

static bool search_in_range(const QualityRange *qualities, double q)
{
    return q >= qualities->lowest && q <= qualities->highest;
}

/* Values of k that may still be the answer, or next to it. */
static int search_width(const Search *search)
{
    return search->high - search->low + 1;
}

/* What was measured of a gate, in its prior's sense and units: the last CURVE_MAX_POINTS. Their
 * number. */
static size_t search_points(const Search *search, size_t gate, CurvePoint points[CURVE_MAX_POINTS])
{
    const SearchOptions *options = &search->options;
    const double steps = quality_steps(&options->qualities);
    const size_t n = search->n_samples;
    const size_t first = n > CURVE_MAX_POINTS ? n - CURVE_MAX_POINTS : 0;
    for (size_t i = first; i < n; i++) {
        const Measurement *sample = &search->samples[i];
        const double value = sample->values[gate];
        points[i - first] =
            (CurvePoint){.k = quality_index(&options->qualities, sample->q) / steps,
                         .score = options->gates[gate].lower_is_better ? -value : value};
    }
    return n - first;
}

static bool is_gate_ok(const SearchGate *gate)
{
    const CurvePrior *prior = &gate->prior;
    return isfinite(gate->target) && gate->guard >= 0 && gate->stop_within >= 0 &&
           isfinite(prior->position) && prior->position_sd >= 0 && prior->slope > 0 &&
           prior->slope_sd >= 0 && prior->deviation >= 0;
}

static int check_options(const SearchOptions *options)
{
    const QualityRange *qualities = &options->qualities;
    if (options->n_gates < 1 || options->n_gates > SEARCH_MAX_GATES || options->jobs < 1 ||
        options->max_probes < 0 || !(options->max_kbps >= 0))
        return -EINVAL;
    if (qualities->highest < qualities->lowest ||
        ((long long)qualities->highest - qualities->lowest) * quality_steps(qualities) >=
            SEARCH_MAX_INDICES)
        return -EINVAL;
    if (!search_in_range(qualities, options->first) || !search_in_range(qualities, options->last) ||
        (options->has_start && !search_in_range(qualities, options->start)))
        return -EINVAL;
    for (size_t i = 0; i < options->n_gates; i++)
        if (!is_gate_ok(&options->gates[i]))
            return -EINVAL;
    return 0;
}

/* The number of encodes that bisection needs for n values, in the worst case. */
static int bisection_probes(int n)
{
    int probes = 0;
    for (; n; n /= 2)
        probes++;
    return probes;
}

int search_start(Search *search, const SearchOptions *options)
{
    if (check_options(options))
        return -EINVAL;
    const int a = quality_index(&options->qualities, options->first);
    const int b = quality_index(&options->qualities, options->last);
    *search =
        (Search){.options = *options, .low = a < b ? a : b, .high = a < b ? b : a, .best = -1};
    search->bisecting = options->strategy == SEARCH_BISECT;
    if (!options->max_probes) {
        const int needed =
            bisection_probes(search_width(search)) + (search->bisecting ? 0 : TRUSTED_PROBES);
        search->options.max_probes =
            options->jobs * (needed > SEARCH_DEFAULT_PROBES ? needed : SEARCH_DEFAULT_PROBES);
    }
    return 0;
}

/* How much better than the target, in the gate's own sense. */
static double margin(const SearchGate *gate, double value)
{
    return gate->lower_is_better ? gate->target - value : value - gate->target;
}

static bool passes(const Search *search, const Measurement *sample)
{
    for (size_t i = 0; i < search->options.n_gates; i++)
        if (!(margin(&search->options.gates[i], sample->values[i]) >= 0))
            return false;
    return true;
}

/* True if a sample that passes is so close to a target that the search may stop. */
static bool is_good_enough(const Search *search, const Measurement *sample)
{
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const SearchGate *gate = &search->options.gates[i];
        if (gate->stop_within > 0 && margin(gate, sample->values[i]) <= gate->stop_within)
            return true;
    }
    return false;
}

static bool is_plausible(const Search *search, const Measurement *sample)
{
    const double rounding = 1e-9; /* of a harmonic mean of scores that are all 100 */
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const double value = sample->values[i];
        if (!isfinite(value) || (search->options.gates[i].is_percentage &&
                                 (value < -rounding || value > 100 + rounding)))
            return false;
    }
    return isfinite(sample->kbps) && sample->kbps >= 0;
}

/* True if the more compressed one of two samples is clearly better. */
static bool contradicts(const Search *search, const Measurement *a, const Measurement *b)
{
    const QualityRange *qualities = &search->options.qualities;
    const bool a_first = quality_index(qualities, a->q) < quality_index(qualities, b->q);
    const Measurement *less = a_first ? a : b, *more = a_first ? b : a;
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const SearchGate *gate = &search->options.gates[i];
        if (margin(gate, more->values[i]) > margin(gate, less->values[i]) + gate->guard)
            return true;
    }
    return false;
}

static bool violates(const Search *search, const Measurement *sample)
{
    for (size_t i = 0; i < search->n_samples; i++)
        if (contradicts(search, &search->samples[i], sample))
            return true;
    return false;
}

static const Measurement *sample_at(const Search *search, int k)
{
    return &search->samples[search->sample_of[k]];
}

/* Less than the distance of any two values: with that, q itself is on either side of it. */
static const double here = -1e-6;

/* The encode nearest to q on a side of it that has a bitrate; NULL if there is none. */
static const Measurement *nearest_encode(const Search *search, double q, bool above, double beyond)
{
    const Measurement *best = NULL;
    double least = 0;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        const double distance = above ? sample->q - q : q - sample->q;
        if (sample->kbps > 0 && distance > beyond && (!best || distance < least)) {
            best = sample;
            least = distance;
        }
    }
    return best;
}

/* -- where the curve says that the targets are -- */

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
    const double steps = quality_steps(&search->options.qualities);
    Crossing crossing = {.k = at.k * steps, .sd = at.sd * steps};
    if (options->stop_within > 0) {
        const double enough = target + options->stop_within;
        const double there = curve_crossing(&options->prior, points, n, enough).k * steps;
        crossing.within = fmax(0, crossing.k - there);
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

/*
 * By how much the logarithm of bitrate falls in a step near k: between the encodes around it, and
 * of those of a single one as x264's manual has it, half the bits for 6 of 52 values.
 */
static double bits_of_step(const Search *search, int k)
{
    const QualityRange *qualities = &search->options.qualities;
    const double usual = log(2) / 6 * 52 / (quality_last_index(qualities) + 1);
    const double q = quality_value(qualities, k);
    const Measurement *a = nearest_encode(search, q, false, here);
    const Measurement *b = nearest_encode(search, q, true, a && a->q == q ? 0 : here);
    if (!b && a)
        b = nearest_encode(search, q, false, q - a->q);
    if (!a && b)
        a = nearest_encode(search, q, true, b->q - q);
    if (!a || !b)
        return usual;
    const int steps = quality_index(qualities, b->q) - quality_index(qualities, a->q);
    return fmin(3 * usual, fmax(usual / 3, log(a->kbps / b->kbps) / steps));
}

/* True if the curve may say that what could be saved is little enough. */
static bool is_fine(const Search *search)
{
    return search->options.savings > 0 && quality_steps(&search->options.qualities) > 1;
}

/* True if there is an answer beyond which the curve promises next to no bits. */
static bool saves_little(const Search *search)
{
    if (search->best < 0 || !is_fine(search) || search->scanning || search->low > search->high)
        return false;
    const Crossing crossing = first_crossing(search);
    const double little = -log1p(-search->options.savings) / bits_of_step(search, search->best);
    /* An estimate that knows little promises nothing. */
    return crossing.sd <= 5 * little && fmin(crossing.k, search->high + 1) - search->best <= little;
}

/* -- what was measured -- */

static void finish(Search *search)
{
    if (search->best < 0)
        search->status = search->low > search->high ? SEARCH_UNREACHABLE : SEARCH_EXHAUSTED;
    else if (search->options.max_kbps > 0 &&
             sample_at(search, search->best)->kbps > search->options.max_kbps)
        search->status = SEARCH_TOO_LARGE;
    else
        search->status = SEARCH_FOUND;
}

/* The samples at the most compressed end of what is left decide, as far as they are there. */
static void advance_scan(Search *search)
{
    while (search->low <= search->high && search->state[search->high] == INDEX_MEASURED) {
        if (passes(search, sample_at(search, search->high))) {
            search->best = search->high;
            search->low = search->high + 1;
        } else {
            search->high--;
        }
    }
}

/* Score of a gate at k, between what was measured; NAN beyond that. */
static double value_at(const Search *search, size_t gate, int k)
{
    int below = k, above = k;
    while (below >= 0 && search->state[below] != INDEX_MEASURED)
        below--;
    while (above < SEARCH_MAX_INDICES && search->state[above] != INDEX_MEASURED)
        above++;
    if (below < 0 || above == SEARCH_MAX_INDICES)
        return NAN;
    const double first = sample_at(search, below)->values[gate];
    const double last = sample_at(search, above)->values[gate];
    return above == below ? first : first + (last - first) * (k - below) / (above - below);
}

/* True if k passes, but the sampled search predicts that the next more compressed value fails. */
static bool next_is_refuted(const Search *search, int k)
{
    const Search *sampled = search->options.sampled;
    if (!sampled || k + 1 >= SEARCH_MAX_INDICES)
        return false;
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const double change = value_at(sampled, i, k + 1) - value_at(sampled, i, k);
        const double expected = sample_at(search, k)->values[i] + change;
        if (margin(&search->options.gates[i], expected) < 0) /* not NAN */
            return true;
    }
    return false;
}

static void narrow(Search *search, int k)
{
    const Measurement *sample = sample_at(search, k);
    if (k < search->low || k > search->high)
        return;
    const int width = search_width(search);
    if (passes(search, sample)) {
        search->best = k;
        search->low = k + 1;
        search->good_enough = is_good_enough(search, sample);
        if (next_is_refuted(search, k))
            search->high = k;
    } else {
        search->high = k - 1;
        /* Whatever reaches the targets is larger still. */
        if (search->options.max_kbps > 0 && sample->kbps > search->options.max_kbps)
            search->status = SEARCH_TOO_LARGE;
    }
    if (search->probes >= (is_fine(search) ? TRUSTED_FINE_PROBES : TRUSTED_PROBES) &&
        2 * search_width(search) > width && (search->best >= 0 || !is_fine(search)))
        search->bisecting = true;
}

static void keep_sample(Search *search, int k, const Measurement *sample)
{
    search->sample_of[k] = (int)search->n_samples;
    search->samples[search->n_samples++] = *sample;
    search->state[k] = INDEX_MEASURED;
}

static void record(Search *search, int k, const Measurement *sample)
{
    const bool violation = violates(search, sample);
    keep_sample(search, k, sample);
    if (violation) {
        search->non_monotonic = true;
        if (search->options.on_non_monotonic == NON_MONOTONIC_FAIL) {
            search->status = SEARCH_NON_MONOTONIC;
            return;
        }
        if (search->options.on_non_monotonic == NON_MONOTONIC_SCAN)
            search->scanning = true;
    }
    if (search->scanning)
        advance_scan(search);
    else
        narrow(search, k);
}

static void conclude(Search *search)
{
    if (search->status != SEARCH_RUNNING)
        return;
    search->good_enough |= saves_little(search);
    const bool decided = search->low > search->high || search->good_enough;
    const bool spent = search->probes >= search->options.max_probes && !search->in_flight;
    if (decided || spent)
        finish(search);
}

int search_know(Search *search, const Measurement *measurement)
{
    if (!search_in_range(&search->options.qualities, measurement->q) ||
        !is_plausible(search, measurement))
        return -EINVAL;
    const int k = quality_index(&search->options.qualities, measurement->q);
    if (search->state[k] == INDEX_UNKNOWN) {
        record(search, k, measurement);
        conclude(search);
    }
    return 0;
}

/* -1 if that q is not being encoded. */
static int index_in_flight(const Search *search, double q)
{
    if (!search_in_range(&search->options.qualities, q))
        return -1;
    const int k = quality_index(&search->options.qualities, q);
    return search->state[k] == INDEX_IN_FLIGHT ? k : -1;
}

static void fail_at(Search *search, int k)
{
    search->state[k] = INDEX_FAILED;
    if (search->status == SEARCH_RUNNING)
        search->status = SEARCH_FAILED;
}

int search_report(Search *search, const Measurement *measurement)
{
    const int k = index_in_flight(search, measurement->q);
    if (k < 0)
        return -EINVAL;
    search->in_flight--;
    if (!is_plausible(search, measurement)) {
        fail_at(search, k);
        return 0;
    }
    if (search_is_over(search)) { /* it came late: kept, but nothing changes */
        keep_sample(search, k, measurement);
        return 0;
    }
    record(search, k, measurement);
    conclude(search);
    return 0;
}

int search_report_failure(Search *search, double q)
{
    const int k = index_in_flight(search, q);
    if (k < 0)
        return -EINVAL;
    search->in_flight--;
    fail_at(search, k);
    return 0;
}

void search_end(Search *search)
{
    search->options.max_probes = search->probes;
    conclude(search);
}

bool search_is_over(const Search *search)
{
    return search->status != SEARCH_RUNNING;
}

bool search_is_unneeded(const Search *search, double q)
{
    const int k = index_in_flight(search, q);
    return k >= 0 && (search_is_over(search) || k < search->low || k > search->high);
}

int search_cancelled(Search *search, double q)
{
    const int k = index_in_flight(search, q);
    if (k < 0)
        return -EINVAL;
    search->in_flight--;
    search->state[k] = INDEX_UNKNOWN;
    conclude(search);
    return 0;
}

void search_result(const Search *search, SearchResult *result)
{
    *result = (SearchResult){
        .status = search->status,
        .ok = search->status == SEARCH_FOUND,
        .best_q = -1,
        .n_iterations = search->probes,
        .converged = search->low > search->high || search->good_enough,
        .non_monotonic = search->non_monotonic,
        .samples = search->samples,
        .n_samples = search->n_samples,
    };
    if (search->best >= 0) {
        result->best_q = quality_value(&search->options.qualities, search->best);
        result->best = *sample_at(search, search->best);
    }
}

CurvePrior search_learned(const Search *search, size_t gate, double position_sd)
{
    CurvePoint points[CURVE_MAX_POINTS];
    const size_t n = search_points(search, gate, points);
    return curve_prior_of_neighbour(&search->options.gates[gate].prior, points, n, position_sd);
}

int search_verification(const Search *sampled, double sd, int max_probes, SearchOptions *options)
{
    if (sampled->status != SEARCH_FOUND || !(sd >= 0) || max_probes < 1)
        return -EINVAL;
    *options = sampled->options;
    options->strategy = SEARCH_INTERPOLATE;
    options->has_start = true;
    options->start = quality_value(&options->qualities, sampled->best);
    options->jobs = 1;
    options->max_probes = max_probes;
    options->on_non_monotonic = NON_MONOTONIC_KEEP;
    options->sampled = sampled;
    for (size_t i = 0; i < options->n_gates; i++) {
        options->gates[i].prior = search_learned(sampled, i, sd);
        options->gates[i].stop_within = 0;
    }
    return 0;
}

/* -- which encode is next -- */

/* If the estimate is less certain than that, in steps, jobs look at different places, not
 * neighbours. */
static const double spread_sd = 1.5;

/* If it is more certain than that, what is settled next to a probe counts. */
static const double settled_sd = 0.7;

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
 * is good enough, and where fractions are fine enough, with nothing else.
 */
static double usefulness(const Search *search, int k, Crossing crossing)
{
    const double enough = normal_below(k + crossing.within, crossing) - normal_below(k, crossing);
    if (is_fine(search))
        return enough;
    const double below = normal_below(k, crossing) - normal_below(k - 1, crossing);
    const double above = normal_below(k + 1, crossing) - normal_below(k, crossing);
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

/*
 * On a scale of fractions: how near is near enough, and how far from the estimate to stay. Encodes
 * of neighbours scatter, and some curves are flat there, so with each one that fails close to the
 * estimate the next is twice as far from it, but no farther than half way to the answer so far.
 */
static void aim_at_enough(const Search *search, Crossing *crossing)
{
    const int near = (int)fmin(search->high, fmax(search->low, crossing->k));
    const double enough = search->options.savings / bits_of_step(search, near);
    const double unit = quality_steps(&search->options.qualities);
    double back = -1;
    for (int k = search->high + 1; k <= crossing->k + unit && k < SEARCH_MAX_INDICES; k++)
        if (search->state[k] == INDEX_MEASURED && !passes(search, sample_at(search, k)))
            back = back < 0 ? 0 : 2 * back + 1;
    crossing->within = fmax(crossing->within, enough);
    if (back > 0 && (search->best < 0 || crossing->k - search->best > unit))
        crossing->k -= fmin(back * enough, (crossing->k - search->best) / 2);
}

static int next_by_estimate(const Search *search)
{
    Crossing crossing = first_crossing(search);
    if (is_fine(search))
        aim_at_enough(search, &crossing);
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
        return nearest_open(search, quality_index(&options->qualities, options->start));
    return search->bisecting ? next_by_bisection(search, waiting + 1) : next_by_estimate(search);
}

bool search_next(Search *search, double *q)
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
    *q = quality_value(&search->options.qualities, k);
    return true;
}

double search_predicted_kbps(const Search *search, double q)
{
    const Measurement *a = nearest_encode(search, q, false, here);
    const Measurement *b = nearest_encode(search, q, true, here);
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
