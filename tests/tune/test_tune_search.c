/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/search/search.h"

typedef double Curve(int gate, double q);

/* The vertex at 10 is deliberate. */
static double parabola(int gate, double q)
{
    return 99 - 0.015 * (q - 10) * (q - 10);
}

/* Searches of what `bisection` returned go without an estimate, from the beginning: where they
 * look is known. */
static bool is_bisecting;

static SearchOptions bisection(int first, int last, double target)
{
    is_bisecting = true;
    return (SearchOptions){
        .qualities = {.lowest = 0, .highest = 51},
        .first = first,
        .last = last,
        .gates = {{.target = target,
                   .is_percentage = true,
                   .guard = SEARCH_DEFAULT_GUARD,
                   .prior = curve_prior_of_vmaf("libx264", &(QualityRange){.highest = 51}, 1080)}},
        .n_gates = 1,
        .jobs = 1,
    };
}

static SearchOptions interpolation(double target)
{
    SearchOptions options = bisection(0, 51, target);
    is_bisecting = false;
    return options;
}

static Measurement measure(Curve *curve, double q)
{
    Measurement measurement = {.q = q, .kbps = 8000 * exp2(-q / 6.0), .encode_ms = 5};
    for (int gate = 0; gate < SEARCH_MAX_GATES; gate++)
        measurement.values[gate] = curve(gate, q);
    return measurement;
}

/* The same of an encode of another score. */
static Measurement scored(double q, double score)
{
    Measurement measurement = measure(parabola, q);
    measurement.values[0] = score;
    return measurement;
}

static void start(Search *search, const SearchOptions *options)
{
    assert_int_equal(search_start(search, options), 0);
    search->bisecting = is_bisecting;
}

static void report(Search *search, Measurement measurement)
{
    assert_int_equal(search_report(search, &measurement), 0);
}

static void know(Search *search, Measurement measurement)
{
    assert_int_equal(search_know(search, &measurement), 0);
}

/* Reports encodes in the order in which they were asked for. */
static void drive(Search *search, const SearchOptions *options, Curve *curve, SearchResult *result)
{
    start(search, options);
    while (!search_is_over(search)) {
        double started[SEARCH_MAX_INDICES];
        int n = 0;
        while (search_next(search, &started[n]))
            n++;
        assert_true(n >= 1 && n <= options->jobs);
        for (int i = 0; i < n; i++)
            report(search, measure(curve, started[i]));
    }
    search_result(search, result);
}

static void assert_probes(const SearchResult *result, const int *q, size_t n)
{
    assert_int_equal(result->n_samples, n);
    assert_int_equal(result->n_iterations, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(result->samples[i].q, q[i]);
}

CASE(given_windows_when_bisected_then_probes_are_the_middles)
{
    static const struct {
        int first, last;
        double target;
        int probes[6];
        size_t n;
        int best;
    } cases[] = {
        {0, 51, 92, {26, 39, 33, 30, 32, 31}, 6, 31},
        {15, 40, 95, {28, 21, 25, 27, 26}, 5, 26},
        {0, 51, 60, {26, 39, 46, 49, 51}, 5, 51},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Search search;
        SearchResult result;
        const SearchOptions options = bisection(cases[i].first, cases[i].last, cases[i].target);
        drive(&search, &options, parabola, &result);
        assert_probes(&result, cases[i].probes, cases[i].n);
        assert_int_equal(result.status, SEARCH_FOUND);
        assert_true(result.ok && result.converged);
        assert_int_equal(result.best_q, cases[i].best);
        assert_true(result.best.values[0] == parabola(0, cases[i].best));
        assert_true(result.best.encode_ms == 5);
    }
}

CASE(given_scores_that_rise_when_bisected_then_it_ends_without_result)
{
    Search search;
    SearchResult result;
    const SearchOptions options = bisection(0, 51, 99.9);
    drive(&search, &options, parabola, &result);
    assert_probes(&result, (const int[]){26, 13, 6, 3}, 4);
    assert_int_equal(result.status, SEARCH_NON_MONOTONIC);
    assert_true(!result.ok && result.non_monotonic);
    assert_int_equal(result.best_q, -1);
}

static double with_a_bump(int gate, double q)
{
    return q == 30 ? 95 : 98 - 0.3 * q;
}

CASE(given_a_bump_when_kept_then_noted_and_decided)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 91);
    options.on_non_monotonic = NON_MONOTONIC_KEEP;
    drive(&search, &options, with_a_bump, &result);
    /* 26 fails, 13, 20, 23 pass, ...: the bump is not seen. */
    assert_int_equal(result.best_q, 23);
    assert_false(result.non_monotonic);
    options.has_start = true;
    options.start = 29;
    options.gates[0].target = 89.5;
    drive(&search, &options, with_a_bump, &result); /* 29 fails, so 30 is outside */
    assert_int_equal(result.best_q, 28);
}

