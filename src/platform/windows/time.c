/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/time.h"

#include "platform/windows/native.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000, NS_PER_TICK = 100 };

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
