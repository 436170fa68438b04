/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What runs when, and what runs never; simulated time. Tasks are named by capital letters. */
#include <stdio.h>
#include <string.h>

#include "toy_runtime.h"

static TaskQueue queues[3];

static void start(const char *machine, const char *order)
{
    assert_int_equal(machine_configure(machine, order), 0);
    memset(queues, 0, sizeof(queues));
    for (size_t i = 0; i < 3; i++)
        queues[i].device = &machine_devices[i == 2 ? 1 : 0];
    machine_begin("toyWork");
}

static int set_up(void **state)
{
    start(NULL, "late");
    return 0;
}

static int tear_down(void **state)
{
    machine_end("toyWork", 0);
    return machine_configure(NULL, "late");
}

#define TEST(name) CASE_WITH(name, set_up, tear_down)

static void restart(const char *machine, const char *order)
{
    machine_end("toyWork", 0);
    start(machine, order);
}

static void submit(int queue, char name)
{
    toy_submit(&queues[queue], (ToyTask){.name = name});
}

static void submit_in_order(int queue, char name)
{
    toy_submit(&queues[queue], (ToyTask){.name = name, .is_in_order = true});
}

/* -- the goal of waits: that a task has run -- */

static bool is_named(const Task *task, const void *name)
{
    return ((const ToyTask *)task)->name == *(const char *)name;
}

static bool is_over(const void *name)
{
    return machine_devices[0].lost || !schedule_has(&(Goal){.needs = is_named, .subject = name});
}

static bool finish(char name)
{
    return schedule_wait(&(Goal){is_named, is_over, &name}, 3000000);
}

static bool poll(char name)
{
    return schedule_poll(&(Goal){is_named, is_over, &name});
}

/* -- orders -- */

TEST(nothing_runs_before_somebody_waits)
{
    submit_in_order(0, 'A');
    submit_in_order(0, 'B');
    submit_in_order(0, 'C');
    assert_string_equal(toy_ran, "");
    assert_true(finish('B'));
    assert_string_equal(toy_ran, "AB"); /* and no further than needed */
    assert_true(finish('C'));
    assert_string_equal(toy_ran, "ABC");
}

TEST(what_is_not_ordered_runs_last_first)
{
    submit(0, 'A');
    submit(0, 'B');
    submit(0, 'C');
    submit_in_order(0, 'D');
    submit(0, 'E');
    finish('E');
    assert_string_equal(toy_ran, "CBADE");
}

TEST(what_nobody_needs_does_not_run)
{
    submit(0, 'A');
    submit(0, 'B');
    submit(1, 'C');
    finish('A');
    assert_string_equal(toy_ran, "A");
}

TEST(signals_order_queues)
{
    toy_submit(&queues[1], (ToyTask){.name = 'A', .awaits = 1}); /* before what signals it */
    submit_in_order(0, 'B');
    toy_submit(&queues[0], (ToyTask){.name = 'C', .signals = 1, .is_in_order = true});
    submit_in_order(0, 'D');
    finish('A');
    assert_string_equal(toy_ran, "BCA");
}

TEST(what_comes_while_somebody_waits_opens_the_way)
{
    toy_submit(&queues[0], (ToyTask){.name = 'A', .awaits = 1});
    assert_false(finish('A'));
    toy_submit(&queues[1], (ToyTask){.name = 'B', .signals = 1});
    assert_true(finish('A'));
    assert_string_equal(toy_ran, "BA");
}

TEST(the_early_order_runs_at_once)
{
    restart(NULL, "early");
    toy_submit(&queues[1], (ToyTask){.name = 'A', .awaits = 1});
    submit(0, 'B');
    assert_string_equal(toy_ran, "B");
    toy_submit(&queues[0], (ToyTask){.name = 'C', .signals = 1});
    assert_string_equal(toy_ran, "BCA");
}

TEST(the_order_others_runs_first_what_is_not_needed)
{
    restart(NULL, "others");
    submit(0, 'A');
    submit(1, 'B');
    assert_string_equal(toy_ran, "");
    finish('A');
    assert_string_equal(toy_ran, "BA");
}

/* All orders of two tasks of which one is needed, and that it runs without the other. */
TEST(seeds_find_all_orders)
{
    static const char *const orders[] = {"A", "AB", "BA"};
    bool found[3] = {false};
    for (int seed = 1; seed <= 64; seed++) {
        char order[8], first[64];
        snprintf(order, sizeof(order), "%d", seed);
        for (int again = 0; again < 2; again++) {
            restart(NULL, order);
            submit(0, 'A');
            submit(1, 'B');
            finish('A');
            if (again)
                assert_string_equal(toy_ran, first);
            strcpy(first, toy_ran);
        }
        for (size_t i = 0; i < 3; i++)
            found[i] = found[i] || strcmp(toy_ran, orders[i]) == 0;
    }
    assert_true(found[0] && found[1] && found[2]);
}

