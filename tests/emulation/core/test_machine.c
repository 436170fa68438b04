/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What surrounds the calls of emulated runtimes: faults, counters, orders, the lock. */
#include <pthread.h>

#include "support/cases.h"
#include "toy_runtime.h"

static int set_up(void **state)
{
    toy_during_work = NULL;
    toy_lost = 0;
    return machine_configure(NULL, "late");
}

#define TEST(name) CASE_WITH(name, set_up, NULL)

static void configure(const char *text)
{
    assert_int_equal(machine_configure(text, NULL), 0);
}

/* -- faults -- */

TEST(a_call_fails_when_it_is_its_turn)
{
    configure("fail toyOpen 2 TOY_BAD; fail toyOpen 3 -5; fail toyWork 1 TOY_NEGATIVE");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyOpen(), TOY_BAD);
    assert_int_equal(toyOpen(), -5);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyWork(), TOY_NEGATIVE);
    assert_int_equal(toyWork(), 0);
}

TEST(call_is_any_function)
{
    configure("fail call 3 5; fail call 4 6; fail toyOpen 2 7");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toyWork(), 0);
    assert_int_equal(toyWork(), 5);
    assert_int_equal(toyOpen(), 7); /* the fourth call: what names the function comes first */
    assert_int_equal(toyOpen(), 0);
}

TEST(a_lost_device_is_told_the_runtime)
{
    configure("lose toyOpen 2; lose call 3 TOY_BAD");
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(toy_lost, 0);
    assert_int_equal(toyOpen(), TOY_UNKNOWN);
    assert_int_equal(toy_lost, TOY_UNKNOWN);
    assert_int_equal(toyWork(), TOY_BAD);
    assert_int_equal(toy_lost, TOY_BAD);
}

TEST(work_is_armed_within_one_call)
{
    configure("hang toyWork 2; illegal-address toyWork 3; hang call 5; hang toyOuter 1");
    toyWork();
    assert_int_equal(toy_armed, -1);
    toyWork();
    assert_int_equal(toy_armed, MACHINE_HANG);
    toyWork();
    assert_int_equal(toy_armed, MACHINE_ILLEGAL);
    toyWork();
    assert_int_equal(toy_armed, -1);
    toyWork();
    assert_int_equal(toy_armed, MACHINE_HANG);
    toyOuter(); /* what it calls submits */
    assert_int_equal(toy_armed, MACHINE_HANG);
    toyWork();
    assert_int_equal(toy_armed, -1);
}

static void arm_for_once(void)
{
    static const MachineFault fault = {.kind = MACHINE_ILLEGAL};
    machine_arm(&fault);
    assert_ptr_equal(machine_armed(), &fault);
}

TEST(what_a_runtime_arms_ends_with_the_call)
{
    toy_during_work = arm_for_once;
    toyWork();
    toy_during_work = NULL;
    toyWork();
    assert_int_equal(toy_armed, -1);
}

static void count_work(void)
{
    static const char *const words[] = {"launch", "submission", "run"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_null(machine_count(words[i]));
        const MachineFault *fault = machine_count(words[i]);
        assert_non_null(fault);
        assert_int_equal(fault->error, (int)i + 1);
        assert_null(machine_count(words[i]));
    }
}

TEST(work_has_faults_of_its_own)
{
    configure("lose launch 2 1; lose submission 2 2; lose run 2 3");
    toy_during_work = count_work;
    toyWork();
    assert_int_equal(machine_counted("launch"), 3);
    assert_int_equal(machine_counted("submission"), 3);
    assert_int_equal(machine_counted("run"), 3);
}

/* -- counters -- */

TEST(calls_within_calls_do_not_count)
{
    configure("fail toyWork 1 7");
    assert_int_equal(toyOuter(), 0);
    assert_int_equal(machine_counted("toyOuter"), 1);
    assert_int_equal(machine_counted("toyWork"), 0);
    assert_int_equal(machine_counted("call"), 1);
    assert_int_equal(toyWork(), 7);
    assert_int_equal(machine_counted("toyWork"), 1);
    assert_int_equal(machine_counted("call"), 2);
    assert_int_equal(machine_counted("toyClose"), 0);
}

static void complain(void)
{
    machine_complain("%s is wrong", "this");
}

