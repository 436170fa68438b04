/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reference values: libvmaf 3.2, scores s_i = ((7 i) mod 10) / 3 + 0.25; but its minimum starts
 * from 0 where the first index is thinned out. */

#include "support/cases.h"

#include <errno.h>

#include "feature/scores/pooling.h"

static void fill(Series *series)
{
    series_init(series);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(series_put(series, i, (7 * i) % 10 / 3.0 + 0.25), 0);
}

static void given_scores_when_pooled_then_all_digits_match(void **state)
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

static void given_a_thinned_out_start_then_extremes_are_of_scored_frames(void **state)
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

static void given_an_interval_without_samples_then_refused(void **state)
{
    Series series;
    fill(&series);
    Pooled pooled;
    assert_int_equal(pool_series(&series, 4, 5, 3, &pooled), -EINVAL);
    assert_int_equal(pool_series(&series, 5, 5, 3, &pooled), -EINVAL);
    series_clear(&series);
}

static void given_gaps_and_bad_arguments_then_refused(void **state)
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_scores_when_pooled_then_all_digits_match),
        cmocka_unit_test(given_a_thinned_out_start_then_extremes_are_of_scored_frames),
        cmocka_unit_test(given_an_interval_without_samples_then_refused),
        cmocka_unit_test(given_gaps_and_bad_arguments_then_refused),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
