/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/tune/known_curves.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* -- random numbers -- */

/* The same for the same seed everywhere (splitmix64). */
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * uniform(seed);
}

static double normal(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(seed);
    return sum;
}

/* -- curves -- */

typedef struct Scale {
    const char *name, *encoder; /* whose prior the search has; NULL: an unknown one */
    QualityRange qualities;
    double position, slope; /* of the curves, in units of quality */
} Scale;

static const Scale scales[N_KNOWN_SCALES] = {
    {"whole numbers of x264", "libx264", {.highest = 51}, 28, 5.7},
    {"tenths of x264", "libx264", {.highest = 51, .per_unit = 10}, 28, 5.7},
    {"quarters of SVT-AV1", "libsvtav1", {.lowest = 1, .highest = 70, .per_unit = 4}, 46, 14},
    {"an unknown encoder, 0 to 255", NULL, {.highest = 255}, 120, 32},
};

typedef struct KnownCurve {
    const Scale *scale;
    KnownKind kind;
    double target;
    double position, slope, bend; /* where VMAF 90 is, units for each of ln(100.5 - VMAF), ... */
    double bits;                  /* by which the logarithm of bitrate falls in a unit */
    double plateau;
    double bump, bump_width, bump_height;
    uint64_t noise;
} KnownCurve;

static KnownCurve make_curve(const Scale *scale, KnownKind kind, uint64_t number)
{
    uint64_t seed = number * 1000003 + (uint64_t)kind;
    const double range = scale->qualities.highest - scale->qualities.lowest;
    KnownCurve curve = {.scale = scale, .kind = kind, .target = between(&seed, 75, 97)};
    curve.position = scale->position + scale->slope / 2 * normal(&seed);
    curve.slope = scale->slope * exp(0.25 * normal(&seed));
    curve.bend = scale->slope * 0.1 * normal(&seed);
    curve.bits = 5.9 / range * exp(0.2 * normal(&seed));
    curve.plateau = between(&seed, 1, 2) * range / 51;
    const double u = log((100.5 - curve.target) / 10.5);
    curve.bump = curve.position + curve.slope * u + between(&seed, -3, 3) * range / 51;
    curve.bump_width = between(&seed, 0.5, 2) * range / 51;
    curve.bump_height = between(&seed, 1, 3);
    curve.noise = seed;
    return curve;
}

static double score_of_line(const KnownCurve *curve, double units)
{
    const double u = (units - curve->position) / curve->slope;
    const double bent = u + curve->bend / curve->slope * u * u / (1 + u * u);
    return fmax(0, fmin(100, 100.5 - 10.5 * exp(bent)));
}

static Measurement measure(const KnownCurve *curve, int k)
{
    const QualityRange *qualities = &curve->scale->qualities;
    double units = (double)k / quality_steps(qualities);
    if (curve->kind == KNOWN_PLATEAUS)
        units = floor(units / curve->plateau) * curve->plateau;
    double score = score_of_line(curve, units);
    if (curve->kind == KNOWN_NOISY) {
        uint64_t seed = curve->noise + (uint64_t)k * 7919;
        score += 0.1 * normal(&seed);
    }
    if (curve->kind == KNOWN_NON_MONOTONIC && units >= curve->bump &&
        units < curve->bump + curve->bump_width)
        score += curve->bump_height;
    return (Measurement){.q = quality_value(qualities, k),
                         .values = {fmax(0, fmin(100, score))},
                         .kbps = 20000 * exp(-curve->bits * units)};
}

/* The k of the cheapest quality that reaches the target, the best one of a plateau's; -1: none. */
static int cheapest(const KnownCurve *curve)
{
    int k = quality_last_index(&curve->scale->qualities);
    while (k >= 0 && measure(curve, k).values[0] < curve->target)
        k--;
    return k;
}

/* -- searches -- */

static SearchResult search_curve(Search *search, const KnownCurve *curve)
{
    const QualityRange *qualities = &curve->scale->qualities;
    const SearchOptions options = {
        .qualities = *qualities,
        .first = qualities->lowest,
        .last = qualities->highest,
        .gates = {{.target = curve->target,
                   .is_percentage = true,
                   .guard = SEARCH_DEFAULT_GUARD,
                   .prior = curve_prior_of_vmaf(curve->scale->encoder, qualities, 360)}},
        .n_gates = 1,
        .jobs = 1,
        .savings = SEARCH_SAVINGS,
        .on_non_monotonic = NON_MONOTONIC_KEEP,
    };
    double q;
    SearchResult result;
    if (search_start(search, &options))
        abort();
    while (search_next(search, &q)) {
        const Measurement measurement = measure(curve, quality_index(qualities, q));
        if (search_report(search, &measurement))
            abort();
    }
    search_result(search, &result);
    return result;
}

KnownResult search_known_curves(KnownKind kind, int scale)
{
    static Search search;
    double encodes[KNOWN_CURVES], errors[KNOWN_CURVES], over[KNOWN_CURVES];
    KnownResult sum = {0};
    size_t answers = 0;
    for (size_t i = 0; i < KNOWN_CURVES; i++) {
        const KnownCurve curve = make_curve(&scales[scale], kind, i + 1);
        const int optimum = cheapest(&curve);
        const SearchResult result = search_curve(&search, &curve);
        encodes[i] = result.n_iterations;
        sum.most_encodes = fmax(sum.most_encodes, encodes[i]);
        sum.unanswered += optimum >= 0 && !result.ok;
        if (optimum < 0 || !result.ok)
            continue;
        sum.missed += !(result.best.values[0] >= curve.target);
        errors[answers] = fabs(result.best.values[0] - measure(&curve, optimum).values[0]);
        over[answers++] = (result.best.kbps / measure(&curve, optimum).kbps - 1) * 100;
    }
    sum.encodes = spread_of(encodes, KNOWN_CURVES);
    sum.error = spread_of(errors, answers);
    sum.bits_over = spread_of(over, answers);
    return sum;
}

bool known_curves_row(int i, char row[COMPARISON_ROW_SIZE])
{
    static const char *const names[N_KNOWN_KINDS] = {"smooth", "noise", "plateaus",
                                                     "not monotonic"};
    if (i >= N_KNOWN_KINDS * N_KNOWN_SCALES)
        return false;
    const int scale = i / N_KNOWN_KINDS;
    const KnownKind kind = (KnownKind)(i % N_KNOWN_KINDS);
    const KnownResult of = search_known_curves(kind, scale);
    snprintf(row, COMPARISON_ROW_SIZE,
             "| %s | %s | **%.2f** | %.1f | %.0f | %.3f | %.2f %% | %.2f %% | %zu | %zu |",
             scales[scale].name, names[kind], of.encodes.mean, of.encodes.worst_tenth,
             of.most_encodes, of.error.mean, of.bits_over.mean, of.bits_over.worst_tenth, of.missed,
             of.unanswered);
    return true;
}