TEST(parts_of_a_task_are_run_one_by_one)
{
    toy_submit(&queues[0], (ToyTask){.name = 'A', .parts = 3});
    submit_in_order(0, 'B');
    finish('B');
    assert_string_equal(toy_ran, "AAAB");
}

TEST(a_question_runs_a_little)
{
    for (char name = 'A'; name <= 'Y'; name++)
        submit_in_order(0, name);
    assert_true(poll('Y'));
    assert_int_equal(strlen(toy_ran), 16);
    assert_true(poll('Y'));
    assert_int_equal(strlen(toy_ran), 25);
    toy_submit(&queues[0], (ToyTask){.name = 'Z', .awaits = 1});
    assert_false(poll('Z'));
}

/* -- faults -- */

TEST(what_hangs_holds_up_what_waits_for_it)
{
    restart("hang launch 2", "late");
    submit_in_order(0, 'A');
    submit_in_order(0, 'B');
    submit_in_order(0, 'C');
    submit(1, 'D');
    assert_false(finish('C'));
    assert_string_equal(toy_ran, "A");
    assert_true(finish('D'));
}

TEST(a_run_can_hang)
{
    restart("hang run 1", "late");
    submit(0, 'A');
    submit(1, 'B');
    assert_false(finish('A'));
    assert_true(finish('B'));
    assert_string_equal(toy_ran, "B");
}

TEST(what_accesses_other_memory_fails_when_it_runs)
{
    static const char *const machines[] = {"illegal-address launch 2", "illegal-address run 2"};
    for (size_t i = 0; i < 2; i++) {
        restart(machines[i], "late");
        submit_in_order(0, 'A');
        submit_in_order(0, 'B');
        submit_in_order(0, 'C');
        assert_true(finish('C'));
        assert_string_equal(toy_ran, "AbC");
    }
}

TEST(what_a_call_arms_happens_to_what_it_submits)
{
    const MachineFault armed = {.kind = MACHINE_ILLEGAL};
    restart("hang launch 2", "late");
    machine_arm(&armed);
    submit(0, 'A');
    submit(0, 'B'); /* what is said of the launch comes first */
    assert_true(finish('A'));
    assert_false(finish('B'));
    assert_string_equal(toy_ran, "a");
}

TEST(a_lost_device_has_no_work)
{
    static const char *const machines[] = {"device; device; lose launch 4 TOY_BAD",
                                           "device; device; lose run 2 TOY_BAD"};
    for (size_t i = 0; i < 2; i++) {
        restart(machines[i], "late");
        submit(2, 'X');
        submit_in_order(0, 'A');
        submit_in_order(0, 'B');
        submit_in_order(0, 'C');
        assert_true(finish('C'));
        assert_int_equal(machine_devices[0].lost, TOY_BAD);
        assert_string_equal(toy_ran, i == 0 ? "" : "A");
        assert_int_equal(machine_devices[1].lost, 0);
        assert_non_null(schedule_next(NULL)); /* that of the other device */
        assert_int_equal(machine_lose_device(&machine_devices[0], TOY_NEGATIVE), TOY_BAD);
    }
}

/* -- time -- */

static uint64_t time_of(const char *machine, Work work)
{
    uint64_t ns = 1000;
    restart(machine, "late");
    assert_int_equal(machine_pass_time(&machine_devices[0], &work, &ns), 1000);
    return ns - 1000;
}

TEST(work_takes_the_time_of_the_device)
{
    const Work kernel = {.is_kernel = true, .operations = 160000000};
    const Work upload = {.bus_bytes = 25000000}, copy = {.memory_bytes = 400000000};
    assert_int_equal(time_of(NULL, (Work){0}), 0);
    assert_int_equal(time_of(NULL, kernel), 102000);
    assert_int_equal(time_of("multiprocessors 8", kernel), 202000);
    assert_int_equal(time_of("speed 0.1", kernel), 1002000);
    assert_int_equal(time_of("speed 0.1", upload), 1002000);
    assert_int_equal(time_of("speed 0.1", copy), 10002000);
}

TEST(an_engine_does_one_thing_at_a_time)
{
    const Work upload = {.bus_bytes = 2500}, download = {.bus_bytes = 2500, .is_download = true};
    DeviceState *device = &machine_devices[0];
    uint64_t first = 0, second = 0, third = 0, later = 9000;
    machine_pass_time(device, &upload, &first);
    assert_int_equal(machine_pass_time(device, &upload, &second), first);
    assert_int_equal(machine_pass_time(device, &download, &third), 0);
    assert_int_equal(machine_pass_time(device, &upload, &later), 9000);
    restart("copy-engines 1", "late");
    first = second = 0;
    machine_pass_time(device, &upload, &first);
    assert_int_equal(machine_pass_time(device, &download, &second), first);
}
