/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/tune/comparison.h"

#include "tests/tune/simulation.h"
#include "tune/search/bd_rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_TARGETS = 3, HEIGHT = 270, MAX_SEARCHES = N_TARGETS * MAX_RD_CURVES };

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Spread spread_of(double *values, size_t n)
{
    const size_t tenth = (n + 9) / 10;
    Spread spread = {0};
    qsort(values, n, sizeof(*values), compare_numbers);
    for (size_t i = 0; i < n; i++) {
        spread.mean += values[i] / (double)n;
        if (i + tenth >= n)
            spread.worst_tenth += values[i] / (double)tenth;
    }
    return spread;
}

/* -- the optimum -- */

static int compare_kbps(const void *a, const void *b)
{
    const RdPoint *x = a, *y = b;
    return compare_numbers(&x->kbps, &y->kbps);
}

/* In the order of bitrate; of encodes with the same one, the best. */
static size_t sort_by_bitrate(const RdCurve *curve, bool whole_numbers, double *log_kbps,
                              double *score)
{
    RdPoint points[MAX_RD_POINTS];
    size_t n_points = 0, n = 0;
    for (size_t i = 0; i < curve->n; i++)
        if (!whole_numbers || curve->points[i].q == rint(curve->points[i].q))
            points[n_points++] = curve->points[i];
    qsort(points, n_points, sizeof(*points), compare_kbps);
    for (size_t i = 0; i < n_points; i++) {
        const bool is_same = i > 0 && points[i].kbps == points[i - 1].kbps;
        const size_t at = is_same ? n - 1 : n++;
        log_kbps[at] = log(points[i].kbps);
        score[at] = is_same ? fmax(score[at], points[i].mean) : points[i].mean;
    }
    return n;
}

/* Isotonic regression: neighbours that fall become their mean, until none does. */
static void pool_violators(double *score, size_t n)
{
    double means[MAX_RD_POINTS];
    size_t sizes[MAX_RD_POINTS], blocks = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        means[blocks] = score[i];
        sizes[blocks++] = 1;
        for (; blocks > 1 && means[blocks - 2] > means[blocks - 1]; blocks--) {
            const double last = (double)sizes[blocks - 1], before = (double)sizes[blocks - 2];
            means[blocks - 2] =
                (means[blocks - 2] * before + means[blocks - 1] * last) / (before + last);
            sizes[blocks - 2] += sizes[blocks - 1];
        }
    }
    for (size_t block = 0; block < blocks; block++)
        for (size_t i = 0; i < sizes[block]; i++)
            score[at++] = means[block];
}

