/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/deadline.h"

enum { MS_PER_S = 1000, US_PER_S = 1000000, NS_PER_US = 1000, NS_PER_MS = 1000000 };
enum { NS_PER_S = 1000000000 };

int64_t steady_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * US_PER_S + time.tv_nsec / NS_PER_US;
}

int64_t steady_ms(void)
{
    return steady_us() / (US_PER_S / MS_PER_S);
}

struct timespec deadline_after(unsigned milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / MS_PER_S;
    time.tv_nsec += (long)(milliseconds % MS_PER_S) * NS_PER_MS;
    if (time.tv_nsec >= NS_PER_S) {
        time.tv_sec++;
        time.tv_nsec -= NS_PER_S;
    }
    return time;
}

void deadline_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}
