/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/pace.h"
#include "platform/time.h"

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
    pace->last_answer = vmaf_steady_us() - 1000;
    pace_note_answer(pace, vmaf_steady_us() - 1000000);
    assert_true(pace->backend_us >= 1000 && pace->backend_us < 500000);
}

/* What is likely to be left decides whether a backend is worth its start. */
static void given_a_run_that_has_scored_for_a_while_then_as_much_is_left(void **state)
{
    (void)state;
    const PaceProgress progress = {.n_submitted = 42, .n_retired = 40, .worked_us = 6000000};
    assert_int_equal(pace_left_us(&progress, 0), 6000000); /* the caller alone */
    assert_int_equal(pace_left_us(&progress, 1), 6000000);
    assert_int_equal(pace_left_us(&progress, 4), 1500000);
}

static void given_many_frames_that_wait_then_they_count_at_the_speed_so_far(void **state)
{
    (void)state;
    const PaceProgress progress = {.n_submitted = 12, .n_retired = 2, .worked_us = 800000};
    assert_int_equal(pace_left_us(&progress, 1), 4000000);
    assert_int_equal(pace_left_us(&progress, 2), 2000000);
}

static void given_no_frame_is_done_then_only_the_work_so_far_counts(void **state)
{
    (void)state;
    PaceProgress progress = {.n_submitted = 12};
    assert_int_equal(pace_left_us(&progress, 1), 0);
    progress.worked_us = 3000;
    assert_int_equal(pace_left_us(&progress, 3), 1000);
}

static void given_work_that_is_noted_then_it_is_added_up(void **state)
{
    Pace *pace = *state;
    pace_note_work(pace, 0, 100);
    pace_note_work(pace, 2, 30);
    pace_note_work(pace, 0, 5);
    assert_int_equal(pace->worked_us, 135);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(given_nothing_measured_then_either_may_take_a_frame),
        TEST(given_a_fast_backend_then_the_cpu_leaves_it_as_many_as_it_does_meanwhile),
        TEST(given_measurements_then_the_mean_follows_them),
        TEST(given_frames_in_flight_then_the_time_between_answers_counts),
        cmocka_unit_test(given_a_run_that_has_scored_for_a_while_then_as_much_is_left),
        cmocka_unit_test(given_many_frames_that_wait_then_they_count_at_the_speed_so_far),
        cmocka_unit_test(given_no_frame_is_done_then_only_the_work_so_far_counts),
        TEST(given_work_that_is_noted_then_it_is_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
