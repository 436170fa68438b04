/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Series of scores, pooled and in statistics. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/pooling.h"
#include "support/cases.h"
#include "support/series.h"

static double value_of(uint32_t index)
{
    return index * 0.5 - 1000;
}

static void assert_value(const Series *series, uint32_t index, double expected)
{
    double value;
    assert_true(series_get(series, index, &value));
    assert_memory_equal(&value, &expected, sizeof(value));
}

CASE(an_empty_series_has_nothing)
{
    Series series;
    uint32_t index;
    series_init(&series);
    assert_false(series_get(&series, 0, NULL));
    assert_false(series_get(&series, UINT32_MAX, NULL));
    assert_false(series_next(&series, 0, &index));
    series_clear(&series);
}

CASE(a_value_can_be_stored_once)
{
    Series series;
    series_init(&series);
    assert_int_equal(series_put(&series, 7, 1.5), 0);
    assert_int_equal(series_put(&series, 7, 2.5), -EEXIST);
    assert_value(&series, 7, 1.5);
    assert_int_equal(series.count, 1);
    series_clear(&series);
    assert_false(series_get(&series, 7, NULL));
    assert_int_equal(series_put(&series, 7, 3.5), 0);
    assert_value(&series, 7, 3.5);
    series_clear(&series);
}

CASE(values_are_kept_bit_for_bit)
{
    const double values[] = {-0.0, 5e-324, -1e300, INFINITY, -INFINITY, NAN, -NAN};
    Series series;
    series_init(&series);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(series_put(&series, i, values[i]), 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_value(&series, i, values[i]);
    series_clear(&series);
}

/* Stores the indices first, first + step, ... in some order, then compares all queries with them.
 */
static void check_indices(const uint32_t *order, size_t n)
{
    Series series;
    series_init(&series);
    uint32_t *sorted = malloc(n * sizeof(*sorted));
    assert_non_null(sorted);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(series_put(&series, order[i], value_of(order[i])), 0);
        sorted[i] = order[i];
    }
    for (size_t i = 1; i < n; i++) { /* insertion sort: n is small */
        uint32_t x = sorted[i];
        size_t k = i;
        for (; k > 0 && sorted[k - 1] > x; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = x;
    }
    assert_int_equal(series.count, n);

    uint32_t index;
    for (size_t i = 0; i < n; i++) {
        assert_value(&series, sorted[i], value_of(sorted[i]));
        assert_int_equal(series_put(&series, sorted[i], 0), -EEXIST);
        assert_true(series_next(&series, sorted[i], &index));
        assert_int_equal(index, sorted[i]);
        uint32_t after = i ? sorted[i - 1] + 1 : 0;
        assert_true(series_next(&series, after, &index));
        assert_int_equal(index, sorted[i]);
        if (after < sorted[i])
            assert_false(series_get(&series, after, NULL));
    }
    if (sorted[n - 1] < UINT32_MAX)
        assert_false(series_next(&series, sorted[n - 1] + 1, &index));
    free(sorted);
    series_clear(&series);
}

CASE(ascending_descending_and_scattered_indices_agree)
{
    enum { N = 1500 };
    static const uint32_t steps[] = {1, 3, 63, 64, 65, 1000, 2863311};
    static uint32_t order[N];
    for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
        for (uint32_t i = 0; i < N; i++)
            order[i] = i * steps[s];
        check_indices(order, N);
        for (uint32_t i = 0; i < N; i++)
            order[i] = (N - 1 - i) * steps[s];
        check_indices(order, N);
        for (uint32_t i = 0; i < N; i++)
            order[i] = i * 611 % N * steps[s] + 5; /* 611 and 1500 have no common factor */
        check_indices(order, N);
    }
}

CASE(both_ends_of_the_index_range_work)
{
    const uint32_t order[] = {UINT32_MAX, 0, UINT32_MAX - 1, UINT32_MAX - 64, 1u << 31};
    check_indices(order, sizeof(order) / sizeof(*order));
}

CASE(memory_follows_the_number_of_values)
{
    Series series;
    series_init(&series);
    assert_int_equal(series_put(&series, 4000000000u, 1), 0);
    assert_int_equal(series_put(&series, 3, 2), 0);
    assert_int_equal(series.n_chunks, 2);
    assert_true(series.capacity <= 16);
    series_clear(&series);
}

/* Reference values: libvmaf 3.2, scores s_i = ((7 i) mod 10) / 3 + 0.25; but its minimum starts
 * from 0 where the first index is thinned out. */

static void fill(Series *series)
{
    series_init(series);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(series_put(series, i, (7 * i) % 10 / 3.0 + 0.25), 0);
}

CASE(given_scores_when_pooled_then_all_digits_match)
{
    static const struct {
        unsigned n_subsample, low, high;
        double min, max, mean, harmonic_mean;
    } cases[] = {
        {0, 0, 9, 0.25, 3.25, 1.75, 1.3780693789243541},
        {0, 1, 9, 0.58333333333333326, 3.25, 1.9166666666666667, 1.6431005619811239},
        {1, 4, 4, 2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666661},
        {0, 4, 5, 1.9166666666666667, 2.9166666666666665, 2.4166666666666665, 2.3434959349593494},
        {0, 2, 8, 0.58333333333333326, 3.25, 1.9166666666666667, 1.6104036969076136},
        {3, 0, 9, 0.25, 1.25, 0.75, 0.66822192059721752},
        {3, 1, 9, 0.58333333333333326, 1.25, 0.91666666666666663, 0.87762571610439211},
        {3, 2, 8, 0.58333333333333326, 0.91666666666666663, 0.75, 0.73412698412698396},
    };
    Series series;
    fill(&series);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Pooled pooled;
        assert_int_equal(
            pool_series(&series, cases[i].low, cases[i].high, cases[i].n_subsample, &pooled), 0);
        assert_true(pooled.min == cases[i].min);
        assert_true(pooled.max == cases[i].max);
        assert_true(pooled.mean == cases[i].mean);
        assert_true(pooled.harmonic_mean == cases[i].harmonic_mean);
    }
    series_clear(&series);
}

