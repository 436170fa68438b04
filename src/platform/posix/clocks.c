/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Conditions and processor times of threads with the clocks of POSIX, which macOS lacks. */
#include <time.h>

#include "platform/posix/system.h"

enum { NS_PER_S = 1000000000 };

static int64_t time_of(clockid_t clock)
{
    struct timespec time;
    return clock_gettime(clock, &time) ? 0 : (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

int vmaf_system_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int failed = pthread_condattr_init(&attributes);
    if (failed)
        return failed;
    failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!failed)
        failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed;
}

int vmaf_system_condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S),
                                  .tv_nsec = (long)(ns % NS_PER_S)};
    return pthread_cond_timedwait(condition, mutex, &time);
}

int64_t vmaf_system_thread_time_ns(pthread_t thread)
{
    clockid_t clock;
    return pthread_getcpuclockid(thread, &clock) ? 0 : time_of(clock);
}

int64_t vmaf_system_process_time_ns(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) ? 0 : time_of(clock);
}