/* 27 is better than 26, which fails: seen by a search that begins at 26 and knows 27. */
CASE(given_a_violation_when_scanned_then_the_most_compressed_that_passes_wins)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(20, 32, 92);
    options.on_non_monotonic = NON_MONOTONIC_SCAN;
    options.max_probes = 20;
    start(&search, &options);
    know(&search, scored(21, 90)); /* an encode that went wrong somehow, and fails */
    know(&search, scored(26, 91));
    assert_true(search.non_monotonic);
    double q, asked[SEARCH_MAX_INDICES];
    int n = 0;
    while (search_next(&search, &q)) {
        asked[n++] = q;
        report(&search, measure(with_a_bump, q));
    }
    search_result(&search, &result);
    /* What is left is [20, 20]: 98 - 6 = 92 passes. */
    assert_int_equal(n, 1);
    assert_int_equal(asked[0], 20);
    assert_int_equal(result.best_q, 20);
    assert_int_equal(result.n_iterations, 1);
}

static double sawtooth(int gate, double q)
{
    return q == 26 ? 50 : 98 - 0.3 * q;
}

CASE(given_a_dip_in_the_middle_when_scanned_then_it_goes_down_from_the_end)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 91);
    options.on_non_monotonic = NON_MONOTONIC_SCAN;
    options.has_start = true;
    options.start = 30; /* 89 fails */
    options.max_probes = 60;
    options.gates[0].guard = 0.5;
    start(&search, &options);
    double q;
    assert_true(search_next(&search, &q) && q == 30);
    report(&search, scored(30, 60));
    assert_true(search_next(&search, &q) && q == 15);
    report(&search, scored(15, 40)); /* worse than 30 */
    assert_true(search.non_monotonic);
    /* From 29 on, 26 fails, and 23 is the first that passes: 98 - 6.9 = 91.1. */
    for (int expected = 29; expected >= 23; expected--) {
        assert_true(search_next(&search, &q));
        assert_int_equal(q, expected);
        report(&search, measure(sawtooth, q));
    }
    assert_true(search_is_over(&search));
    search_result(&search, &result);
    assert_int_equal(result.best_q, 23);
    assert_true(result.ok);
}

CASE(given_too_few_probes_then_the_best_so_far_is_not_converged)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 92);
    options.max_probes = 3;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.best_q, 26);
    assert_true(result.ok);
    assert_false(result.converged);
    options = bisection(0, 51, 98.9);
    options.max_probes = 2;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_EXHAUSTED);
    assert_int_equal(result.best_q, -1);
    assert_false(result.ok);
}

CASE(given_a_wide_knob_then_the_limit_of_probes_is_no_limit)
{
    SearchOptions options = bisection(0, 51, 92);
    options.qualities.highest = 255;
    options.last = 255;
    for (int crossing = -1; crossing <= 255; crossing++) {
        Search search;
        start(&search, &options);
        double q;
        while (search_next(&search, &q))
            report(&search, scored(q, q <= crossing ? 95 : 90));
        SearchResult result;
        search_result(&search, &result);
        assert_int_equal(result.best_q, crossing);
        assert_true(result.converged && result.n_iterations <= 9);
    }
}

/* The qualities runs the other way; the answers are mirrored. */
static double mirrored(int gate, double q)
{
    return parabola(gate, 51 - q);
}

CASE(given_a_knob_of_quality_then_searched_in_its_direction)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 92);
    options.qualities.higher_is_better = true;
    drive(&search, &options, mirrored, &result);
    assert_probes(&result, (const int[]){25, 12, 18, 21, 19, 20}, 6);
    assert_int_equal(result.best_q, 20);
}