CASE(given_scores_below_0_then_they_are_pooled_as_they_are)
{
    static const double scores[] = {-0.5, 1, 3};
    Series series;
    Pooled pooled;
    series_init(&series);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(series_put(&series, i, scores[i]), 0);
    assert_int_equal(pool_series(&series, 0, 2, 0, &pooled), 0);
    assert_true(pooled.min == -0.5 && pooled.max == 3 && pooled.mean == 3.5 / 3);
    assert_true(pooled.harmonic_mean == 3 / (2 + 0.5 + 0.25) - 1);
    series_clear(&series);
}

CASE(given_a_thinned_out_start_then_extremes_are_of_scored_frames)
{
    Series series;
    series_init(&series);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(series_put(&series, i, -1.0 - i), 0);
    Pooled pooled;
    assert_int_equal(pool_series(&series, 2, 9, 4, &pooled), 0);
    assert_true(pooled.min == -9 && pooled.max == -5);
    assert_int_equal(pool_series(&series, 4, 4, 4, &pooled), 0);
    assert_true(pooled.min == -5 && pooled.max == -5);
    series_clear(&series);
}

CASE(given_an_interval_without_samples_then_refused)
{
    Series series;
    fill(&series);
    Pooled pooled;
    assert_int_equal(pool_series(&series, 4, 5, 3, &pooled), -EINVAL);
    assert_int_equal(pool_series(&series, 5, 5, 3, &pooled), -EINVAL);
    series_clear(&series);
}

CASE(given_gaps_and_bad_arguments_then_refused)
{
    Series series;
    fill(&series);
    Pooled pooled;
    assert_int_equal(pool_series(&series, 0, 10, 0, &pooled), -EINVAL);
    assert_int_equal(pool_series(&series, 5, 4, 0, &pooled), -EINVAL);
    assert_int_equal(pool_series(&series, 0, UINT32_MAX, 1u << 31, &pooled), -EINVAL);
    assert_int_equal(pool_series(&series, 0, 9, 0, &pooled), 0);
    double score;
    assert_int_equal(pooled_by_method(&pooled, VMAF_POOL_METHOD_MAX, &score), 0);
    assert_true(score == 3.25);
    assert_int_equal(pooled_by_method(&pooled, VMAF_POOL_METHOD_UNKNOWN, &score), -EINVAL);
    assert_int_equal(pooled_by_method(&pooled, VMAF_POOL_METHOD_NB, &score), -EINVAL);
    series_clear(&series);
}

/* Expected values: exact rational arithmetic, rounded once at the end; equal to those of Python's
 * statistics.quantiles(method="inclusive") and pstdev, within the bound. */

static const double bound = 4e-16;
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

CASE(given_scores_then_percentiles_are_interpolated)
{
    static const char names[] = "p0,p1,p5,p10,p25,median,p90,p99,p100,stddev";
    static const struct {
        unsigned low, high, n_subsample;
        double expected[10];
    } cases[] = {
        /* clang-format off */
        {0, 9, 0, {0.25, 0.28, 0.4, 0.55, 1.0, 1.75, 2.95, 3.22, 3.25, 0.9574271077563381}},
        {1, 9, 1,
         {0.58333333333333337, 0.61, 0.71666666666666667, 0.85, 1.25, 1.9166666666666667,
          2.9833333333333334, 3.2233333333333332, 3.25, 0.8606629658238705}},
        {1, 9, 3,
         {0.58333333333333337, 0.59, 0.61666666666666667, 0.65, 0.75, 0.91666666666666663,
          1.1833333333333333, 1.2433333333333334, 1.25, 0.27216552697590868}},
        {4, 5, 0,
         {1.9166666666666667, 1.9266666666666667, 1.9666666666666666, 2.0166666666666666,
          2.1666666666666665, 2.4166666666666665, 2.8166666666666669, 2.9066666666666667,
          2.9166666666666665, 0.5}},
        {4, 4, 2,
         {2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666665,
          2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666665,
          2.9166666666666665, 0}},
        /* clang-format on */
    };
    Series series;
    fill(&series);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_values(&series, cases[i].low, cases[i].high, cases[i].n_subsample, names,
                      cases[i].expected);
    series_clear(&series);
}

/* Far from zero the deviation keeps its digits. */
CASE(given_close_scores_then_the_deviation_is_exact)
{
    Series series;
    series_init(&series);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(series_put(&series, i, 1e9 + i), 0);
    expect_values(&series, 0, 3, 0, "stddev", (const double[]){1.1180339887498949});
    series_clear(&series);
}

CASE(given_a_score_that_is_not_finite_then_all_are_nan)
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

CASE(given_gaps_or_no_samples_then_refused)
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

CASE(given_names_then_a_list_without_repetitions)
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

CASE(given_other_names_then_refused)
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
