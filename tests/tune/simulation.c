/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/tune/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const simulated_search_names[N_SIMULATED_SEARCHES] = {
    [SIMULATED_OURS] = "interpolation with a prior",
    [SIMULATED_OURS_BLIND] = "the same, of an unknown encoder",
    [SIMULATED_OURS_2_JOBS] = "the same, 2 jobs",
    [SIMULATED_OURS_WITHIN] = "the same, 1 job, within 0.5 of the target",
    [SIMULATED_BISECT] = "bisection",
    [SIMULATED_BISECT_START] = "bisection from the prior",
    [SIMULATED_LINEAR] = "linear interpolation",
    [SIMULATED_LINEAR_START] = "linear interpolation from the prior",
};

const double simulated_targets[3] = {80, 90, 95};

int rd_curve_answer(const RdCurve *curve, double target)
{
    const QualityRange qualities = rd_curve_quality_range(curve);
    double q = qualities.lowest;
    while (q <= qualities.highest && rd_curve_at(curve, q).mean >= target)
        q++;
    return q == qualities.lowest ? -1 : q - 1;
}

static Measurement measure(const RdCurve *curve, double q)
{
    const RdPoint point = rd_curve_at(curve, q);
    return (Measurement){.q = q, .values = {point.mean}, .kbps = point.kbps};
}

/* Whose number of encodes in flight falls to 0 between rounds. */
static Simulated drive(const RdCurve *curve, const SearchOptions *options, bool bisects)
{
    Simulated done = {0};
    Search search;
    if (search_start(&search, options))
        return done;
    search.bisecting = bisects;
    while (!search_is_over(&search)) {
        double started[SEARCH_MAX_INDICES];
        int n = 0;
        while (search_next(&search, &started[n]))
            n++;
        if (!n)
            break;
        for (int i = 0; i < n; i++) {
            const Measurement sample = measure(curve, started[i]);
            search_report(&search, &sample);
        }
        done.rounds++;
    }
    SearchResult result;
    search_result(&search, &result);
    done.q = result.best_q;
    done.probes = result.n_iterations;
    done.ok = result.converged && (result.ok || result.status == SEARCH_UNREACHABLE);
    return done;
}

/* Linear interpolation between the nearest encodes on both sides; steps that double until there
 * are. */
static Simulated drive_linear(const RdCurve *curve, double target, int start)
{
    const QualityRange qualities = rd_curve_quality_range(curve);
    int low = qualities.lowest - 1, high = qualities.highest + 1, step = 4;
    double low_score = NAN, high_score = NAN;
    Simulated done = {.ok = true};
    for (double q = start; high - low > 1; done.probes++) {
        const double score = rd_curve_at(curve, q).mean;
        if (score >= target) {
            low = q;
            low_score = score;
        } else {
            high = q;
            high_score = score;
        }
        if (!isnan(low_score) && !isnan(high_score)) {
            q = low + (int)((low_score - target) / (low_score - high_score) * (high - low) + 0.5);
        } else {
            q += score >= target ? step : -step;
            step *= 2;
        }
        q = q <= low ? low + 1 : q;
        q = q >= high ? high - 1 : q;
    }
    done.q = low < qualities.lowest ? -1 : low;
    done.rounds = done.probes;
    return done;
}

static int prior_start(const CurvePrior *prior, const QualityRange *qualities, double target)
{
    const double k = rint(curve_crossing(prior, NULL, 0, target).k);
    return quality_value(qualities, (int)fmin(fmax(k, 0), quality_last_index(qualities)));
}

/* Few clips say little about how much others differ: that is as the engine has it. */
static CurvePrior held_out_prior(const RdCurves *curves, const RdCurve *curve)
{
    const QualityRange qualities = rd_curve_quality_range(curve);
    const CurvePrior known = curve_prior_of_vmaf(curve->encoder, &qualities, 360);
    CurvePrior prior = rd_curves_prior(curves, curve->encoder, curve->clip);
    prior.position_sd = known.position_sd;
    prior.slope_sd = known.slope_sd;
    prior.bend_sd = known.bend_sd;
    prior.deviation = known.deviation;
    return prior;
}

