/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "support/cases.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "backend/limited_call.h"
#include "backend/processor_time.h"
#include "platform/time.h"

typedef struct Job {
    sem_t *may_return;
    atomic_bool *destroyed;
    bool signals_blocked;
    int ran;
} Job;

static void run(void *argument)
{
    Job *job = argument;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    job->signals_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM);
    if (job->may_return)
        while (sem_wait(job->may_return) < 0)
            continue;
    job->ran++;
}

static void destroy(void *argument)
{
    Job *job = argument;
    atomic_bool *destroyed = job->destroyed;
    free(job);
    atomic_store(destroyed, true);
}

static void given_a_call_that_returns_then_its_argument_is_the_callers(void **state)
{
    (void)state;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int i = 0; i < 200; i++) {
        Job job = {0};
        assert_int_equal(limited_call(run, &job, destroy, 10000), 0);
        assert_int_equal(job.ran, 1);
        assert_true(job.signals_blocked);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

static void given_a_call_that_hangs_then_it_is_left_and_cleans_up_when_it_returns(void **state)
{
    (void)state;
    sem_t may_return;
    atomic_bool destroyed = false;
    assert_int_equal(sem_init(&may_return, 0, 0), 0);
    Job *job = calloc(1, sizeof(*job));
    assert_non_null(job);
    job->may_return = &may_return;
    job->destroyed = &destroyed;
    assert_int_equal(limited_call(run, job, destroy, 50), -ETIMEDOUT);
    assert_false(atomic_load(&destroyed));
    sem_post(&may_return);
    for (int i = 0; i < 60000 && !atomic_load(&destroyed); i++)
        usleep(1000);
    assert_true(atomic_load(&destroyed));
    usleep(20000); /* for the thread's own end, which nobody can wait for */
    sem_destroy(&may_return);
}

/* ---- limits measure progress ---- */

/* A call that works takes two limits on an idle machine, and a quarter of what it may take on one
 * that gives it a twentieth of a processor. */
enum { LIMIT_MS = 1000, ROUNDS = 9, WORK_MS = 20, REST_MS = 200, SPIN_LIMIT_MS = 100 };

/* One call: what its thread does, and what threads do that it waits for. */
typedef struct Load {
    unsigned rounds; /* of work and rest; 0: works until `stop` */
    atomic_bool stop;
    bool ours; /* scores frames */
} Load;

static int64_t own_processor_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void burn(void *argument)
{
    Load *load = argument;
    while (!load->rounds && !atomic_load(&load->stop))
        continue;
    for (unsigned i = 0; i < load->rounds; i++) {
        const int64_t begin = own_processor_ms();
        while (own_processor_ms() - begin < WORK_MS)
            continue;
        usleep(REST_MS * 1000);
    }
}

static void *burn_on_thread(void *argument)
{
    const Load *load = argument;
    if (load->ours)
        processor_time_is_ours();
    burn(argument);
    return NULL;
}

static void burn_elsewhere(void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, burn_on_thread, argument), 0);
    pthread_join(thread, NULL);
}

static void sleep_until_stopped(void *argument)
{
    Load *load = argument;
    while (!atomic_load(&load->stop))
        usleep(20000); /* rarely, so that it consumes nothing */
}

static void *sleep_on_thread(void *argument)
{
    sleep_until_stopped(argument);
    return NULL;
}

static void stay(void *argument)
{
    (void)argument;
}

/* So that nothing is touched that is gone. */
static void wait_for_end_of_abandoned(void)
{
    usleep(50000);
}

static void given_a_call_that_works_for_long_then_the_limit_is_extended(void **state)
{
    (void)state;
    static Load load = {.rounds = ROUNDS}; /* which a call that is left behind still uses */
    assert_int_equal(limited_call(burn, &load, stay, LIMIT_MS), 0);
    processor_time_plugins_begin(); /* what is started from here on may be a plugin's */
    usleep(20000);
    assert_int_equal(limited_call(burn_elsewhere, &load, stay, LIMIT_MS), 0);
}

