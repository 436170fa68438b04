/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/time.h"

#include <time.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static struct timespec now(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return time;
}

static int64_t in_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

int64_t vmaf_steady_ns(void)
{
    return in_ns(now(CLOCK_MONOTONIC));
}

int64_t vmaf_steady_us(void)
{
    return vmaf_steady_ns() / NS_PER_US;
}

int64_t vmaf_steady_ms(void)
{
    return vmaf_steady_ns() / NS_PER_MS;
}

VmafDeadline vmaf_deadline_after(unsigned milliseconds)
{
    return (VmafDeadline){vmaf_steady_ns() + (int64_t)milliseconds * NS_PER_MS};
}

int64_t vmaf_process_time_us(void)
{
    return in_ns(now(CLOCK_PROCESS_CPUTIME_ID)) / NS_PER_US;
}

int64_t vmaf_clock_us(void)
{
    return vmaf_process_time_us();
}

int64_t vmaf_thread_time_us(void)
{
    return in_ns(now(CLOCK_THREAD_CPUTIME_ID)) / NS_PER_US;
}

int64_t vmaf_time_of_day_ns(void)
{
    return in_ns(now(CLOCK_REALTIME));
}

void vmaf_sleep_ns(uint64_t nanoseconds)
{
    const struct timespec duration = {.tv_sec = (time_t)(nanoseconds / NS_PER_S),
                                      .tv_nsec = (long)(nanoseconds % NS_PER_S)};
    nanosleep(&duration, NULL);
}