double rd_curve_optimum(const RdCurve *curve, double target, bool isotonic)
{
    double x[MAX_RD_POINTS], y[MAX_RD_POINTS], slopes[MAX_RD_POINTS];
    const size_t n = sort_by_bitrate(curve, isotonic, x, y);
    if (isotonic)
        pool_violators(y, n);
    size_t above = 0;
    while (above < n && y[above] < target)
        above++;
    if (!above || above == n)
        return NAN;
    pchip_slopes(x, y, n, slopes);
    double low = x[above - 1], high = x[above];
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (pchip_value(x, y, slopes, n, middle) < target)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

/* -- searches -- */

typedef struct Found {
    double q; /* NAN: none */
    int encodes;
} Found;

/* The engine's, but fitted without that clip. */
static CurvePrior prior_without(const ComparedCurves *compared, const RdCurve *curve)
{
    const QualityRange qualities = rd_curve_quality_range(curve);
    const CurvePrior known = curve_prior_of_vmaf(curve->encoder, &qualities, HEIGHT);
    if (!compared->fitted)
        return known;
    CurvePrior prior = rd_curves_prior(compared->fitted, curve->encoder, curve->clip);
    prior.position_sd = known.position_sd;
    prior.slope_sd = known.slope_sd;
    prior.bend_sd = known.bend_sd;
    prior.deviation = known.deviation;
    return prior;
}

static Found search_ours(const ComparedCurves *compared, const RdCurve *curve, double target)
{
    static Search search;
    const QualityRange qualities = rd_curve_quality_range(curve);
    const SearchOptions options = {
        .qualities = qualities,
        .first = qualities.lowest,
        .last = qualities.highest,
        .gates = {{.target = target,
                   .is_percentage = true,
                   .guard = SEARCH_DEFAULT_GUARD,
                   .prior = prior_without(compared, curve)}},
        .n_gates = 1,
        .jobs = 1,
        .savings = SEARCH_SAVINGS,
        .on_non_monotonic = NON_MONOTONIC_KEEP,
    };
    double q;
    SearchResult result;
    if (search_start(&search, &options))
        abort();
    while (search_next(&search, &q)) {
        const RdPoint point = rd_curve_at(curve, q);
        const Measurement measurement = {.q = q, .values = {point.mean}, .kbps = point.kbps};
        if (search_report(&search, &measurement))
            abort();
    }
    search_result(&search, &result);
    return (Found){result.ok ? result.best_q : NAN, result.n_iterations};
}

/* Attempts so far, in steps, of ab-av1's search; its page says of each run what follows. */
typedef struct Attempts {
    int lowest, highest;
    int better,
        worse; /* the nearest ones on both sides of the target; outside of the range: none */
    double better_score, worse_score;
} Attempts;

/* The next step after an attempt at q; -1: there is none. */
static int next_attempt(const Attempts *tried, int q, bool passes, bool is_first, double target)
{
    if (tried->better >= tried->lowest && tried->worse <= tried->highest) {
        const int width = tried->worse - tried->better;
        if (width == 1)
            return -1;
        const double part =
            (target - tried->worse_score) / (tried->better_score - tried->worse_score);
        const int next = (int)lround(tried->worse - width * part);
        return next <= tried->better ? tried->better + 1
                                     : (next >= tried->worse ? tried->worse - 1 : next);
    }
    const int end = passes ? tried->highest : tried->lowest;
    if (q == end)
        return -1;
    return is_first ? (int)lround(0.4 * q + 0.6 * end) : end;
}

static Found search_ab_av1(const RdCurve *curve, double target, bool thorough)
{
    const QualityRange range = rd_curve_quality_range(curve);
    const bool is_svt = !strcmp(curve->encoder, "libsvtav1");
    const int steps = quality_steps(&range), lowest = (is_svt ? 5 : 10) * steps;
    const int highest = is_svt ? range.highest * steps : 46 * steps;
    Attempts tried = {lowest, highest, lowest - 1, highest + 1, NAN, NAN};
    Found found = {.q = NAN};
    for (int q = (lowest + highest) / 2; q >= 0;) {
        const double score = rd_curve_at(curve, (double)q / steps).mean;
        const double usual = fmax(0.1, 0.1 / steps * exp2(found.encodes++));
        const bool passes = score > target;
        if (passes) {
            tried.better = q;
            tried.better_score = score;
            found.q = (double)q / steps;
            if (score < target + (thorough ? 0.05 : usual))
                break;
        } else {
            tried.worse = q;
            tried.worse_score = score;
        }
        q = next_attempt(&tried, q, passes, found.encodes == 1, target);
    }
    return found;
}

static Found find_best(const RdCurve *curve, double target)
{
    const RdPoint *best = NULL;
    for (size_t i = 0; i < curve->n; i++)
        if (curve->points[i].mean >= target && (!best || curve->points[i].kbps < best->kbps))
            best = &curve->points[i];
    return (Found){.q = best ? best->q : NAN};
}

static Found search_one(const ComparedCurves *compared, const RdCurve *curve, ComparedSearch kind,
                        double target)
{
    switch (kind) {
    case COMPARED_OURS:
        return search_ours(compared, curve, target);
    case COMPARED_BEST:
        return find_best(curve, target);
    default:
        return search_ab_av1(curve, target, kind == COMPARED_AB_AV1_THOROUGH);
    }
}

static bool is_part(const ComparedPart *part, const RdCurve *curve)
{
    static const char *const development[] = {"bikes_640x272", "bottle_640x360",
                                              "seeking30_720x480", "lavfi_mandelbrot"};
    bool is_held_back = true;
    for (size_t i = 0; i < sizeof(development) / sizeof(development[0]); i++)
        is_held_back &= strcmp(curve->clip, development[i]) != 0;
    const QualityRange qualities = rd_curve_quality_range(curve);
    return (!part->encoder || !strcmp(curve->encoder, part->encoder)) &&
           (!part->only_fractions || quality_steps(&qualities) > 1) &&
           (!part->half || (part->half == COMPARED_HELD_BACK) == is_held_back);
}

Comparison compare_searches(const ComparedCurves *compared, ComparedSearch kind,
                            const ComparedPart *part)
{
    const RdCurves *curves = compared->curves;
    double encodes[MAX_SEARCHES], errors[MAX_SEARCHES], over[MAX_SEARCHES];
    Comparison sum = {0};
    size_t answers = 0;
    for (size_t i = 0; i < curves->n * N_TARGETS; i++) {
        const RdCurve *curve = &curves->curves[i / N_TARGETS];
        const double target = simulated_targets[i % N_TARGETS],
                     optimum = rd_curve_optimum(curve, target, compared->fitted);
        if (!is_part(part, curve) || isnan(optimum))
            continue;
        const Found found = search_one(compared, curve, kind, target);
        encodes[sum.searches++] = found.encodes;
        if (isnan(found.q))
            continue;
        const RdPoint point = rd_curve_at(curve, found.q);
        sum.misses |= point.mean < target;
        errors[answers] = fabs(point.mean - target);
        over[answers++] = (point.kbps / optimum - 1) * 100;
    }
    sum.unanswered = sum.searches - answers;
    sum.encodes = spread_of(encodes, sum.searches);
    sum.error = spread_of(errors, answers);
    sum.bits_over = spread_of(over, answers);
    return sum;
}

/* Those of whole numbers are over when the next one fails, which bounds what can be reached. */
static const ComparedPart parts[] = {
    {.name = "libx264", .encoder = "libx264"},
    {.name = "libx265", .encoder = "libx265"},
    {.name = "libsvtav1", .encoder = "libsvtav1"},
    {.name = "all"},
    {.name = "tenths", .only_fractions = true},
    {.name = "tenths, development", .only_fractions = true, .half = COMPARED_DEVELOPMENT},
    {.name = "tenths, held back", .only_fractions = true, .half = COMPARED_HELD_BACK},
};

bool comparison_row(const ComparedCurves *compared, int i, char row[COMPARISON_ROW_SIZE])
{
    static const char *const names[] = {"vmaf-tune", "ab-av1", "ab-av1 --thorough",
                                        "the cheapest encode"};
    /* The first rule knows neither halves nor an encode that is the best. */
    const int n_parts = compared->fitted ? sizeof(parts) / sizeof(parts[0]) : 4;
    const int n_searches = compared->fitted ? N_COMPARED_SEARCHES : COMPARED_BEST;
    if (i >= n_parts * n_searches)
        return false;
    const ComparedPart *part = &parts[i / n_searches];
    const ComparedSearch kind = (ComparedSearch)(i % n_searches);
    const Comparison of = compare_searches(compared, kind, part);
    snprintf(row, COMPARISON_ROW_SIZE,
             "| %s | %s | %zu | **%.2f** | %.1f | %.3f | %.3f | %.2f %% | %.2f %% | %zu |",
             part->name, names[kind], of.searches, of.encodes.mean, of.encodes.worst_tenth,
             of.error.mean, of.error.worst_tenth, of.bits_over.mean, of.bits_over.worst_tenth,
             of.unanswered);
    return true;
}
