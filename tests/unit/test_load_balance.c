/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/queue/load_balance.h"
#include "platform/time.h"

enum { N_UNITS = 3 };

/* Units of one request each; the last is not shared. */
static WorkUnit units[N_UNITS];
static WorkList work = {.units = units, .n_units = N_UNITS};

static int setup(void **state)
{
    static LoadBalance balance;
    assert_int_equal(load_balance_init(&balance, &work), 0);
    for (unsigned u = 0; u < N_UNITS; u++) {
        units[u].requests = (RequestMask){{0}};
        mask_add(&units[u].requests, u);
    }
    mask_add(&balance.shared, 0);
    mask_add(&balance.shared, 1);
    *state = &balance;
    return 0;
}

static int teardown(void **state)
{
    load_balance_clear(*state);
    return 0;
}

static void given_nothing_measured_then_either_may_take_a_frame(void **state)
{
    const LoadBalance *balance = *state;
    assert_false(load_balance_backend_is_sooner(balance, &work, 1));
    assert_false(load_balance_backend_is_later(balance, &work, 1));
}

static void given_a_fast_backend_then_the_cpu_leaves_it_as_many_as_it_does_meanwhile(void **state)
{
    LoadBalance *balance = *state;
    load_balance_note_work(balance, 0, 600);
    load_balance_note_work(balance, 1, 400);
    load_balance_note_work(balance, 2, 5000); /* not to be had from the backend */
    balance->backend_us = 100;
    balance->n_held = 4;
    assert_true(load_balance_backend_is_sooner(balance, &work, 5));  /* 900 us against 1000 */
    assert_false(load_balance_backend_is_sooner(balance, &work, 6)); /* even */
    assert_false(load_balance_backend_is_later(balance, &work, 6));
    assert_false(load_balance_backend_is_sooner(balance, &work, 7));
    assert_true(load_balance_backend_is_later(balance, &work, 7));
}

static void given_measurements_then_the_mean_follows_them(void **state)
{
    LoadBalance *balance = *state;
    load_balance_note_work(balance, 0, 1000);
    assert_true(balance->unit_us[0] == 1000);
    for (int i = 0; i < 40; i++)
        load_balance_note_work(balance, 0, 2000);
    assert_true(balance->unit_us[0] > 1990 && balance->unit_us[0] <= 2000);
}

static void given_frames_in_flight_then_the_time_between_answers_counts(void **state)
{
    LoadBalance *balance = *state;
    balance->last_answer = vmaf_steady_us() - 1000;
    load_balance_note_answer(balance, vmaf_steady_us() - 1000000);
    assert_true(balance->backend_us >= 1000 && balance->backend_us < 500000);
}

/* What is likely to be left decides whether a backend is worth its start. */
static void given_a_run_that_has_scored_for_a_while_then_as_much_is_left(void **state)
{
    (void)state;
    const RunProgress progress = {.n_submitted = 42, .n_retired = 40, .worked_us = 6000000};
    assert_int_equal(run_left_us(&progress, 0), 6000000); /* the caller alone */
    assert_int_equal(run_left_us(&progress, 1), 6000000);
    assert_int_equal(run_left_us(&progress, 4), 1500000);
}

static void given_many_frames_that_wait_then_they_count_at_the_speed_so_far(void **state)
{
    (void)state;
    const RunProgress progress = {.n_submitted = 12, .n_retired = 2, .worked_us = 800000};
    assert_int_equal(run_left_us(&progress, 1), 4000000);
    assert_int_equal(run_left_us(&progress, 2), 2000000);
}

static void given_no_frame_is_done_then_only_the_work_so_far_counts(void **state)
{
    (void)state;
    RunProgress progress = {.n_submitted = 12};
    assert_int_equal(run_left_us(&progress, 1), 0);
    progress.worked_us = 3000;
    assert_int_equal(run_left_us(&progress, 3), 1000);
}

static void given_work_that_is_noted_then_it_is_added_up(void **state)
{
    LoadBalance *balance = *state;
    load_balance_note_work(balance, 0, 100);
    load_balance_note_work(balance, 2, 30);
    load_balance_note_work(balance, 0, 5);
    assert_int_equal(balance->worked_us, 135);
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
