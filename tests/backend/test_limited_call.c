/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/limited_call.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_call_that_returns_then_its_argument_is_the_callers),
        cmocka_unit_test(given_a_call_that_hangs_then_it_is_left_and_cleans_up_when_it_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
