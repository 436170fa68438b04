/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clocks and threads. */
#include "platform/thread.h"

#include <assert.h>
#include <errno.h>
#include <process.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "platform/time.h"
#include "platform/windows/internal.h"

#include <tlhelp32.h>

/* ---- Clocks ---- */

enum {
    NS_PER_US = 1000,
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000,
    NS_PER_TICK = 100,
    TICKS_PER_US = 10,
};

/* Windows 10, version 1803, has it, and is later than some headers. */
#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x2
#endif

int64_t vmaf_steady_ns(void)
{
    LARGE_INTEGER now, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    const int64_t seconds = now.QuadPart / frequency.QuadPart;
    const int64_t rest = now.QuadPart % frequency.QuadPart;
    return seconds * NS_PER_S + rest * NS_PER_S / frequency.QuadPart;
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
    FILETIME begun, ended, kernel, user;
    if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user))
        return 0;
    return (vmaf_filetime_number(kernel) + vmaf_filetime_number(user)) * NS_PER_TICK / NS_PER_US;
}

int64_t vmaf_clock_us(void)
{
    return vmaf_steady_us();
}

int64_t vmaf_thread_time_us(void)
{
    FILETIME begun, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &begun, &ended, &kernel, &user))
        return 0;
    return (vmaf_filetime_number(kernel) + vmaf_filetime_number(user)) * NS_PER_TICK / NS_PER_US;
}

int64_t vmaf_time_of_day_ns(void)
{
    const int64_t ticks_until_1970 = INT64_C(116444736000000000);
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    return (vmaf_filetime_number(now) - ticks_until_1970) * NS_PER_TICK;
}

/* Sleep takes a multiple of the system's tick, up to 16 ms, which waits for devices cannot afford.
 */
void vmaf_sleep_ns(uint64_t nanoseconds)
{
    const LARGE_INTEGER due = {.QuadPart =
                                   -(LONGLONG)((nanoseconds + NS_PER_TICK - 1) / NS_PER_TICK)};
    HANDLE timer =
        CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (!timer)
        timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    if (timer && due.QuadPart && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else if (due.QuadPart)
        Sleep((DWORD)((nanoseconds + NS_PER_MS - 1) / NS_PER_MS));
    if (timer)
        CloseHandle(timer);
}

/* ---- Names and times of threads ---- */

enum { NAME_SIZE = 16, NAMED_MAX = 256 };

/*
 * Names of threads of this process. Debuggers get them from the system, which older ones cannot be
 * asked for them; a thread beyond the end of the list has none.
 */
static struct {
    VmafMutex lock;
    unsigned count;
    struct {
        DWORD thread;
        char name[NAME_SIZE];
    } list[NAMED_MAX];
} named;

/* The calling thread ends: vmaf_thread_set_name has named it, or not. */
static void vmaf_thread_name_forget(void)
{
    const DWORD thread = GetCurrentThreadId();
    vmaf_mutex_lock(&named.lock);
    for (unsigned i = 0; i < named.count; i++) {
        if (named.list[i].thread == thread)
            named.list[i--] = named.list[--named.count];
    }
    vmaf_mutex_unlock(&named.lock);
}

static void describe(const char *name)
{
    typedef HRESULT(WINAPI * SetDescription)(HANDLE thread, PCWSTR description);
    const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    const SetDescription set =
        kernel ? (SetDescription)(void *)GetProcAddress(kernel, "SetThreadDescription") : NULL;
    wchar_t wide[NAME_SIZE];
    if (set && MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, NAME_SIZE) > 0)
        set(GetCurrentThread(), wide);
}

void vmaf_thread_set_name(const char *name)
{
    describe(name);
    vmaf_thread_name_forget();
    vmaf_mutex_lock(&named.lock);
    if (named.count < NAMED_MAX) {
        named.list[named.count].thread = GetCurrentThreadId();
        strncpy(named.list[named.count].name, name, NAME_SIZE - 1);
        named.count++;
    }
    vmaf_mutex_unlock(&named.lock);
}

static bool is_named(DWORD thread, const char *name)
{
    bool is = false;
    vmaf_mutex_lock(&named.lock);
    for (unsigned i = 0; i < named.count && !is; i++)
        is = named.list[i].thread == thread && !strcmp(named.list[i].name, name);
    vmaf_mutex_unlock(&named.lock);
    return is;
}

int64_t vmaf_thread_times_now(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return vmaf_filetime_number(now);
}

static bool get_times(DWORD thread, int64_t *started, int64_t *consumed)
{
    FILETIME begun, ended, kernel, user;
    const HANDLE handle = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, thread);
    const bool is_known = handle && GetThreadTimes(handle, &begun, &ended, &kernel, &user);
    if (handle)
        CloseHandle(handle);
    if (is_known) {
        *started = vmaf_filetime_number(begun);
        *consumed = vmaf_filetime_number(kernel) + vmaf_filetime_number(user);
    }
    return is_known;
}

int64_t vmaf_thread_times_since(int64_t moment, const char *except)
{
    const HANDLE threads = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    if (moment == INT64_MAX || threads == INVALID_HANDLE_VALUE)
        return 0;
    const DWORD process = GetCurrentProcessId(), here = GetCurrentThreadId();
    /* The first of the process is the one that was started first. */
    int64_t ticks = 0, first_start = INT64_MAX, first_ticks = 0;
    THREADENTRY32 entry = {.dwSize = sizeof(entry)};
    for (BOOL more = Thread32First(threads, &entry); more; more = Thread32Next(threads, &entry)) {
        int64_t started, consumed;
        if (entry.th32OwnerProcessID != process ||
            !get_times(entry.th32ThreadID, &started, &consumed))
            continue;
        const bool counts = started >= moment && entry.th32ThreadID != here &&
                            !is_named(entry.th32ThreadID, except);
        if (counts)
            ticks += consumed;
        if (started < first_start) {
            first_start = started;
            first_ticks = counts ? consumed : 0;
        }
    }
    CloseHandle(threads);
    return (ticks - first_ticks) / TICKS_PER_US;
}

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