static void given_a_call_that_sleeps_when_frames_are_scored_then_the_plain_limit_holds(void **state)
{
    (void)state;
    static Load sleeper, scoring = {.ours = true};
    pthread_t workers[2];
    processor_time_plugins_begin();
    usleep(20000);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&workers[i], NULL, burn_on_thread, &scoring), 0);
    const int64_t begin = vmaf_steady_ms();
    assert_int_equal(limited_call(sleep_until_stopped, &sleeper, stay, LIMIT_MS), -ETIMEDOUT);
    const int64_t passed = vmaf_steady_ms() - begin;
    atomic_store(&scoring.stop, true);
    atomic_store(&sleeper.stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    assert_in_range(passed, LIMIT_MS, PATIENCE_MAX * LIMIT_MS / 2);
    wait_for_end_of_abandoned();
}

static void given_a_helper_that_works_then_the_limit_is_extended(void **state)
{
    (void)state;
    static Load load = {.ours = true};
    VmafThread helper;
    Patience alone, helped;
    assert_int_equal(vmaf_thread_start(&helper, burn_on_thread, &load), 0);
    patience_begin(&alone, vmaf_thread_self(), LIMIT_MS);
    patience_begin_with(&helped, vmaf_thread_self(), helper, LIMIT_MS);
    bool late = false, helped_late = false;
    while (!late) {
        usleep(LIMIT_MS * 100);
        helped_late = patience_left(&helped) <= 0;
        late = patience_left(&alone) <= 0;
    }
    atomic_store(&load.stop, true);
    vmaf_thread_join(helper);
    assert_false(helped_late);
}

static void given_a_caller_that_looks_often_then_that_is_no_progress(void **state)
{
    (void)state;
    enum { THREADS = 32 }; /* each of which is looked at */
    static Load sleeper;
    VmafThread threads[THREADS];
    Patience patience;
    processor_time_plugins_begin();
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], sleep_on_thread, &sleeper), 0);
    patience_begin(&patience, vmaf_thread_self(), LIMIT_MS);
    usleep(LIMIT_MS * 100);
    const int64_t begin = own_processor_ms();
    while (own_processor_ms() - begin < LIMIT_MS / 50) /* twice what would be progress */
        patience_left(&patience);
    const bool renewed = patience.renewed != patience.begun;
    atomic_store(&sleeper.stop, true);
    for (unsigned i = 0; i < THREADS; i++)
        vmaf_thread_join(threads[i]);
    assert_false(renewed);
}

static void given_a_call_that_spins_then_it_is_ended_at_ten_times_the_limit(void **state)
{
    (void)state;
    static Load spinner;
    const int64_t begin = vmaf_steady_ms();
    assert_int_equal(limited_call(burn, &spinner, stay, SPIN_LIMIT_MS), -ETIMEDOUT);
    const int64_t passed = vmaf_steady_ms() - begin;
    atomic_store(&spinner.stop, true);
    assert_true(passed >= PATIENCE_MAX * SPIN_LIMIT_MS);
    wait_for_end_of_abandoned();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_call_that_works_for_long_then_the_limit_is_extended),
        cmocka_unit_test(
            given_a_call_that_sleeps_when_frames_are_scored_then_the_plain_limit_holds),
        cmocka_unit_test(given_a_helper_that_works_then_the_limit_is_extended),
        cmocka_unit_test(given_a_caller_that_looks_often_then_that_is_no_progress),
        cmocka_unit_test(given_a_call_that_spins_then_it_is_ended_at_ten_times_the_limit),
        cmocka_unit_test(given_a_call_that_returns_then_its_argument_is_the_callers),
        cmocka_unit_test(given_a_call_that_hangs_then_it_is_left_and_cleans_up_when_it_returns),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
