/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void an_empty_series_has_nothing(void **state)
{
    Series series;
    uint32_t index;
    series_init(&series);
    assert_false(series_get(&series, 0, NULL));
    assert_false(series_get(&series, UINT32_MAX, NULL));
    assert_false(series_next(&series, 0, &index));
    series_clear(&series);
}

static void a_value_can_be_stored_once(void **state)
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

static void values_are_kept_bit_for_bit(void **state)
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

static void ascending_descending_and_scattered_indices_agree(void **state)
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

static void both_ends_of_the_index_range_work(void **state)
{
    const uint32_t order[] = {UINT32_MAX, 0, UINT32_MAX - 1, UINT32_MAX - 64, 1u << 31};
    check_indices(order, sizeof(order) / sizeof(*order));
}

static void memory_follows_the_number_of_values(void **state)
{
    Series series;
    series_init(&series);
    assert_int_equal(series_put(&series, 4000000000u, 1), 0);
    assert_int_equal(series_put(&series, 3, 2), 0);
    assert_int_equal(series.n_chunks, 2);
    assert_true(series.capacity <= 16);
    series_clear(&series);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_series_has_nothing),
        cmocka_unit_test(a_value_can_be_stored_once),
        cmocka_unit_test(values_are_kept_bit_for_bit),
        cmocka_unit_test(ascending_descending_and_scattered_indices_agree),
        cmocka_unit_test(both_ends_of_the_index_range_work),
        cmocka_unit_test(memory_follows_the_number_of_values),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
