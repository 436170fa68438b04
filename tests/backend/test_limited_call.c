/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <pthread.h>

#include "support/cases.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/limited_call.h"
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

CASE(given_a_call_that_returns_then_its_argument_is_the_callers)
{
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int i = 0; i < 200; i++) {
        Job job = {0};
        assert_int_equal(limited_call(run, &job, destroy, UINT_MAX), 0);
        assert_int_equal(job.ran, 1);
        assert_true(job.signals_blocked);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

CASE(given_a_call_that_hangs_then_it_is_left_and_cleans_up_when_it_returns)
{
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
    while (!atomic_load(&destroyed))
        usleep(1000);
    sem_destroy(&may_return);
}

/* ---- limits measure progress ---- */

/*
 * The clock is the test's own: it goes on by a round once it was looked at twice, so that the first
 * look has had its effect. Nothing depends on when threads get their turn. Processor time is real.
 */
enum { LIMIT_MS = 200, ROUND_MS = 40, ROUNDS = 12, WORK_MS = 12, LOOKS = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed, stopped; /* not the same, so that sleepers consume nothing */
    bool is_ours, stop;
    int64_t ms;
    unsigned n_looks; /* in this round */
    unsigned n_sleepers, n_destroyed;
} ours = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .changed = PTHREAD_COND_INITIALIZER,
          .stopped = PTHREAD_COND_INITIALIZER};

int64_t __real_vmaf_steady_ms(void);
int64_t __wrap_vmaf_steady_ms(void);

int64_t __wrap_vmaf_steady_ms(void)
{
    pthread_mutex_lock(&ours.lock);
    const int64_t now = ours.is_ours ? ours.ms : __real_vmaf_steady_ms();
    ours.n_looks++;
    pthread_cond_broadcast(&ours.changed);
    pthread_mutex_unlock(&ours.lock);
    return now;
}

static int take_clock(void **state)
{
    ours.is_ours = true;
    ours.stop = false;
    ours.ms = 0;
    ours.n_looks = ours.n_sleepers = ours.n_destroyed = 0;
    return 0;
}

static int leave_clock(void **state)
{
    ours.is_ours = false;
    return 0;
}

#define CLOCK_TEST(function) CASE_WITH(function, take_clock, leave_clock)

static void wait_for(const unsigned *count, unsigned wanted)
{
    pthread_mutex_lock(&ours.lock);
    while (*count < wanted)
        pthread_cond_wait(&ours.changed, &ours.lock);
    pthread_mutex_unlock(&ours.lock);
}

static void count(unsigned *number)
{
    pthread_mutex_lock(&ours.lock);
    ++*number;
    pthread_cond_broadcast(&ours.changed);
    pthread_mutex_unlock(&ours.lock);
}

static void stop(void)
{
    pthread_mutex_lock(&ours.lock);
    ours.stop = true;
    pthread_cond_broadcast(&ours.changed);
    pthread_cond_broadcast(&ours.stopped);
    pthread_mutex_unlock(&ours.lock);
}

/* One call: what its thread does, and what threads do that it waits for. */
typedef struct Load {
    unsigned rounds;    /* of work, in which time passes; 0: until it is stopped */
    unsigned sleepers;  /* that it waits for before it begins */
    bool scores_frames; /* on a thread of the library's own */
} Load;

static void work(void)
{
    const int64_t begin = vmaf_thread_time_us();
    while (vmaf_thread_time_us() - begin < WORK_MS * 1000)
        continue;
}

static bool pass_time(void)
{
    pthread_mutex_lock(&ours.lock);
    ours.ms += ROUND_MS;
    ours.n_looks = 0;
    pthread_cond_broadcast(&ours.changed);
    while (ours.n_looks < LOOKS && !ours.stop)
        pthread_cond_wait(&ours.changed, &ours.lock);
    const bool goes_on = !ours.stop;
    pthread_mutex_unlock(&ours.lock);
    return goes_on;
}

static void burn(void *argument)
{
    const Load *load = argument;
    wait_for(&ours.n_sleepers, load->sleepers);
    bool goes_on = true;
    for (unsigned i = 0; goes_on && (!load->rounds || i < load->rounds); i++) {
        work();
        goes_on = pass_time();
    }
}

