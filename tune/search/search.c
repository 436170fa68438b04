/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* After that many probes, one that does not halve what is left is the last of the estimate. */
enum { TRUSTED_PROBES = 4, TRUSTED_FINE_PROBES = 7 };

/* What `places` has for a k of which there is no sample; else it is 1 + the number of that. */
enum { INDEX_UNKNOWN = 0, INDEX_IN_FLIGHT = -1, INDEX_FAILED = -2 };

static bool is_in_range(const QualityRange *qualities, double q)
{
    return q >= qualities->lowest && q <= qualities->highest;
}

/* Values of k that may still be the answer, or next to it. */
static int search_width(const Search *search)
{
    return search->high - search->low + 1;
}

int search_start(Search *search, const SearchOptions *options)
{
    const QualityRange *qualities = &options->qualities;
    const long long units = (long long)qualities->highest - qualities->lowest;
    bool ok = options->n_gates >= 1 && options->n_gates <= SEARCH_MAX_GATES && options->jobs >= 1 &&
              options->max_probes >= 0 && options->max_kbps >= 0 && units >= 0 &&
              units * quality_steps(qualities) < SEARCH_MAX_INDICES &&
              is_in_range(qualities, options->first) && is_in_range(qualities, options->last) &&
              (!options->has_start || is_in_range(qualities, options->start));
    for (size_t i = 0; ok && i < options->n_gates; i++) {
        const SearchGate *gate = &options->gates[i];
        ok = isfinite(gate->target) && gate->guard >= 0 && gate->stop_within >= 0 &&
             isfinite(gate->prior.position) && gate->prior.slope > 0;
    }
    if (!ok)
        return -EINVAL;
    const int a = quality_index(qualities, options->first);
    const int b = quality_index(qualities, options->last);
    *search =
        (Search){.options = *options, .low = a < b ? a : b, .high = a < b ? b : a, .best = -1};
    if (!options->max_probes) {
        const int bisection = ilogb(search_width(search)) + 1; /* in the worst case */
        search->options.max_probes =
            options->jobs * (int)fmax(bisection + TRUSTED_PROBES, SEARCH_DEFAULT_PROBES);
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

/* True if, of this sample and one before, the more compressed is clearly better. */
static bool violates(const Search *search, const Measurement *sample)
{
    const QualityRange *qualities = &search->options.qualities;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *other = &search->samples[i];
        const bool is_less =
            quality_index(qualities, sample->q) < quality_index(qualities, other->q);
        for (size_t g = 0; g < search->options.n_gates; g++) {
            const SearchGate *gate = &search->options.gates[g];
            const double gain = margin(gate, other->values[g]) - margin(gate, sample->values[g]);
            if ((is_less ? gain : -gain) > gate->guard)
                return true;
        }
    }
    return false;
}

static bool is_measured(const Search *search, int k)
{
    return search->places[k] > INDEX_UNKNOWN;
}

static const Measurement *sample_at(const Search *search, int k)
{
    return &search->samples[search->places[k] - 1];
}

/* The encode nearest to q that has a bitrate, but for `other`, on whose other side of q it is if
 * there is one; NULL if there is none. */
static const Measurement *nearest_encode(const Search *search, double q, const Measurement *other)
{
    const double far = 1e6;
    const Measurement *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        const bool is_same_side = other && (sample->q - q) * (other->q - q) > 0;
        const double distance = fabs(sample->q - q) + (is_same_side ? far : 0);
        if (sample != other && sample->kbps > 0 && distance < least) {
            best = sample;
            least = distance;
        }
    }
    return best;
}

double search_predicted_kbps(const Search *search, double q)
{
    const Measurement *a = nearest_encode(search, q, NULL);
    const Measurement *b = nearest_encode(search, q, a);
    if (a && a->q == q)
        return a->kbps;
    return a && b ? a->kbps * pow(b->kbps / a->kbps, (q - a->q) / (b->q - a->q)) : NAN;
}

/* -- where the curve says that the targets are -- */