CASE(given_bad_options_then_refused)
{
    Search search;
    const SearchOptions good = bisection(0, 51, 92);
    start(&search, &good);
    SearchOptions bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = good;
    bad[0].n_gates = 0;
    bad[1].n_gates = SEARCH_MAX_GATES + 1;
    bad[2].first = -1;
    bad[3].last = 52;
    bad[4].jobs = 0;
    bad[5].gates[0].target = NAN;
    bad[6].qualities.highest = SEARCH_MAX_INDICES;
    bad[7].qualities.highest = -1;
    bad[8].gates[0].guard = NAN;
    bad[9].gates[0].prior.slope = 0;
    bad[10].max_kbps = -1;
    bad[11].has_start = true;
    bad[11].start = 99;
    for (int i = 0; i < 12; i++) {
        if (search_start(&search, &bad[i]) != -EINVAL)
            fail_msg("case %d", i);
    }
}

CASE(given_a_failure_then_the_search_ends_with_the_best_so_far)
{
    for (int kind = 0; kind < 4; kind++) {
        Search search;
        const SearchOptions options = bisection(0, 51, 92);
        start(&search, &options);
        double q;
        assert_true(search_next(&search, &q) && q == 26);
        report(&search, measure(parabola, 26));
        assert_true(search_next(&search, &q) && q == 39);
        if (kind == 0)
            assert_int_equal(search_report_failure(&search, 39), 0);
        else
            report(&search, scored(39, kind == 1 ? NAN : kind == 2 ? -0.1 : 100.1));
        assert_false(search_next(&search, &q));
        SearchResult result;
        search_result(&search, &result);
        assert_int_equal(result.status, SEARCH_FAILED);
        assert_false(result.ok);
        assert_int_equal(result.best_q, 26);
        assert_int_equal(result.n_samples, 1);
    }
}

CASE(given_a_score_that_is_no_percentage_then_it_may_be_any_number)
{
    Search search;
    SearchOptions options = bisection(0, 51, -20);
    options.gates[0].is_percentage = false;
    start(&search, &options);
    double q;
    while (search_next(&search, &q))
        report(&search, scored(q, 110 - 5 * q));
    SearchResult result;
    search_result(&search, &result);
    assert_int_equal(result.best_q, 26);
}

CASE(given_reports_that_were_not_asked_for_then_refused)
{
    Search search;
    const SearchOptions options = bisection(0, 51, 92);
    start(&search, &options);
    double q;
    assert_true(search_next(&search, &q));
    assert_false(search_next(&search, &q)); /* one job */
    Measurement measurement = measure(parabola, 27);
    assert_int_equal(search_report(&search, &measurement), -EINVAL);
    measurement.q = 99;
    assert_int_equal(search_report(&search, &measurement), -EINVAL);
    assert_int_equal(search_know(&search, &measurement), -EINVAL);
    measurement = measure(parabola, 26);
    report(&search, measurement);
    assert_int_equal(search_report(&search, &measurement), -EINVAL);
    assert_int_equal(search_report_failure(&search, 26), -EINVAL);
    assert_int_equal(search_cancelled(&search, 26), -EINVAL);
    assert_int_equal(search_report_failure(&search, -7), -EINVAL);
}

/* Falls, with the crossing of 90 anywhere and any slope. */
static double random_parameters[2];

static double random_curve(int gate, double q)
{
    const double missing = 10 * exp((q - random_parameters[0]) / random_parameters[1]);
    return fmax(0.1, 100 - missing) - 1e-3 * q;
}

static int highest_that_passes(Curve *curve, double target)
{
    double q = 0;
    while (q <= 51 && curve(0, q) >= target)
        q++;
    return q - 1;
}

CASE(given_any_curve_then_interpolation_and_bisection_agree)
{
    srand(11);
    for (int round = 0; round < 2000; round++) {
        random_parameters[0] = -20 + rand() % 1000 / 1000.0 * 90;
        random_parameters[1] = 3 + rand() % 1000 / 1000.0 * 15;
        const double target = 40 + rand() % 590 / 10.0;
        for (int jobs = 1; jobs <= 4; jobs++) {
            Search search;
            SearchResult result;
            SearchOptions options = interpolation(target);
            options.jobs = jobs;
            drive(&search, &options, random_curve, &result);
            const int right = highest_that_passes(random_curve, target);
            assert_int_equal(result.best_q, right);
            assert_true(result.converged);
            assert_int_equal(result.status, right < 0 ? SEARCH_UNREACHABLE : SEARCH_FOUND);
            assert_true(jobs > 1 || result.n_iterations <= 10);
            is_bisecting = true;
            drive(&search, &options, random_curve, &result);
            assert_int_equal(result.best_q, right);
            if (jobs == 1)
                assert_true(result.n_iterations <= 6);
        }
    }
}

