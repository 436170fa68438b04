/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/thread_times.h"

#include <string.h>

#include "platform/thread.h"
#include "platform/windows/native.h"
#include "platform/windows/thread_name.h"

#include <tlhelp32.h>

enum { TICKS_PER_US = 10, NAME_SIZE = 16, NAMED_MAX = 256 };

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

void vmaf_thread_name_forget(void)
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
