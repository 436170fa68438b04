/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What docs/tune_search.md says of searches over recorded curves, and over those that are made up.
 *   test_simulation rd_curves.txt evaluation_curves.txt long_curves.txt docs/tune_search.md */

#include "support/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tune/comparison.h"
#include "tests/tune/known_curves.h"
#include "tests/tune/simulation.h"

static RdCurves curves, evaluation, long_ones;
static const ComparedCurves short_set = {.curves = &evaluation};
static const ComparedCurves long_set = {.curves = &long_ones, .fitted = &curves};
static const ComparedPart all = {.name = "all"};
static const char *page;

CASE(given_recorded_curves_then_there_are_enough_of_them)
{
    int segments = 0;
    for (size_t i = 0; i < curves.n; i++) {
        const RdCurve *curve = &curves.curves[i];
        segments += !strcmp(curve->encoder, "libx264");
        assert_true(curve->n >= 12);
        for (size_t p = 1; p < curve->n; p++) {
            assert_true(curve->points[p].q > curve->points[p - 1].q);
            assert_true(curve->points[p].min <= curve->points[p].p1);
            assert_true(curve->points[p].p1 <= curve->points[p].mean);
        }
        /* Each CRF was encoded where searches end, not interpolated. */
        for (int t = 0; t < 3; t++) {
            const double q = rd_curve_answer(curve, simulated_targets[t]);
            int measured = 0;
            for (size_t p = 0; p < curve->n; p++)
                measured += curve->points[p].q == q || curve->points[p].q == q + 1;
            assert_int_equal(measured, q < rd_curve_quality_range(curve).highest ? 2 : 1);
        }
    }
    assert_true(segments >= 12);
    assert_int_equal(curves.n, 3 * segments);
}

CASE(given_recorded_curves_then_few_probes_find_the_answer)
{
    const SimulatedSummary ours = simulate_all(&curves, SIMULATED_OURS, NULL);
    assert_int_equal(ours.searches, 3 * curves.n);
    assert_int_equal(ours.wrong, 0);
    assert_true(ours.worst_error == 0);
    assert_true(ours.mean_probes <= 3.4);
    /* Others under the same rule. */
    static const SimulatedSearch others[] = {SIMULATED_BISECT, SIMULATED_BISECT_START,
                                             SIMULATED_LINEAR, SIMULATED_LINEAR_START};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const SimulatedSummary other = simulate_all(&curves, others[i], NULL);
        assert_int_equal(other.wrong, 0);
        assert_true(ours.mean_probes < other.mean_probes - 0.5);
    }
}

CASE(given_a_tolerance_then_still_fewer_probes)
{
    const SimulatedSummary within = simulate_all(&curves, SIMULATED_OURS_WITHIN, NULL);
    assert_true(within.mean_probes <= 3.0);
    assert_true(within.worst_error < 0.5);
    const SimulatedSummary exact = simulate_all(&curves, SIMULATED_OURS, NULL);
    assert_true(within.mean_excess < exact.mean_excess + 0.05);
}

CASE(given_two_jobs_then_fewer_rounds)
{
    const SimulatedSummary one = simulate_all(&curves, SIMULATED_OURS, NULL);
    const SimulatedSummary two = simulate_all(&curves, SIMULATED_OURS_2_JOBS, NULL);
    assert_int_equal(two.wrong, 0);
    assert_true(two.mean_rounds < one.mean_rounds - 0.5);
}

