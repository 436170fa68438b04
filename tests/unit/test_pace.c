/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/pace.h"
#include "support/deadline.h"

enum { N_UNITS = 3 };

/* Units of one request each; the last is not shared. */
static WorkUnit units[N_UNITS];
static WorkPlan plan = {.units = units, .n_units = N_UNITS};

static int setup(void **state)
{
    static Pace pace;
    assert_int_equal(pace_init(&pace, &plan), 0);
    for (unsigned u = 0; u < N_UNITS; u++) {
        units[u].requests = (RequestMask){{0}};
        mask_add(&units[u].requests, u);
    }
    mask_add(&pace.shared, 0);
    mask_add(&pace.shared, 1);
    *state = &pace;
    return 0;
}

static int teardown(void **state)
{
    pace_clear(*state);
    return 0;
}

static void given_nothing_measured_then_either_may_take_a_frame(void **state)
{
    const Pace *pace = *state;
    assert_false(pace_backend_is_sooner(pace, &plan, 1));
    assert_false(pace_backend_is_later(pace, &plan, 1));
}

static void given_a_fast_backend_then_the_cpu_leaves_it_as_many_as_it_does_meanwhile(void **state)
{
    Pace *pace = *state;
    pace_note_work(pace, 0, 600);
    pace_note_work(pace, 1, 400);
    pace_note_work(pace, 2, 5000); /* not to be had from the backend */
    pace->backend_us = 100;
    pace->n_held = 4;
    assert_true(pace_backend_is_sooner(pace, &plan, 5));  /* 900 us against 1000 */
    assert_false(pace_backend_is_sooner(pace, &plan, 6)); /* even */
    assert_false(pace_backend_is_later(pace, &plan, 6));
    assert_false(pace_backend_is_sooner(pace, &plan, 7));
    assert_true(pace_backend_is_later(pace, &plan, 7));
}

static void given_measurements_then_the_mean_follows_them(void **state)
{
    Pace *pace = *state;
    pace_note_work(pace, 0, 1000);
    assert_true(pace->unit_us[0] == 1000);
    for (int i = 0; i < 40; i++)
        pace_note_work(pace, 0, 2000);
    assert_true(pace->unit_us[0] > 1990 && pace->unit_us[0] <= 2000);
}

static void given_frames_in_flight_then_the_time_between_answers_counts(void **state)
{
    Pace *pace = *state;
    pace->last_answer = steady_us() - 1000;
    pace_note_answer(pace, steady_us() - 1000000);
    assert_true(pace->backend_us >= 1000 && pace->backend_us < 500000);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(given_nothing_measured_then_either_may_take_a_frame),
        TEST(given_a_fast_backend_then_the_cpu_leaves_it_as_many_as_it_does_meanwhile),
        TEST(given_measurements_then_the_mean_follows_them),
        TEST(given_frames_in_flight_then_the_time_between_answers_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