Simulated simulate(const RdCurves *curves, const RdCurve *curve, double target,
                   SimulatedSearch kind)
{
    const QualityRange qualities = rd_curve_quality_range(curve);
    const CurvePrior prior = held_out_prior(curves, curve);
    const int start = prior_start(&prior, &qualities, target);
    SearchOptions options = {
        .qualities = qualities,
        .first = qualities.lowest,
        .last = qualities.highest,
        .gates = {{.target = target, .is_percentage = true, .guard = 0.5, .prior = prior}},
        .n_gates = 1,
        .max_probes = SEARCH_MAX_INDICES,
        .jobs = 1,
        .start = start,
        .on_non_monotonic = NON_MONOTONIC_KEEP,
    };
    const bool bisects = kind == SIMULATED_BISECT || kind == SIMULATED_BISECT_START;
    switch (kind) {
    case SIMULATED_OURS_BLIND:
        options.gates[0].prior = curve_prior_of_vmaf(NULL, &qualities, 360);
        break;
    case SIMULATED_OURS_2_JOBS:
        options.jobs = 2;
        break;
    case SIMULATED_OURS_WITHIN:
        options.gates[0].stop_within = 0.5;
        break;
    case SIMULATED_BISECT_START:
        options.has_start = true;
        break;
    case SIMULATED_LINEAR:
        return drive_linear(curve, target, (qualities.lowest + qualities.highest + 1) / 2);
    case SIMULATED_LINEAR_START:
        return drive_linear(curve, target, start);
    default:
        break;
    }
    return drive(curve, &options, bisects);
}

static void add(SimulatedSummary *summary, const RdCurve *curve, double target, Simulated done)
{
    const int right = rd_curve_answer(curve, target);
    summary->mean_probes += done.probes;
    summary->mean_rounds += done.rounds;
    summary->searches++;
    if (done.probes > summary->most_probes)
        summary->most_probes = done.probes;
    summary->wrong += !done.ok || done.q != right;
    if (done.q < 0 || right < 0)
        return;
    const double score = rd_curve_at(curve, done.q).mean;
    const double error = fabs(score - rd_curve_at(curve, right).mean);
    summary->worst_error = fmax(summary->worst_error, error);
    summary->mean_excess += score - target;
}

SimulatedSummary simulate_all(const RdCurves *curves, SimulatedSearch kind, const char *encoder)
{
    SimulatedSummary summary = {0};
    for (int t = 0; t < 3; t++) {
        const double target = simulated_targets[t];
        int n = 0;
        for (size_t i = 0; i < curves->n; i++) {
            const RdCurve *curve = &curves->curves[i];
            if (encoder && strcmp(curve->encoder, encoder) != 0)
                continue;
            const Simulated done = simulate(curves, curve, target, kind);
            summary.probes[t] += done.probes;
            add(&summary, curve, target, done);
            n++;
        }
        summary.probes[t] /= n;
    }
    summary.mean_probes /= summary.searches;
    summary.mean_rounds /= summary.searches;
    summary.mean_excess /= summary.searches;
    return summary;
}

bool simulated_row(const RdCurves *curves, int i, char row[SIMULATED_ROW_SIZE])
{
    static const char *const encoders[] = {"libx264", "libx265", "libsvtav1"};
    enum { N_ENCODERS = sizeof(encoders) / sizeof(encoders[0]) };
    if (i >= N_SIMULATED_SEARCHES + N_ENCODERS)
        return false;
    char name[64];
    const char *encoder = NULL;
    SimulatedSearch kind = (SimulatedSearch)i;
    if (i >= N_SIMULATED_SEARCHES) {
        encoder = encoders[i - N_SIMULATED_SEARCHES];
        kind = SIMULATED_OURS;
    }
    snprintf(name, sizeof(name), "%s%s%s", simulated_search_names[kind], encoder ? ", " : "",
             encoder ? encoder : "");
    const SimulatedSummary summary = simulate_all(curves, kind, encoder);
    snprintf(row, SIMULATED_ROW_SIZE,
             "| %s | %.2f | %.2f | %.2f | **%.2f** | %d | %.2f | %d of %d |", name,
             summary.probes[0], summary.probes[1], summary.probes[2], summary.mean_probes,
             summary.most_probes, summary.mean_rounds, summary.wrong, summary.searches);
    return true;
}