/* The priors of the engine are the curves', but for the offset of height and wider spreads. */
CASE(given_the_curves_then_the_priors_are_fitted_to_them)
{
    static const char *const encoders[] = {"libx264", "libx265", "libsvtav1"};
    for (int i = 0; i < 3; i++) {
        const QualityRange qualities = {.lowest = i == 2 ? 1 : 0, .highest = i == 2 ? 63 : 51};
        const CurvePrior fitted = rd_curves_prior(&curves, encoders[i], NULL);
        const CurvePrior prior = curve_prior_of_vmaf(encoders[i], &qualities, 360);
        const double values[][2] = {{prior.position, fitted.position},
                                    {prior.slope, fitted.slope},
                                    {prior.bend, fitted.bend}};
        const double spreads[][2] = {{prior.position_sd, fitted.position_sd},
                                     {prior.slope_sd, fitted.slope_sd},
                                     {prior.bend_sd, fitted.bend_sd},
                                     {prior.deviation, fitted.deviation}};
        for (int j = 0; j < 3; j++)
            assert_true(fabs(values[j][0] - values[j][1]) < 0.06);
        for (int j = 0; j < 4; j++) /* wider, as the curves are few */
            assert_true(spreads[j][0] > 0.97 * spreads[j][1] && spreads[j][0] < 2 * spreads[j][1]);
        assert_true(curve_prior_of_vmaf(encoders[i], &qualities, 1080).position ==
                    prior.position - 4);
        assert_true(curve_prior_of_vmaf(encoders[i], &qualities, 720).position ==
                    prior.position - 2);
        assert_true(curve_prior_of_vmaf(encoders[i], &qualities, 2160).position ==
                    prior.position - 6);
    }
}

/* The minimum and the worst per cent of frames, beside the mean. */
CASE(given_several_gates_then_the_answer_is_that_of_the_strictest)
{
    int probes = 0;
    for (size_t i = 0; i < curves.n; i++) {
        const RdCurve *curve = &curves.curves[i];
        const QualityRange qualities = rd_curve_quality_range(curve);
        const CurvePrior mean = curve_prior_of_vmaf(curve->encoder, &qualities, 360);
        SearchOptions options = {
            .qualities = qualities,
            .first = qualities.lowest,
            .last = qualities.highest,
            .gates =
                {{.target = 92, .is_percentage = true, .prior = mean},
                 {.target = 86, .is_percentage = true, .prior = curve_prior_of_low_pool(&mean)},
                 {.target = 84, .is_percentage = true, .prior = curve_prior_of_low_pool(&mean)}},
            .n_gates = 3,
            .jobs = 1,
            .on_non_monotonic = NON_MONOTONIC_KEEP,
        };
        static Search search;
        assert_int_equal(search_start(&search, &options), 0);
        double q;
        while (search_next(&search, &q)) {
            const RdPoint point = rd_curve_at(curve, q);
            const Measurement measurement = {
                .q = q, .values = {point.mean, point.p1, point.min}, .kbps = point.kbps};
            assert_int_equal(search_report(&search, &measurement), 0);
        }
        SearchResult result;
        search_result(&search, &result);
        assert_true(result.ok && result.converged);
        const RdPoint at = rd_curve_at(curve, result.best_q);
        assert_true(at.mean >= 92 && at.p1 >= 86 && at.min >= 84);
        const RdPoint after = rd_curve_at(curve, result.best_q + 1);
        assert_false(after.mean >= 92 && after.p1 >= 86 && after.min >= 84);
        probes += result.n_iterations;
    }
    assert_true(probes <= 4.2 * (double)curves.n);
}

static bool page_has(const char *row)
{
    char line[512];
    FILE *file = fopen(page, "r");
    assert_non_null(file);
    bool found = false;
    while (!found && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = 0;
        found = !strcmp(line, row);
    }
    fclose(file);
    return found;
}

CASE(given_the_page_then_its_tables_are_what_is_simulated)
{
    char row[SIMULATED_ROW_SIZE];
    for (int i = 0; simulated_row(&curves, i, row); i++)
        if (!page_has(row))
            fail_msg("%s has no row %s", page, row);
}

