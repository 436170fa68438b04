/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/common/ordered_sum.h"
#include "support/cases.h"

enum { MAX_TERMS = 2500, RUNS = 300 };

static uint32_t seed = 1;

static uint32_t random_bits(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8; /* 24 of them */
}

/* Terms as metrics have them: many zeros, few large ones, all bits used. */
static double random_term(unsigned kind)
{
    const double x = ((double)random_bits() + (double)random_bits() / 16777216) / 16777216;
    switch (kind % 5) {
    case 0:
        return x * x;
    case 1:
        return random_bits() % 256; /* many of them exceptions */
    case 2:
        return random_bits() % 4 ? 0 : x * x * x * x;
    case 3:
        return ldexp(x, (int)(random_bits() % 60) - 30);
    default:
        return 0;
    }
}

CASE(test_sum_of_floats_is_that_in_order_or_refused)
{
    unsigned n_counted = 0;
    for (unsigned kind = 0; kind < 5; kind++) {
        float in_order = 0, sum = 0;
        for (int run = 0; run < RUNS; run++) {
            float terms[MAX_TERMS];
            const unsigned n = run % 2 ? MAX_TERMS : random_bits() % MAX_TERMS;
            for (unsigned i = 0; i < n; i++) {
                terms[i] = (float)random_term(kind);
                in_order += terms[i];
            }
            const float before = sum;
            if (ordered_sum_f32(&sum, terms, n)) {
                n_counted++;
                assert_true(sum == in_order);
            } else {
                assert_true(sum == before);
                sum = in_order;
            }
        }
    }
    assert_true(n_counted > RUNS);
}

CASE(test_sum_of_doubles_is_that_in_order_or_refused)
{
    unsigned n_counted = 0;
    for (unsigned kind = 0; kind < 5; kind++) {
        double in_order = 0, sum = 0;
        for (int run = 0; run < RUNS; run++) {
            double terms[MAX_TERMS];
            const unsigned n = run % 2 ? MAX_TERMS : random_bits() % MAX_TERMS;
            for (unsigned i = 0; i < n; i++) {
                terms[i] = random_term(kind);
                in_order += terms[i];
            }
            const double before = sum;
            if (ordered_sum_f64(&sum, terms, n)) {
                n_counted++;
                assert_true(sum == in_order);
            } else {
                assert_true(sum == before);
                sum = in_order;
            }
        }
    }
    assert_true(n_counted > 3 * RUNS);
}

CASE(test_exceptions_are_refused)
{
    const double unit = 0x1p-52;
    double sum = 1;
    const double middle[] = {unit / 2}, even_middle[] = {3 * unit / 2}, large[] = {1};
    const double together[] = {0.25, 0.25, 0.5};
    const double infinite[] = {INFINITY}, not_a_number[] = {NAN};
    assert_false(ordered_sum_f64(&sum, middle, 1));
    assert_false(ordered_sum_f64(&sum, even_middle, 1));
    assert_false(ordered_sum_f64(&sum, large, 1));
    assert_false(ordered_sum_f64(&sum, together, 3));
    assert_false(ordered_sum_f64(&sum, infinite, 1));
    assert_false(ordered_sum_f64(&sum, not_a_number, 1));
    assert_true(sum == 1);
    const double near_middle[] = {unit * 0.5000001, 0.25};
    assert_true(ordered_sum_f64(&sum, near_middle, 2));
    assert_true(sum == 1.25 + unit);
}
