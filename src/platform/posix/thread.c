/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clocks and threads. */
#include "platform/thread.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <string.h>
#include <time.h>

#include "platform/posix/internal.h"
#include "platform/process.h"
#include "platform/time.h"

/* ---- Clocks ---- */

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

/* ---- Threads, mutexes and conditions ---- */

/* What glibc gives where nothing limits it, so decoders and drivers, which are called in our
 * threads, are used to it. musl gives 128 KiB, macOS 512. */
enum { LEAST_STACK = 2 << 20 };

#define FITS(native, ours)                                                                         \
    static_assert(sizeof(native) <= sizeof(ours) && alignof(native) <= alignof(ours),              \
                  #ours " is too small for this system")
FITS(pthread_mutex_t, VmafMutex);
FITS(pthread_cond_t, VmafCondition);
FITS(pthread_t, VmafThread);

static pthread_mutex_t *mutex_of(VmafMutex *mutex)
{
    return (void *)mutex;
}

static pthread_cond_t *condition_of(VmafCondition *condition)
{
    return (void *)condition;
}

static pthread_t thread_of(VmafThread thread)
{
    pthread_t native;
    memcpy(&native, thread.bytes, sizeof(native));
    return native;
}

static VmafThread thread_from(pthread_t native)
{
    VmafThread thread = {0};
    memcpy(thread.bytes, &native, sizeof(native));
    return thread;
}

int vmaf_mutex_init(VmafMutex *mutex)
{
    return -pthread_mutex_init(mutex_of(mutex), NULL);
}

void vmaf_mutex_destroy(VmafMutex *mutex)
{
    pthread_mutex_destroy(mutex_of(mutex));
}

void vmaf_mutex_lock(VmafMutex *mutex)
{
    pthread_mutex_lock(mutex_of(mutex));
}

void vmaf_mutex_unlock(VmafMutex *mutex)
{
    pthread_mutex_unlock(mutex_of(mutex));
}

int vmaf_condition_init(VmafCondition *condition)
{
    return -vmaf_system_condition_init(condition_of(condition));
}

void vmaf_condition_destroy(VmafCondition *condition)
{
    pthread_cond_destroy(condition_of(condition));
}

void vmaf_condition_signal(VmafCondition *condition)
{
    pthread_cond_signal(condition_of(condition));
}

void vmaf_condition_broadcast(VmafCondition *condition)
{
    pthread_cond_broadcast(condition_of(condition));
}

void vmaf_condition_wait(VmafCondition *condition, VmafMutex *mutex)
{
    pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

int vmaf_condition_wait_until(VmafCondition *condition, VmafMutex *mutex, VmafDeadline deadline)
{
    return -vmaf_system_condition_wait_until(condition_of(condition), mutex_of(mutex), deadline.ns);
}

static int start(pthread_t *native, void *(*function)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    size_t stack;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    if (!pthread_attr_getstacksize(&attributes, &stack) && stack < LEAST_STACK)
        failed = pthread_attr_setstacksize(&attributes, LEAST_STACK);
    if (!failed)
        failed = pthread_create(native, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    return failed;
}

int vmaf_thread_start(VmafThread *thread, void *(*function)(void *argument), void *argument)
{
    pthread_t native;
    VmafSignals signals;
    vmaf_signals_block(&signals);
    const int failed = start(&native, function, argument);
    vmaf_signals_restore(&signals);
    if (!failed)
        *thread = thread_from(native);
    return -failed;
}

void vmaf_thread_join(VmafThread thread)
{
    pthread_join(thread_of(thread), NULL);
}

void vmaf_thread_detach(VmafThread thread)
{
    pthread_detach(thread_of(thread));
}

VmafThread vmaf_thread_self(void)
{
    return thread_from(pthread_self());
}

bool vmaf_thread_equal(VmafThread one, VmafThread other)
{
    return pthread_equal(thread_of(one), thread_of(other)) != 0;
}

int64_t vmaf_thread_time_of_us(VmafThread thread)
{
    return vmaf_system_thread_time_ns(thread_of(thread)) / NS_PER_US;
}
