/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Expected values: exact rational arithmetic, rounded once at the end; equal to those of Python's
 * statistics.quantiles(method="inclusive") and pstdev, within the bound. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/scores/statistic.h"
#include "support/cases.h"

static const double bound = 4e-16; /* relative; a few roundings */

static void fill(Series *series)
{
    series_init(series);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(series_put(series, i, (7 * i) % 10 / 3.0 + 0.25), 0);
}

static void expect_values(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                          const char *names, const double expected[])
{
    StatisticList list;
    double scratch[16], values[MAX_STATISTICS];
    assert_int_equal(statistic_list_parse(&list, names), 0);
    assert_int_equal(pool_statistics(series, low, high, n_subsample, &list, scratch, values), 0);
    for (unsigned k = 0; k < list.count; k++) {
        if (!(fabs(values[k] - expected[k]) <= bound * fabs(expected[k])))
            fail_msg("%s of %u to %u: %.17g, expected %.17g", list.items[k].name, low, high,
                     values[k], expected[k]);
    }
}

static void given_scores_then_percentiles_are_interpolated(void **state)
{
    static const char names[] = "p0,p1,p5,p10,p25,median,p90,p99,p100,stddev";
    static const struct {
        unsigned low, high, n_subsample;
        double expected[10];
    } cases[] = {
        {0, 9, 0, {0.25, 0.28, 0.4, 0.55, 1.0, 1.75, 2.95, 3.22, 3.25, 0.9574271077563381}},
        {1,
         9,
         1,
         {0.58333333333333337, 0.61, 0.71666666666666667, 0.85, 1.25, 1.9166666666666667,
          2.9833333333333334, 3.2233333333333332, 3.25, 0.8606629658238705}},
        {1,
         9,
         3,
         {0.58333333333333337, 0.59, 0.61666666666666667, 0.65, 0.75, 0.91666666666666663,
          1.1833333333333333, 1.2433333333333334, 1.25, 0.27216552697590868}},
        {4,
         5,
         0,
         {1.9166666666666667, 1.9266666666666667, 1.9666666666666666, 2.0166666666666666,
          2.1666666666666665, 2.4166666666666665, 2.8166666666666669, 2.9066666666666667,
          2.9166666666666665, 0.5}},
        {4,
         4,
         2,
         {2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666665,
          2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666665,
          2.9166666666666665, 0}},
    };
    Series series;
    fill(&series);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_values(&series, cases[i].low, cases[i].high, cases[i].n_subsample, names,
                      cases[i].expected);
    series_clear(&series);
}

/* Far from zero the deviation keeps its digits. */
static void given_close_scores_then_the_deviation_is_exact(void **state)
{
    Series series;
    series_init(&series);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(series_put(&series, i, 1e9 + i), 0);
    expect_values(&series, 0, 3, 0, "stddev", (const double[]){1.1180339887498949});
    series_clear(&series);
}

static void given_a_score_that_is_not_finite_then_all_are_nan(void **state)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < 3; i++) {
        Series series;
        fill(&series);
        assert_int_equal(series_put(&series, 10, odd[i]), 0);
        StatisticList list;
        double scratch[16], values[MAX_STATISTICS];
        assert_int_equal(statistic_list_parse(&list, "p1,median,stddev"), 0);
        assert_int_equal(pool_statistics(&series, 0, 10, 0, &list, scratch, values), 0);
        for (unsigned k = 0; k < 3; k++)
            assert_true(isnan(values[k]));
        /* Other frames are as ever. */
        assert_int_equal(pool_statistics(&series, 0, 9, 0, &list, scratch, values), 0);
        assert_true(values[1] == 1.75);
        series_clear(&series);
    }
}

static void given_gaps_or_no_samples_then_refused(void **state)
{
    Series series;
    fill(&series);
    StatisticList list;
    double scratch[16], values[MAX_STATISTICS];
    assert_int_equal(statistic_list_parse(&list, "p1"), 0);
    assert_int_equal(pool_statistics(&series, 5, 10, 0, &list, scratch, values), -EINVAL);
    assert_int_equal(pool_statistics(&series, 4, 5, 3, &list, scratch, values), -EINVAL);
    assert_int_equal(pool_statistics(&series, 5, 4, 0, &list, scratch, values), -EINVAL);
    series_clear(&series);
    assert_int_equal(pool_sample_count(0, 9, 0), 10);
    assert_int_equal(pool_sample_count(1, 9, 3), 3);
    assert_int_equal(pool_sample_count(4, 5, 3), 0);
    assert_int_equal(pool_sample_count(UINT32_MAX, UINT32_MAX, 1), 1);
}

static void given_names_then_a_list_without_repetitions(void **state)
{
    StatisticList list;
    assert_int_equal(statistic_list_parse(&list, "p25,median,p100,p0,stddev,p25,p50"), 0);
    static const char *const names[] = {"p25", "median", "p100", "p0", "stddev", "p50"};
    static const unsigned percent[] = {25, 50, 100, 0, 50, 50};
    assert_int_equal(list.count, 6);
    for (unsigned k = 0; k < 6; k++) {
        assert_string_equal(list.items[k].name, names[k]);
        assert_int_equal(list.items[k].percent, percent[k]);
    }
    assert_int_equal(list.items[4].kind, STATISTIC_DEVIATION);
    assert_int_equal(statistic_list_parse(&list, NULL), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(statistic_list_parse(&list, ""), 0);
    assert_int_equal(list.count, 0);
}

static void given_other_names_then_refused(void **state)
{
    static const char *const lists[] = {"p",      "p101",  "p1000",  "p-1",    "p1.5",   "p01",
                                        "P1",     "1",     "mean",   "Median", "p1,",    ",p1",
                                        "p1,,p2", "p1 p2", "p1, p2", "std",    "stddev1"};
    StatisticList list;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (statistic_list_parse(&list, lists[i]) != -EINVAL)
            fail_msg("\"%s\" was accepted", lists[i]);
    }
    char text[256] = "p0", *end = text + 2;
    for (int i = 1; i < MAX_STATISTICS; i++)
        end += sprintf(end, ",p%d", i);
    assert_int_equal(statistic_list_parse(&list, text), 0);
    assert_int_equal(list.count, MAX_STATISTICS);
    strcpy(end, ",p99");
    assert_int_equal(statistic_list_parse(&list, text), -E2BIG);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_scores_then_percentiles_are_interpolated),
        cmocka_unit_test(given_close_scores_then_the_deviation_is_exact),
        cmocka_unit_test(given_a_score_that_is_not_finite_then_all_are_nan),
        cmocka_unit_test(given_gaps_or_no_samples_then_refused),
        cmocka_unit_test(given_names_then_a_list_without_repetitions),
        cmocka_unit_test(given_other_names_then_refused),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