static double cliff(int gate, double q)
{
    return q <= 44 ? 99.5 - 1e-4 * q : 5 - 1e-4 * q;
}

/* Nothing like any prior: the estimate is given up for the middle in time. */
CASE(given_a_cliff_then_interpolation_ends_within_its_probes)
{
    Search search;
    SearchResult result;
    SearchOptions options = interpolation(90);
    drive(&search, &options, cliff, &result);
    assert_int_equal(result.best_q, 44);
    assert_true(result.converged);
}

/* What is missing to 100 grows by the same factor with each step, as the prior has it. */
static double typical(int gate, double q)
{
    return 100.5 - 10.5 * exp((q - 26.3) / 6.5);
}

CASE(given_a_typical_curve_then_few_probes_are_enough)
{
    for (double target = 70; target <= 97; target += 0.25) {
        Search search;
        SearchResult result;
        const SearchOptions options = interpolation(target);
        drive(&search, &options, typical, &result);
        assert_int_equal(result.best_q, highest_that_passes(typical, target));
        assert_true(result.n_iterations <= 4);
    }
}

/* A video at rest has less than 100 at the best quality already. */
static double saturated(int gate, double q)
{
    return 97.5 - 7.5 * exp((q - 26.3) / 6.5);
}

CASE(given_a_curve_that_saturates_early_then_few_probes_are_enough)
{
    int probes = 0, n = 0;
    for (double target = 70; target <= 95; target += 0.25, n++) {
        Search search;
        SearchResult result;
        const SearchOptions options = interpolation(target);
        drive(&search, &options, saturated, &result);
        assert_int_equal(result.best_q, highest_that_passes(saturated, target));
        assert_true(result.n_iterations <= 5);
        probes += result.n_iterations;
    }
    assert_true(probes <= 3.2 * n);
}

/* Close to its best score a curve is so flat that the estimate would creep. */
static double flat(int gate, double q)
{
    return fmin(94 - 0.01 * q, typical(gate, q));
}

CASE(given_tenths_and_a_target_that_is_just_reached_then_it_is_found)
{
    for (double target = 93.8; target <= 94; target += 0.01) {
        Search search;
        SearchResult result;
        SearchOptions options = interpolation(target);
        options.qualities.per_unit = 10;
        options.savings = SEARCH_SAVINGS;
        drive(&search, &options, flat, &result);
        assert_true(result.ok);
        assert_true(flat(0, result.best_q) >= target);
    }
}

CASE(given_a_tolerance_then_it_ends_when_a_probe_is_within)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 92);
    options.gates[0].stop_within = 1.01; /* 30: 93 */
    drive(&search, &options, parabola, &result);
    assert_probes(&result, (const int[]){26, 39, 33, 30}, 4);
    assert_int_equal(result.best_q, 30);
    assert_true(result.ok && result.converged);
    options.gates[0].stop_within = 0.99;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.best_q, 31); /* 92.385, after 32: 91.74 */
}

/* In tenths: where neighbours are measured, and where the curve says that little could be saved. */
CASE(given_tenths_then_the_end_is_a_neighbour_or_little_to_save)
{
    for (double target = 80.1; target < 97; target += 0.373) {
        Search search;
        SearchResult result;
        SearchOptions options = interpolation(target);
        const double crossing = 10 + sqrt((99 - target) / 0.015);
        options.qualities.per_unit = 10;
        options.on_non_monotonic = NON_MONOTONIC_KEEP; /* below 10 */
        drive(&search, &options, parabola, &result);
        assert_true(result.converged && parabola(0, result.best_q) >= target);
        assert_true(parabola(0, result.best_q + 0.1) < target);
        const int measured = result.n_iterations;
        options.savings = SEARCH_SAVINGS;
        drive(&search, &options, parabola, &result);
        assert_true(result.ok && result.converged && result.n_iterations <= measured);
        assert_true(parabola(0, result.best_q) >= target);
        /* Bits halve in 6 units. The estimate is wrong by four steps at most, as the
         * curve is like no other. */
        assert_true(1 - exp2((result.best_q - crossing) / 6) < 0.045);
    }
}

