/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/search.h"

#include "tune/engine/search_state.h"

#include <errno.h>
#include <math.h>

static bool is_gate_ok(const SearchGate *gate)
{
    const CurvePrior *prior = &gate->prior;
    return isfinite(gate->target) && gate->guard >= 0 && gate->stop_within >= 0 &&
           isfinite(prior->position) && prior->position_sd >= 0 && prior->slope > 0 &&
           prior->slope_sd >= 0 && prior->deviation >= 0;
}

static int check_options(const SearchOptions *options)
{
    const Knob *knob = &options->knob;
    if (options->n_gates < 1 || options->n_gates > SEARCH_MAX_GATES || options->jobs < 1 ||
        options->max_probes < 0 || !(options->max_kbps >= 0))
        return -EINVAL;
    if (knob->highest < knob->lowest ||
        (long long)knob->highest - knob->lowest >= SEARCH_MAX_INDICES)
        return -EINVAL;
    if (!search_in_range(knob, options->first) || !search_in_range(knob, options->last) ||
        (options->has_start && !search_in_range(knob, options->start)))
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
    const int a = knob_index(&options->knob, options->first);
    const int b = knob_index(&options->knob, options->last);
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
    for (size_t i = 0; i < search->options.n_gates; i++) {
        const double value = sample->values[i];
        if (!isfinite(value) ||
            (search->options.gates[i].is_percentage && (value < 0 || value > 100)))
            return false;
    }
    return isfinite(sample->kbps) && sample->kbps >= 0;
}

/* True if the more compressed one of two samples is clearly better. */
static bool contradicts(const Search *search, const Measurement *a, const Measurement *b)
{
    const Knob *knob = &search->options.knob;
    const bool a_first = knob_index(knob, a->q) < knob_index(knob, b->q);
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
    if (search->probes >= TRUSTED_PROBES && 2 * search_width(search) > width)
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
    const bool decided = search->low > search->high || search->good_enough;
    const bool spent = search->probes >= search->options.max_probes && !search->in_flight;
    if (decided || spent)
        finish(search);
}

int search_know(Search *search, const Measurement *measurement)
{
    if (!search_in_range(&search->options.knob, measurement->q) ||
        !is_plausible(search, measurement))
        return -EINVAL;
    const int k = knob_index(&search->options.knob, measurement->q);
    if (search->state[k] == INDEX_UNKNOWN) {
        record(search, k, measurement);
        conclude(search);
    }
    return 0;
}

/* -1 if that q is not being encoded. */
static int index_in_flight(const Search *search, int q)
{
    if (!search_in_range(&search->options.knob, q))
        return -1;
    const int k = knob_index(&search->options.knob, q);
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

int search_report_failure(Search *search, int q)
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

bool search_is_moot(const Search *search, int q)
{
    const int k = index_in_flight(search, q);
    return k >= 0 && (search_is_over(search) || k < search->low || k > search->high);
}

int search_cancelled(Search *search, int q)
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
        result->best_q = knob_value(&search->options.knob, search->best);
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
    options->start = knob_value(&options->knob, sampled->best);
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