typedef struct Crossing {
    double k, sd;  /* where the first of the gates is likely to fail */
    double within; /* so many steps before that, its score is good enough to stop */
} Crossing;

/* The last measurements of a gate as its prior has them. Their number. */
static size_t search_points(const Search *search, size_t gate, CurvePoint points[CURVE_MAX_POINTS])
{
    const QualityRange *qualities = &search->options.qualities;
    const double steps = quality_steps(qualities);
    const double sign = search->options.gates[gate].lower_is_better ? -1 : 1;
    const size_t n = search->n_samples < CURVE_MAX_POINTS ? search->n_samples : CURVE_MAX_POINTS;
    const Measurement *last = search->samples + search->n_samples - n;
    for (size_t i = 0; i < n; i++)
        points[i] = (CurvePoint){.k = quality_index(qualities, last[i].q) / steps,
                                 .score = sign * last[i].values[gate]};
    return n;
}

static Crossing first_crossing(const Search *search)
{
    const double steps = quality_steps(&search->options.qualities);
    Crossing first = {.k = INFINITY};
    for (size_t g = 0; g < search->options.n_gates; g++) {
        const SearchGate *gate = &search->options.gates[g];
        const double sign = gate->lower_is_better ? -1 : 1, target = sign * gate->target;
        CurvePoint points[CURVE_MAX_POINTS];
        const size_t n = search_points(search, g, points);
        const CurveEstimate at = curve_crossing(&gate->prior, points, n, target);
        if (at.k * steps >= first.k)
            continue;
        const double enough = target + gate->stop_within;
        const double there =
            gate->stop_within > 0 ? curve_crossing(&gate->prior, points, n, enough).k : at.k;
        first = (Crossing){at.k * steps, at.sd * steps, fmax(0, at.k - there) * steps};
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
    const Measurement *a = nearest_encode(search, q, NULL), *b = nearest_encode(search, q, a);
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

/* Probability that an encode at k reaches the targets. */
static double pass_probability(Crossing crossing, double k)
{
    return 0.5 * erfc((k - crossing.k) / (crossing.sd * sqrt(2)));
}

/* True if there is an answer, and no encode is expected to save much more than it. */
static bool saves_little(const Search *search)
{
    if (search->best < 0 || !is_fine(search) || search->scanning)
        return false;
    const Crossing crossing = first_crossing(search);
    const double bits = bits_of_step(search, search->best);
    for (int k = search->low; k <= search->high; k++)
        if (-expm1(-bits * (k - search->best)) * pass_probability(crossing, k) >
            search->options.savings)
            return false;
    return true;
}

/* -- what was measured -- */

/* The samples at the most compressed end of what is left decide, as far as they are there. */
static void advance_scan(Search *search)
{
    while (search->low <= search->high && is_measured(search, search->high)) {
        if (passes(search, sample_at(search, search->high))) {
            search->best = search->high;
            search->low = search->high + 1;
        } else {
            search->high--;
        }
    }
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
    search->samples[search->n_samples++] = *sample;
    search->places[k] = (short)search->n_samples;
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

/* Ends the search if it is decided, or nothing more may be encoded. */
static void conclude(Search *search)
{
    if (search->status != SEARCH_RUNNING)
        return;
    search->good_enough |= saves_little(search);
    const bool closed = search->low > search->high;
    const bool spent = search->probes >= search->options.max_probes && !search->in_flight;
    if (!closed && !search->good_enough && !spent)
        return;
    if (search->best < 0)
        search->status = closed ? SEARCH_UNREACHABLE : SEARCH_EXHAUSTED;
    else if (search->options.max_kbps > 0 &&
             sample_at(search, search->best)->kbps > search->options.max_kbps)
        search->status = SEARCH_TOO_LARGE;
    else
        search->status = SEARCH_FOUND;
}

int search_know(Search *search, const Measurement *measurement)
{
    if (!is_in_range(&search->options.qualities, measurement->q) ||
        !is_plausible(search, measurement))
        return -EINVAL;
    const int k = quality_index(&search->options.qualities, measurement->q);
    if (search->places[k] == INDEX_UNKNOWN) {
        record(search, k, measurement);
        conclude(search);
    }
    return 0;
}

/* -1 if that q is not being encoded. */
static int index_in_flight(const Search *search, double q)
{
    if (!is_in_range(&search->options.qualities, q))
        return -1;
    const int k = quality_index(&search->options.qualities, q);
    return search->places[k] == INDEX_IN_FLIGHT ? k : -1;
}

/* Its index; it is not being encoded any more. -1 if it was not. */
static int land(Search *search, double q)
{
    const int k = index_in_flight(search, q);
    if (k >= 0) {
        search->in_flight--;
        search->places[k] = INDEX_UNKNOWN;
    }
    return k;
}

static int fail_at(Search *search, int k)
{
    if (k < 0)
        return -EINVAL;
    search->places[k] = INDEX_FAILED;
    if (search->status == SEARCH_RUNNING)
        search->status = SEARCH_FAILED;
    return 0;
}

int search_report(Search *search, const Measurement *measurement)
{
    const int k = land(search, measurement->q);
    if (k < 0 || !is_plausible(search, measurement))
        return fail_at(search, k);
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
    return fail_at(search, land(search, q));
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
    if (land(search, q) < 0)
        return -EINVAL;
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

/* -- which encode is next -- */

/* If the estimate is less certain than that, in steps, jobs look at different places, not
 * neighbours. */
static const double spread_sd = 1.5;

/* If it is more certain than that, what is settled next to a probe counts. */
static const double settled_sd = 0.7;

/* True if k needs no encode of its own any more: outside of what is left, or under way. */
static bool is_settled(const Search *search, int k)
{
    return k < search->low || k > search->high || search->places[k] != INDEX_UNKNOWN;
}

/*
 * How useful k is: where fractions are fine, the search ends with a score that is good enough. Else
 * it ends with a pair of neighbours, so the probability that k is one of the two counts as well,
 * and more where the other one is settled. Far from certain, that pair is rarely the right one, and
 * what is learned about the curve matters more.
 */
static double usefulness(const Search *search, int k, Crossing crossing)
{
    const double here = pass_probability(crossing, k);
    const double enough = here - pass_probability(crossing, k + crossing.within);
    if (is_fine(search))
        return enough;
    const double below = pass_probability(crossing, k - 1) - here;
    const double above = here - pass_probability(crossing, k + 1);
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
        n += search->places[k] == INDEX_IN_FLIGHT;
    return n;
}

/*
 * On a scale of fractions: near enough is a step, or what is worth less than `savings`. Encodes of
 * neighbours scatter, and some curves are flat there, so with each one that fails close to the
 * estimate the next is twice as far from it, but no farther than half way to the answer so far.
 */
static void aim_at_enough(const Search *search, Crossing *crossing)
{
    const int near = (int)fmin(search->high, fmax(search->low, crossing->k));
    const double enough = fmax(1, search->options.savings / bits_of_step(search, near));
    const double unit = quality_steps(&search->options.qualities);
    double back = -1;
    for (int k = search->high + 1; k <= crossing->k + unit && k < SEARCH_MAX_INDICES; k++)
        if (is_measured(search, k) && !passes(search, sample_at(search, k)))
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

/*
 * On a scale of fractions the estimate would creep along a curve that saturates close to the
 * target. So, as long as there is no answer, the next probe is twice as far from the least
 * compressed one as that is from its neighbour, unless the estimate, k, is farther.
 */
static int leap(const Search *search, int k)
{
    int failed[2], n = 0;
    if (!is_fine(search) || search->best >= 0 || search->probes <= TRUSTED_PROBES)
        return k;
    for (int i = search->high + 1; i < SEARCH_MAX_INDICES && n < 2; i++)
        if (is_measured(search, i))
            failed[n++] = i;
    const int far = n < 2 ? k : failed[0] - 2 * (failed[1] - failed[0]);
    return far < k ? nearest_open(search, far) : k;
}

static int next_index(const Search *search)
{
    const SearchOptions *options = &search->options;
    if (search->scanning)
        return nearest_open(search, search->high);
    if (options->has_start && !search->n_samples && !search->in_flight)
        return nearest_open(search, quality_index(&options->qualities, options->start));
    if (!search->bisecting)
        return leap(search, next_by_estimate(search));
    /* Each job looks at another of equal parts. */
    const int part = in_flight_inside(search) + 1, parts = options->jobs + 1;
    return nearest_open(search, search->low + search_width(search) * part / parts);
}

bool search_next(Search *search, double *q)
{
    if (search_is_over(search) || search->in_flight >= search->options.jobs ||
        search->probes >= search->options.max_probes)
        return false;
    const int k = next_index(search);
    if (k < 0)
        return false;
    search->places[k] = INDEX_IN_FLIGHT;
    search->in_flight++;
    search->probes++;
    *q = quality_value(&search->options.qualities, k);
    return true;
}

/* -- why there is no answer -- */

size_t search_missed_gate(const Search *search)
{
    int k = 0;
    while (k < SEARCH_MAX_INDICES - 1 && !is_measured(search, k))
        k++;
    for (size_t i = 0; is_measured(search, k) && i < search->options.n_gates; i++)
        if (!(margin(&search->options.gates[i], sample_at(search, k)->values[i]) >= 0))
            return i;
    return 0;
}

static const char *reason(const Search *search)
{
    switch (search->status) {
    case SEARCH_RUNNING:
        return "not decided yet";
    case SEARCH_UNREACHABLE:
        return "unreachable";
    case SEARCH_NON_MONOTONIC:
        return "not decidable, a more compressed encode scored higher (--on-nonmonotonic scan "
               "looks at all, keep takes the best),";
    case SEARCH_FAILED:
        return "not decidable, an encode or its score failed,";
    case SEARCH_TOO_LARGE:
        return search->best < 0 ? "not reached within the bitrate limit"
                                : "reached only above the bitrate limit";
    default:
        return "not reached";
    }
}

/* The smallest sample that passes, else the one that is nearest to pass that gate; NULL: none. */
static const Measurement *nearest_sample(const Search *search, size_t gate)
{
    const SearchGate *options = &search->options.gates[gate];
    const Measurement *best = NULL;
    if (search->best >= 0)
        return sample_at(search, search->best);
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        if (!best || margin(options, sample->values[gate]) > margin(options, best->values[gate]))
            best = sample;
    }
    return best;
}

void search_explain(const Search *search, size_t gate, const char *score_name,
                    const char *quality_name, char *text, size_t size)
{
    const SearchOptions *options = &search->options;
    const Measurement *nearest = nearest_sample(search, gate);
    char sample[192] = "", bits[64] = "";
    *text = 0;
    if (search->status == SEARCH_FOUND)
        return;
    if (nearest && search->status == SEARCH_TOO_LARGE)
        snprintf(bits, sizeof(bits), ", %.1f kbit/s of at most %.1f", nearest->kbps,
                 options->max_kbps);
    if (nearest)
        snprintf(sample, sizeof(sample), " (best sample: %s %s=%g at %s %g%s)",
                 search->best >= 0 ? "the smallest that reaches it," : "closest miss", score_name,
                 nearest->values[gate], quality_name, nearest->q, bits);
    snprintf(text, size, "target %s %g %s in %s window [%g, %g] after %d iteration%s%s", score_name,
             options->gates[gate].target, reason(search), quality_name,
             fmin(options->first, options->last), fmax(options->first, options->last),
             search->probes, search->probes == 1 ? "" : "s", sample);
}

CurvePrior search_learned(const Search *search, size_t gate, double position_sd)
{
    CurvePoint points[CURVE_MAX_POINTS];
    const size_t n = search_points(search, gate, points);
    return curve_prior_of_neighbour(&search->options.gates[gate].prior, points, n, position_sd);
}