/* One encode far above the target, on a curve whose slope nobody expects, is not the end. */
CASE(given_tenths_and_one_encode_then_a_surprise_is_no_answer)
{
    Search search;
    SearchResult result;
    SearchOptions options = interpolation(83);
    options.qualities.per_unit = 10;
    options.savings = SEARCH_SAVINGS;
    options.gates[0].prior.slope_sd = options.gates[0].prior.slope;
    assert_int_equal(search_start(&search, &options), 0);
    double q;
    assert_true(search_next(&search, &q));
    const Measurement far_above = scored(q, 97);
    assert_int_equal(search_report(&search, &far_above), 0);
    search_result(&search, &result);
    assert_int_equal(result.status, SEARCH_RUNNING);
}

static double error_of(int gate, double q)
{
    return 3 + 0.4 * q;
}

CASE(given_an_error_as_gate_then_it_is_interpolated_as_well)
{
    for (double target = 4.05; target < 23; target += 0.3) {
        Search search;
        SearchResult result;
        SearchOptions options = interpolation(target);
        options.gates[0].lower_is_better = true;
        options.gates[0].prior = curve_prior_unknown(&options.qualities, -target, 0.5);
        drive(&search, &options, error_of, &result);
        assert_int_equal(result.best_q, (int)floor((target - 3) / 0.4));
        assert_true(result.n_iterations <= 4);
    }
}

/* The first gate allows 31, the second (which falls with quality, as an error does) only 24. */
static double two_gates(int gate, double q)
{
    return gate == 0 ? parabola(0, q) : gate == 1 ? 0.5 * q : 60;
}

CASE(given_several_gates_then_all_must_pass)
{
    for (int strategy = 0; strategy < 2; strategy++) {
        Search search;
        SearchResult result;
        SearchOptions options = strategy ? bisection(0, 51, 92) : interpolation(92);
        options.on_non_monotonic = NON_MONOTONIC_KEEP;
        options.n_gates = 2;
        options.gates[1] = (SearchGate){.target = 12,
                                        .lower_is_better = true,
                                        .guard = 1,
                                        .prior = curve_prior_unknown(&options.qualities, -12, 0.5)};
        drive(&search, &options, two_gates, &result);
        assert_int_equal(result.best_q, 24);
        assert_true(result.converged && result.n_iterations <= (strategy ? 6 : 4));
        options.gates[1].target = 20; /* up to 40 */
        options.gates[1].prior.reference_score = -20;
        drive(&search, &options, two_gates, &result);
        assert_int_equal(result.best_q, 31);
        options.n_gates = 3; /* never passes */
        options.gates[2] = (SearchGate){.target = 61, .prior = options.gates[0].prior};
        drive(&search, &options, two_gates, &result);
        assert_int_equal(result.status, SEARCH_UNREACHABLE);
    }
}

CASE(given_a_limit_of_bitrate_then_a_larger_answer_is_none)
{
    Search search;
    SearchResult result;
    SearchOptions options = bisection(0, 51, 92);
    options.max_kbps = 8000 * exp2(-31 / 6.0) + 1e-6;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_FOUND);
    assert_int_equal(result.best_q, 31);
    options.max_kbps = 8000 * exp2(-31 / 6.0) - 1e-6;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_TOO_LARGE);
    assert_false(result.ok);
    /* 39 fails and is larger already: whatever passes is larger still. */
    options.max_kbps = 10;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_TOO_LARGE);
    assert_int_equal(result.n_iterations, 2);
    options.max_kbps = 8000 * exp2(-39 / 6.0) - 1e-6;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.n_iterations, 2);
    options.max_kbps = 8000 * exp2(-39 / 6.0) + 1e-6; /* the next one that fails is larger */
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_TOO_LARGE);
    assert_true(result.n_iterations > 2);
}

CASE(given_measurements_from_elsewhere_then_they_are_not_repeated)
{
    Search search;
    SearchResult result;
    const SearchOptions options = bisection(0, 51, 92);
    start(&search, &options);
    const int known[] = {26, 33, 30};
    for (int i = 0; i < 6; i++)
        know(&search, measure(parabola, known[i / 2])); /* again: nothing new */
    double q, n = 0;
    while (search_next(&search, &q)) {
        assert_true(q == 31 || q == 32);
        report(&search, measure(parabola, q));
        n++;
    }
    search_result(&search, &result);
    assert_int_equal(n, 2);
    assert_int_equal(result.best_q, 31);
    assert_int_equal(result.n_iterations, 2);
    assert_int_equal(result.n_samples, 5);
}