/* All curves of the rule that record_curves.py states, none of a clip that priors have seen. */
CASE(given_the_evaluation_then_it_has_other_clips_and_all_steps)
{
    int of_encoder[3] = {0};
    static const char *const encoders[] = {"libx264", "libx265", "libsvtav1"};
    for (size_t i = 0; i < evaluation.n; i++) {
        const RdCurve *curve = &evaluation.curves[i];
        for (int e = 0; e < 3; e++)
            of_encoder[e] += !strcmp(curve->encoder, encoders[e]);
        const QualityRange qualities = rd_curve_quality_range(curve);
        assert_int_equal(quality_steps(&qualities), strcmp(curve->encoder, "libsvtav1") ? 10 : 1);
        for (size_t j = 0; j < curves.n; j++)
            assert_string_not_equal(curve->clip, curves.curves[j].clip);
    }
    for (int e = 0; e < 3; e++)
        assert_true(of_encoder[e] >= 12);
}

CASE(given_the_evaluation_then_ours_needs_fewer_encodes_and_no_more_bits)
{
    const Comparison ours = compare_searches(&short_set, COMPARED_OURS, &all);
    const Comparison other = compare_searches(&short_set, COMPARED_AB_AV1, &all);
    assert_int_equal(ours.searches, other.searches);
    assert_int_equal(ours.unanswered, 0);
    assert_false(ours.misses);
    assert_true(ours.encodes.mean < other.encodes.mean - 0.5);
    assert_true(ours.bits_over.mean <= other.bits_over.mean);
}

/* The optimum of a curve that is a line is where the line is. */
CASE(given_a_line_then_its_optimum_is_known)
{
    RdCurve line = {.n = 11};
    for (size_t i = 0; i < line.n; i++)
        line.points[i] =
            (RdPoint){.q = (double)i, .kbps = exp(5 - 0.3 * (double)i), .mean = 99 - 2 * (double)i};
    assert_true(fabs(rd_curve_optimum(&line, 90, false) - exp(5 - 0.3 * 4.5)) < 1e-6);
    assert_true(isnan(rd_curve_optimum(&line, 99.5, false)));
    assert_true(isnan(rd_curve_optimum(&line, 70, false)));
    assert_true(rd_curve_optimum(&line, 90, true) == rd_curve_optimum(&line, 90, false));
    /* One lucky encode and one at a fraction do not count. */
    line.points[6].mean = 91.2;
    line.points[10].q = 9.5;
    assert_true(rd_curve_optimum(&line, 91, false) < exp(5 - 0.3 * 5.9));
    assert_true(rd_curve_optimum(&line, 91, true) > exp(5 - 0.3 * 5.1));
    assert_true(isnan(rd_curve_optimum(&line, 80, true)));
}

CASE(given_known_curves_then_answers_reach_their_targets)
{
    for (int scale = 0; scale < N_KNOWN_SCALES; scale++)
        for (int kind = 0; kind < N_KNOWN_KINDS; kind++) {
            const KnownResult of = search_known_curves((KnownKind)kind, scale);
            assert_int_equal(of.missed, 0);
            assert_int_equal(of.unanswered, 0);
            assert_true(of.most_encodes <= 13);
            if (kind == KNOWN_SMOOTH)
                assert_true(of.encodes.mean < 3.7 && of.bits_over.mean < 0.4);
        }
}

CASE(given_the_page_then_it_has_the_rows_of_the_comparisons)
{
    char row[COMPARISON_ROW_SIZE];
    const ComparedCurves *const sets[] = {&short_set, &long_set};
    for (int set = 0; set < 2; set++)
        for (int i = 0; comparison_row(sets[set], i, row); i++)
            if (!page_has(row))
                fail_msg("%s has no row %s", page, row);
    for (int i = 0; known_curves_row(i, row); i++)
        if (!page_has(row))
            fail_msg("%s has no row %s", page, row);
}

int main(int argc, char **argv)
{
    if (argc < 5 || !rd_curves_read(&curves, argv[1]) || !rd_curves_read(&evaluation, argv[2]) ||
        !rd_curves_read(&long_ones, argv[3]))
        return 2;
    page = argv[4];
    return run_cases(argc - 4, argv + 4);
}
