/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/frame_queue_internal.h"
#include "support/cases.h"

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
    balance.devices[0].requests = balance.shared;
    balance.n_devices = 1;
    *state = &balance;
    return 0;
}

static int teardown(void **state)
{
    load_balance_clear(*state);
    return 0;
}

#define TEST(function) CASE_WITH(function, setup, teardown)

/* For frames that want everything. */
static bool devices_are_sooner(const LoadBalance *balance, unsigned n)
{
    return load_balance_devices_are_sooner(balance, &work, &balance->shared, n);
}

/* With one worker of the CPU. */
static bool device_is_later(const LoadBalance *balance, unsigned device, unsigned n_left)
{
    return load_balance_device_is_later(balance, &work, device, 1, n_left);
}

static void measure_cpu(LoadBalance *balance)
{
    load_balance_note_work(balance, 0, 600);
    load_balance_note_work(balance, 1, 400);
    load_balance_note_work(balance, 2, 5000); /* not to be had from a device */
}

TEST(given_nothing_measured_then_either_may_take_a_frame)
{
    const LoadBalance *balance = *state;
    assert_false(devices_are_sooner(balance, 1));
    assert_false(device_is_later(balance, 0, 1));
}

TEST(given_a_fast_device_then_the_cpu_leaves_it_as_many_as_it_does_meanwhile)
{
    LoadBalance *balance = *state;
    measure_cpu(balance);
    balance->devices[0].us = 100;
    balance->devices[0].n_held = 4;
    assert_true(devices_are_sooner(balance, 5));  /* 900 us against 1000 */
    assert_false(devices_are_sooner(balance, 6)); /* even */
    balance->devices[0].n_held = 9;
    assert_false(device_is_later(balance, 0, 1));
    assert_false(devices_are_sooner(balance, 1));
    balance->devices[0].n_held = 10;
    assert_true(device_is_later(balance, 0, 1));
    assert_false(device_is_later(balance, 0, 2)); /* more than the CPU does meanwhile */
    balance->devices[0].n_held = 20;
    assert_true(device_is_later(balance, 0, 2));
    assert_true(load_balance_device_is_later(balance, &work, 0, 4, 8)); /* two of each worker */
    assert_false(load_balance_device_is_later(balance, &work, 0, 4, 9));
}

/* Two that compute the same, ten times as fast the one as the other. */
static void add_slow_device(LoadBalance *balance)
{
    balance->devices[0].us = 100;
    balance->devices[1] = (DevicePace){.requests = balance->shared, .us = 1000};
    balance->n_devices = 2;
}

TEST(given_two_devices_then_the_slow_one_leaves_what_the_other_does_meanwhile)
{
    LoadBalance *balance = *state;
    add_slow_device(balance);
    assert_true(device_is_later(balance, 1, 9)); /* 900 us against 1000 */
    assert_false(device_is_later(balance, 1, 10));
    assert_false(device_is_later(balance, 0, 1));
    balance->devices[0].n_held = 9;
    assert_false(device_is_later(balance, 1, 1));
    balance->devices[1].n_held = 1;
    assert_true(device_is_later(balance, 1, 10));
}

TEST(given_two_devices_then_the_cpu_counts_on_both)
{
    LoadBalance *balance = *state;
    add_slow_device(balance);
    load_balance_note_work(balance, 0, 2500);
    assert_true(devices_are_sooner(balance, 26)); /* 24 and 2 */
    assert_false(devices_are_sooner(balance, 27));
}

TEST(given_a_device_that_has_gone_or_computes_less_then_nobody_counts_on_it)
{
    LoadBalance *balance = *state;
    add_slow_device(balance);
    balance->devices[0].requests = (RequestMask){{0}};
    assert_false(device_is_later(balance, 1, 1));
    mask_add(&balance->devices[0].requests, 1);
    assert_false(device_is_later(balance, 1, 1));
    const RequestMask first = {{1}};
    load_balance_note_work(balance, 0, 2500);
    assert_true(load_balance_devices_are_sooner(balance, &work, &first, 2)); /* by the slow one */
    assert_false(load_balance_devices_are_sooner(balance, &work, &first, 3));
    balance->devices[0].requests = balance->shared;
    assert_true(device_is_later(balance, 1, 1));
}