CASE(given_a_neighbourhood_that_is_known_then_no_probe_is_needed)
{
    Search search;
    SearchResult result;
    const SearchOptions options = interpolation(92);
    start(&search, &options);
    know(&search, measure(parabola, 31));
    know(&search, measure(parabola, 32));
    assert_true(search_is_over(&search));
    search_result(&search, &result);
    assert_int_equal(result.best_q, 31);
    assert_int_equal(result.n_iterations, 0);
}

CASE(given_several_jobs_then_probes_are_different_and_some_become_moot)
{
    for (int strategy = 0; strategy < 2; strategy++) {
        SearchOptions options = strategy ? bisection(0, 51, 92) : interpolation(92);
        options.jobs = 3;
        Search search;
        start(&search, &options);
        double q[4];
        for (int i = 0; i < 3; i++) {
            assert_true(search_next(&search, &q[i]));
            for (int j = 0; j < i; j++)
                assert_int_not_equal(q[i], q[j]);
            assert_false(search_is_unneeded(&search, q[i]));
        }
        assert_false(search_next(&search, &q[3]));
        /* The highest of them passes: the others cannot matter any more. */
        int highest = 0;
        for (int i = 1; i < 3; i++)
            if (q[i] > q[highest])
                highest = i;
        report(&search, scored(q[highest], 95));
        for (int i = 0; i < 3; i++)
            if (i != highest) {
                assert_true(search_is_unneeded(&search, q[i]));
                assert_int_equal(search_cancelled(&search, q[i]), 0);
            }
        assert_false(search_is_unneeded(&search, q[highest]));
        assert_true(search_next(&search, &q[3]));
        assert_true(q[3] > q[highest]);
    }
}

/* One report makes the answer certain while another encode runs; its report changes nothing. */
CASE(given_several_jobs_then_no_more_probes_than_allowed)
{
    for (int strategy = 0; strategy < 2; strategy++) {
        SearchOptions options = strategy ? bisection(0, 51, 92) : interpolation(92);
        options.jobs = 2;
        options.max_probes = 3;
        Search search;
        start(&search, &options);
        double q[8];
        int n = 0;
        for (int reported = 0; reported < 2; reported++) {
            while (search_next(&search, &q[n]))
                n++;
            assert_int_equal(n, 2 + reported);
            report(&search, scored(q[reported], 95 - q[reported] / 50.0));
        }
        assert_false(search_next(&search, &q[n]));
        /* What is under way still counts. */
        assert_int_equal(search.status, SEARCH_RUNNING);
        report(&search, scored(q[2], 95 - q[2] / 50.0));
        assert_int_not_equal(search.status, SEARCH_RUNNING);
    }
}

/* With nothing that passes so far, the last probe is where something passes most likely. */
CASE(given_the_last_probe_then_it_is_on_the_safe_side)
{
    Search search;
    SearchOptions options = interpolation(90);
    const CurvePrior *prior = &options.gates[0].prior;
    double q;
    start(&search, &options);
    assert_true(search_next(&search, &q));
    assert_true(fabs(q - prior->position) < 1);
    options.max_probes = 1;
    start(&search, &options);
    assert_true(search_next(&search, &q));
    assert_true(q <= prior->position - prior->position_sd);
    assert_true(q >= prior->position - 2 * prior->position_sd - 1);
}

CASE(given_a_late_report_then_it_is_kept_as_a_sample_only)
{
    SearchOptions options = bisection(30, 32, 92);
    options.jobs = 3;
    Search search;
    start(&search, &options);
    double q;
    for (int i = 0; i < 3; i++)
        assert_true(search_next(&search, &q));
    report(&search, measure(parabola, 32));
    report(&search, measure(parabola, 31));
    assert_true(search_is_over(&search));
    assert_true(search_is_unneeded(&search, 30));
    report(&search, scored(30, 50)); /* it would have ended the search */
    SearchResult result;
    search_result(&search, &result);
    assert_int_equal(result.status, SEARCH_FOUND);
    assert_int_equal(result.best_q, 31);
    assert_int_equal(result.n_samples, 3);
    assert_int_equal(result.n_iterations, 3);
}

