/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/thread.h"

#include <assert.h>
#include <errno.h>
#include <process.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "platform/windows/native.h"
#include "platform/windows/thread_name.h"

enum { NS_PER_MS = 1000000, TICKS_PER_US = 10 };

#define FITS(native, ours)                                                                         \
    static_assert(sizeof(native) <= sizeof(ours) && alignof(native) <= alignof(ours),              \
                  #ours " is too small for this system")
FITS(SRWLOCK, VmafMutex);
FITS(CONDITION_VARIABLE, VmafCondition);
FITS(uintptr_t, VmafThread);

/* ---- Mutexes and conditions; all zero is one that is initialised ---- */

static SRWLOCK *mutex_of(VmafMutex *mutex)
{
    return (void *)mutex;
}

static CONDITION_VARIABLE *condition_of(VmafCondition *condition)
{
    return (void *)condition;
}

int vmaf_mutex_init(VmafMutex *mutex)
{
    InitializeSRWLock(mutex_of(mutex));
    return 0;
}

void vmaf_mutex_destroy(VmafMutex *mutex)
{
    (void)mutex;
}

void vmaf_mutex_lock(VmafMutex *mutex)
{
    AcquireSRWLockExclusive(mutex_of(mutex));
}

void vmaf_mutex_unlock(VmafMutex *mutex)
{
    ReleaseSRWLockExclusive(mutex_of(mutex));
}

int vmaf_condition_init(VmafCondition *condition)
{
    InitializeConditionVariable(condition_of(condition));
    return 0;
}

void vmaf_condition_destroy(VmafCondition *condition)
{
    (void)condition;
}

void vmaf_condition_signal(VmafCondition *condition)
{
    WakeConditionVariable(condition_of(condition));
}

void vmaf_condition_broadcast(VmafCondition *condition)
{
    WakeAllConditionVariable(condition_of(condition));
}

void vmaf_condition_wait(VmafCondition *condition, VmafMutex *mutex)
{
    SleepConditionVariableSRW(condition_of(condition), mutex_of(mutex), INFINITE, 0);
}

int vmaf_condition_wait_until(VmafCondition *condition, VmafMutex *mutex, VmafDeadline deadline)
{
    enum { LONGEST_MS = 1 << 30 };
    const int64_t left = deadline.ns - vmaf_steady_ns();
    if (left <= 0)
        return -ETIMEDOUT;
    /* Rounded up: what returns early would be asked to wait again and again. */
    const int64_t ms = (left + NS_PER_MS - 1) / NS_PER_MS;
    SleepConditionVariableSRW(condition_of(condition), mutex_of(mutex),
                              ms < LONGEST_MS ? (DWORD)ms : LONGEST_MS, 0);
    return vmaf_steady_ns() >= deadline.ns ? -ETIMEDOUT : 0;
}

/* ---- Threads ---- */

/*
 * A thread that was started is its handle, a multiple of four. One that has asked for itself is its
 * number, with the lowest bit set: nobody closes a handle for it.
 */
static VmafThread thread_from(uintptr_t value)
{
    VmafThread thread = {0};
    memcpy(thread.bytes, &value, sizeof(value));
    return thread;
}

static uintptr_t value_of(VmafThread thread)
{
    uintptr_t value;
    memcpy(&value, thread.bytes, sizeof(value));
    return value;
}

typedef struct Start {
    void *(*function)(void *argument);
    void *argument;
} Start;

static unsigned __stdcall run(void *argument)
{
    const Start start = *(const Start *)argument;
    free(argument);
    start.function(start.argument);
    vmaf_thread_name_forget();
    return 0;
}

/* Threads of ours may outlive the call that has started them, so their code must stay where it is,
 * whatever the host unloads. */
static void keep_module(void)
{
    HMODULE module;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (LPCWSTR)(uintptr_t)run, &module);
}

int vmaf_thread_start(VmafThread *thread, void *(*function)(void *argument), void *argument)
{
    Start *start = malloc(sizeof(*start));
    if (!start)
        return -ENOMEM;
    *start = (Start){function, argument};
    keep_module();
    const uintptr_t handle = _beginthreadex(NULL, 0, run, start, 0, NULL);
    if (!handle) {
        free(start);
        return -EAGAIN;
    }
    *thread = thread_from(handle);
    return 0;
}

void vmaf_thread_join(VmafThread thread)
{
    WaitForSingleObject((HANDLE)value_of(thread), INFINITE);
    CloseHandle((HANDLE)value_of(thread));
}

void vmaf_thread_detach(VmafThread thread)
{
    CloseHandle((HANDLE)value_of(thread));
}

VmafThread vmaf_thread_self(void)
{
    return thread_from((uintptr_t)GetCurrentThreadId() << 1 | 1);
}

static DWORD number_of(VmafThread thread)
{
    const uintptr_t value = value_of(thread);
    return value & 1 ? (DWORD)(value >> 1) : GetThreadId((HANDLE)value);
}

bool vmaf_thread_equal(VmafThread one, VmafThread other)
{
    return value_of(one) == value_of(other) || number_of(one) == number_of(other);
}

uint32_t vmaf_thread_number(void)
{
    return GetCurrentThreadId();
}

int64_t vmaf_thread_time_of_us(VmafThread thread)
{
    FILETIME begun, ended, kernel, user;
    const uintptr_t value = value_of(thread);
    const HANDLE opened =
        value & 1 ? OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)(value >> 1)) : NULL;
    const HANDLE handle = value & 1 ? opened : (HANDLE)value;
    const bool is_known = handle && GetThreadTimes(handle, &begun, &ended, &kernel, &user);
    if (opened)
        CloseHandle(opened);
    return is_known ? (vmaf_filetime_number(kernel) + vmaf_filetime_number(user)) / TICKS_PER_US
                    : 0;
}