TEST(given_a_much_slower_device_then_it_takes_few_frames_ahead)
{
    LoadBalance *balance = *state;
    add_slow_device(balance);
    balance->devices[0].n_held = 4;
    balance->devices[1].us = 900;
    balance->devices[1].n_held = 3;
    assert_false(
        load_balance_device_has_enough(balance, 1)); /* 35 frames, of which 4 are in work */
    balance->devices[1].us = 901;
    balance->devices[0].n_held = 3;
    assert_true(load_balance_device_has_enough(balance, 1));
    assert_false(load_balance_device_has_enough(balance, 0));
    balance->devices[1].n_held = 2;
    assert_false(load_balance_device_has_enough(balance, 1));
    balance->devices[1].us = 1000000;
    assert_true(load_balance_device_has_enough(balance, 1));
    balance->devices[1].n_held = 0; /* but one it may have */
    assert_false(load_balance_device_has_enough(balance, 1));
}

TEST(given_several_devices_then_one_without_an_answer_has_one_frame)
{
    LoadBalance *balance = *state;
    balance->devices[0].n_held = 1;
    assert_false(load_balance_device_has_enough(balance, 0)); /* it is alone */
    add_slow_device(balance);
    balance->devices[0].us = 0;
    assert_true(load_balance_device_has_enough(balance, 0));
    balance->devices[0].n_held = 0;
    assert_false(load_balance_device_has_enough(balance, 0));
    balance->devices[0].n_held = 1;
    balance->devices[1].requests = (RequestMask){{0}};
    assert_false(load_balance_device_has_enough(balance, 0));
}

/* It may be the slowest of all. */
TEST(given_a_device_without_an_answer_then_others_do_not_leave_it_frames)
{
    LoadBalance *balance = *state;
    add_slow_device(balance);
    balance->devices[0].us = 0;
    assert_false(device_is_later(balance, 1, 1));
    assert_false(device_is_later(balance, 0, 1));
}

TEST(given_measurements_then_the_mean_follows_them)
{
    LoadBalance *balance = *state;
    load_balance_note_work(balance, 0, 1000);
    assert_true(balance->unit_us[0] == 1000);
    for (int i = 0; i < 40; i++)
        load_balance_note_work(balance, 0, 2000);
    assert_true(balance->unit_us[0] > 1990 && balance->unit_us[0] <= 2000);
}

TEST(given_frames_in_flight_then_the_time_between_answers_counts)
{
    LoadBalance *balance = *state;
    balance->devices[0].last_answer = 5000;
    load_balance_note_answer(&balance->devices[0], 1000, 6000);
    assert_true(balance->devices[0].us == 1000);
    assert_int_equal(balance->devices[0].last_answer, 6000);
    balance->devices[1] = (DevicePace){0};
    load_balance_note_answer(&balance->devices[1], 1000, 6000); /* its first one */
    assert_true(balance->devices[1].us == 5000);
}

/* What is likely to be left decides whether a backend is worth its start. */
CASE(given_a_run_that_has_scored_for_a_while_then_as_much_is_left)
{
    const RunProgress progress = {.n_submitted = 42, .n_retired = 40, .worked_us = 6000000};
    assert_int_equal(run_left_us(&progress, 0), 6000000); /* the caller alone */
    assert_int_equal(run_left_us(&progress, 1), 6000000);
    assert_int_equal(run_left_us(&progress, 4), 1500000);
}

CASE(given_many_frames_that_wait_then_they_count_at_the_speed_so_far)
{
    const RunProgress progress = {.n_submitted = 12, .n_retired = 2, .worked_us = 800000};
    assert_int_equal(run_left_us(&progress, 1), 4000000);
    assert_int_equal(run_left_us(&progress, 2), 2000000);
}

CASE(given_no_frame_is_done_then_only_the_work_so_far_counts)
{
    RunProgress progress = {.n_submitted = 12};
    assert_int_equal(run_left_us(&progress, 1), 0);
    progress.worked_us = 3000;
    assert_int_equal(run_left_us(&progress, 3), 1000);
}

TEST(given_work_that_is_noted_then_it_is_added_up)
{
    LoadBalance *balance = *state;
    load_balance_note_work(balance, 0, 100);
    load_balance_note_work(balance, 2, 30);
    load_balance_note_work(balance, 0, 5);
    assert_int_equal(balance->worked_us, 135);
}