CASE(given_a_failed_search_then_it_is_explained)
{
    Search search;
    SearchResult result;
    char text[256];
    SearchOptions options = bisection(10, 51, 99.5);
    drive(&search, &options, parabola, &result);
    search_explain(&search, 0, "VMAF", "CRF", text, sizeof(text));
    assert_string_equal(text, "target VMAF 99.5 unreachable in CRF window [10, 51] after 6 "
                              "iterations (best sample: closest miss VMAF=99 at CRF 10)");
    assert_int_equal(result.status, SEARCH_UNREACHABLE);
    options.max_kbps = 500;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_TOO_LARGE);
    search_explain(&search, 0, "VMAF", "CRF", text, sizeof(text));
    assert_non_null(strstr(text, "target VMAF 99.5 not reached within the bitrate limit"));
    assert_non_null(strstr(text, "closest miss VMAF="));
    options = bisection(10, 20, 50); /* all reach it, and 20 is the smallest */
    options.max_kbps = 500;
    drive(&search, &options, parabola, &result);
    assert_int_equal(result.status, SEARCH_TOO_LARGE);
    search_explain(&search, 0, "VMAF", "CRF", text, sizeof(text));
    char wanted[128];
    const Measurement *smallest = result.samples;
    for (size_t i = 0; i < result.n_samples; i++)
        if (result.samples[i].q == 20)
            smallest = &result.samples[i];
    snprintf(wanted, sizeof(wanted), "VMAF=%g at CRF 20, %.1f kbit/s of at most 500.0)",
             smallest->values[0], 8000 * exp2(-20 / 6.0));
    assert_non_null(strstr(text, "reached only above the bitrate limit"));
    assert_non_null(strstr(text, wanted));
    options = bisection(10, 51, 99.5);
    drive(&search, &options, parabola, &result);
    char shorter[20];
    search_explain(&search, 0, "VMAF", "CRF", shorter, sizeof(shorter));
    assert_string_equal(shorter, "target VMAF 99.5 un");
    options = bisection(10, 51, 92);
    drive(&search, &options, parabola, &result);
    search_explain(&search, 0, "VMAF", "CRF", text, sizeof(text));
    assert_string_equal(text, "");
    options = bisection(0, 51, 99.9);
    drive(&search, &options, parabola, &result);
    search_explain(&search, 0, "VMAF", "CRF", text, sizeof(text));
    assert_non_null(strstr(text, "a more compressed encode scored higher"));
}

CASE(given_encodes_then_bitrates_between_them_are_predicted)
{
    Search search;
    const SearchOptions options = bisection(0, 51, 92);
    start(&search, &options);
    assert_true(isnan(search_predicted_kbps(&search, 30)));
    Measurement measurement = measure(parabola, 20);
    know(&search, measurement);
    assert_true(isnan(search_predicted_kbps(&search, 30)));
    assert_true(search_predicted_kbps(&search, 20) == measurement.kbps);
    know(&search, measure(parabola, 36));
    for (double q = 0; q <= 51; q++)
        assert_true(fabs(search_predicted_kbps(&search, q) / (8000 * exp2(-q / 6.0)) - 1) < 1e-12);
    measurement = measure(parabola, 28);
    measurement.kbps *= 1.1;
    know(&search, measurement);
    assert_true(fabs(search_predicted_kbps(&search, 50) / (8000 * exp2(-50 / 6.0)) - 1) > 0.1);
    assert_true(fabs(search_predicted_kbps(&search, 24) / (8000 * exp2(-24 / 6.0)) - 1) < 0.06);
}

CASE(given_a_finished_search_then_the_next_one_begins_near_it)
{
    random_parameters[0] = 35;
    random_parameters[1] = 9;
    Search search;
    SearchResult result;
    SearchOptions options = interpolation(90);
    drive(&search, &options, random_curve, &result);
    const int first = result.n_iterations;
    CurvePoint points[CURVE_MAX_POINTS];
    for (size_t i = 0; i < result.n_samples; i++)
        points[i] = (CurvePoint){result.samples[i].q, result.samples[i].values[0]};
    const CurvePrior learned =
        curve_prior_of_neighbour(&options.gates[0].prior, points, result.n_samples, 0.5);
    assert_true(fabs(learned.position - 35) < 0.5);
    assert_true(fabs(learned.slope - 9) < 1.5);
    random_parameters[0] = 35.3;
    options.gates[0].prior = learned;
    drive(&search, &options, random_curve, &result);
    assert_int_equal(result.best_q, highest_that_passes(random_curve, 90));
    assert_int_equal(result.n_iterations, 2);
    assert_true(first > 2);
}