TEST(complaints_count)
{
    toy_during_work = complain;
    toyWork();
    toyOuter();
    assert_int_equal(machine_counted("complaint"), 2);
}

TEST(another_machine_begins_anew)
{
    configure("fail toyOpen 1 7");
    assert_int_equal(toyOpen(), 7);
    const int forgotten = toy_forgotten, set_up = toy_set_up;
    configure("device; device; fail toyOpen 1 8");
    assert_int_equal(toy_forgotten, forgotten + 1);
    assert_int_equal(toy_set_up, set_up + 1);
    assert_int_equal(emulated_machine.n_devices, 2);
    assert_int_equal(machine_counted("toyOpen"), 0);
    assert_int_equal(machine_counted("call"), 0);
    assert_int_equal(toyOpen(), 8);
    configure(NULL);
    assert_int_equal(emulated_machine.n_devices, 1);
    assert_int_equal(toyOpen(), 0);
}

TEST(a_machine_that_is_not_understood_changes_nothing)
{
    configure("driver 7; fail toyOpen 2 7");
    assert_int_equal(toyOpen(), 0);
    const int forgotten = toy_forgotten;
    assert_int_equal(machine_configure("driver 8; nonsense", "early"), -1);
    assert_int_equal(machine_configure("driver 8", "soon"), -1);
    assert_int_equal(machine_configure("driver 8", "12x"), -1);
    assert_int_equal(toy_forgotten, forgotten);
    assert_int_equal(emulated_machine.driver, 7);
    assert_int_equal(machine_order, MACHINE_LATE);
    assert_int_equal(machine_counted("toyOpen"), 1);
    assert_int_equal(toyOpen(), 7);
    assert_string_equal(machine_why, "");
}

/* -- orders -- */

static void draw(const char *seed, uint64_t numbers[100])
{
    assert_int_equal(machine_configure(NULL, seed), 0);
    for (size_t i = 0; i < 100; i++)
        numbers[i] = machine_random(10);
}

TEST(seeds_give_numbers_again)
{
    uint64_t first[100], again[100], other[100];
    unsigned seen = 0;
    draw("1", first);
    draw("2", other);
    draw("1", again);
    assert_memory_equal(first, again, sizeof(first));
    assert_memory_not_equal(first, other, sizeof(first));
    for (size_t i = 0; i < 100; i++) {
        assert_true(first[i] < 10);
        seen |= 1u << first[i];
    }
    assert_int_equal(seen, 0x3ff); /* each of them */
}

/* -- the lock -- */

static void *open_from_thread(void *unused)
{
    (void)unused;
    toyOpen();
    return NULL;
}

static void run_thread(void *(*function)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void let_others_in(void)
{
    MachineCall call;
    machine_note(" before");
    machine_pause(&call);
    run_thread(open_from_thread);
    assert_int_equal(toyOpen(), 0); /* as a callback does */
    machine_resume(&call);
    assert_non_null(machine_armed());
    assert_int_equal(machine_armed()->kind, MACHINE_HANG);
}

TEST(a_call_can_be_paused)
{
    configure("hang toyWork 1");
    toy_during_work = let_others_in;
    toyWork();
    toy_during_work = NULL;
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("toyWork"), 1);
    toyWork();
    assert_int_equal(toy_armed, -1);
}

static void *end_within_call(void *unused)
{
    (void)unused;
    machine_begin("toyWork");
    return NULL;
}

TEST(a_thread_that_ends_within_a_call_holds_up_nobody)
{
    run_thread(end_within_call);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(machine_counted("complaint"), 1);
    run_thread(open_from_thread);
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("complaint"), 1);
}

static jmp_buf outside;

static void leave(void)
{
    longjmp(outside, 1);
}

TEST(a_call_that_was_left_holds_up_nobody)
{
    toy_during_work = leave;
    if (setjmp(outside) == 0)
        toyWork();
    toy_during_work = NULL;
    assert_int_equal(machine_counted("toyWork"), 1);
    assert_int_equal(machine_counted("complaint"), 1);
    run_thread(open_from_thread);
    assert_int_equal(toyOpen(), 0);
    assert_int_equal(machine_counted("toyOpen"), 2);
    assert_int_equal(machine_counted("complaint"), 1);
}