static void *burn_on_thread(void *argument)
{
    const Load *load = argument;
    if (load->scores_frames)
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
    count(&ours.n_sleepers);
    pthread_mutex_lock(&ours.lock);
    while (!ours.stop)
        pthread_cond_wait(&ours.stopped, &ours.lock);
    pthread_mutex_unlock(&ours.lock);
}

static void *sleep_on_thread(void *argument)
{
    sleep_until_stopped(argument);
    return NULL;
}

static void count_destroyed(void *argument)
{
    count(&ours.n_destroyed);
}

static void end_abandoned(void)
{
    stop();
    wait_for(&ours.n_destroyed, 1);
}

CLOCK_TEST(given_a_call_that_works_for_long_then_the_limit_is_extended)
{
    Load load = {.rounds = ROUNDS};
    assert_int_equal(limited_call(burn, &load, count_destroyed, LIMIT_MS), 0);
    assert_int_equal(ours.ms, ROUNDS * ROUND_MS);
    processor_time_plugins_begin(); /* what is started from here on may be a plugin's */
    assert_int_equal(limited_call(burn_elsewhere, &load, count_destroyed, LIMIT_MS), 0);
    assert_int_equal(ours.ms, 2 * ROUNDS * ROUND_MS);
}

CLOCK_TEST(given_a_call_that_sleeps_when_frames_are_scored_then_the_plain_limit_holds)
{
    Load scoring = {.sleepers = 1, .scores_frames = true};
    pthread_t worker;
    processor_time_plugins_begin();
    assert_int_equal(pthread_create(&worker, NULL, burn_on_thread, &scoring), 0);
    assert_int_equal(limited_call(sleep_until_stopped, NULL, count_destroyed, LIMIT_MS),
                     -ETIMEDOUT);
    assert_int_equal(ours.ms, LIMIT_MS);
    end_abandoned();
    pthread_join(worker, NULL);
}

CLOCK_TEST(given_a_helper_that_works_then_the_limit_is_extended)
{
    Load load = {.scores_frames = true};
    VmafThread helper;
    CallLimit alone, helped;
    assert_int_equal(vmaf_thread_start(&helper, burn_on_thread, &load), 0);
    call_limit_begin(&alone, vmaf_thread_self(), vmaf_thread_self(), LIMIT_MS);
    call_limit_begin(&helped, vmaf_thread_self(), helper, LIMIT_MS);
    bool late = false, helped_late = false;
    while (!late) {
        pthread_mutex_lock(&ours.lock);
        while (ours.n_looks >= LOOKS)
            pthread_cond_wait(&ours.changed, &ours.lock);
        pthread_mutex_unlock(&ours.lock);
        helped_late = call_limit_left(&helped) <= 0;
        late = call_limit_left(&alone) <= 0;
    }
    stop();
    vmaf_thread_join(helper);
    assert_false(helped_late);
}

CLOCK_TEST(given_a_caller_that_looks_often_then_that_is_no_progress)
{
    enum { THREADS = 32 }; /* each of which is looked at */
    VmafThread threads[THREADS];
    CallLimit limit;
    processor_time_plugins_begin();
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], sleep_on_thread, NULL), 0);
    wait_for(&ours.n_sleepers, THREADS);
    call_limit_begin(&limit, vmaf_thread_self(), vmaf_thread_self(), LIMIT_MS);
    ours.ms = LIMIT_MS / 2;
    const int64_t begin = vmaf_thread_time_us();
    while (vmaf_thread_time_us() - begin < LIMIT_MS * 1000 / 50) /* twice what would be progress */
        call_limit_left(&limit);
    stop();
    for (unsigned i = 0; i < THREADS; i++)
        vmaf_thread_join(threads[i]);
    assert_int_equal(limit.renewed, limit.begun);
}

CLOCK_TEST(given_a_call_that_spins_then_it_is_ended_at_ten_times_the_limit)
{
    Load spinner = {.rounds = 0};
    assert_int_equal(limited_call(burn, &spinner, count_destroyed, LIMIT_MS), -ETIMEDOUT);
    assert_int_equal(ours.ms, CALL_LIMIT_TIMES * LIMIT_MS);
    end_abandoned();
}
