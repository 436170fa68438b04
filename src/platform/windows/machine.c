/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the whole tree takes for granted of the compiler and its settings. */
#include "platform/machine.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>

#include "platform/windows/internal.h"

#include <bcrypt.h>
#include <winternl.h>

static_assert(FLT_EVAL_METHOD == 0, "scores need operations that round to the type of operands");
static_assert(CHAR_BIT == 8 && sizeof(int) == 4, "samples and records are made of these");
static_assert(sizeof(void *) == 8, "pictures and files are larger than 32 bits can say");
#if !defined(__USE_MINGW_ANSI_STDIO) || !__USE_MINGW_ANSI_STDIO
#error "formats are those of C11, which the C runtime of Windows does not know"
#endif

/* ---- Processors ---- */

unsigned vmaf_processors_online(void)
{
    const DWORD online = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return online ? online : 1;
}

/* Processors that the process may use; 0: unknown, or it is not kept to one group of processors. */
static unsigned affinity(void)
{
    DWORD_PTR process = 0, system = 0;
    unsigned count = 0;
    if (GetActiveProcessorGroupCount() != 1 ||
        !GetProcessAffinityMask(GetCurrentProcess(), &process, &system))
        return 0;
    for (; process; process &= process - 1)
        count++;
    return count;
}

/* The share of all processors that a job grants (containers), rounded up to cores; 0: no limit. */
static unsigned job_quota(void)
{
    enum { WHOLE = 10000 }; /* hundredths of per cent */
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate;
    const DWORD limits = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
    if (!QueryInformationJobObject(NULL, JobObjectCpuRateControlInformation, &rate, sizeof(rate),
                                   NULL) ||
        (rate.ControlFlags & limits) != limits)
        return 0;
    return (unsigned)(((uint64_t)rate.CpuRate * vmaf_processors_online() + WHOLE - 1) / WHOLE);
}

unsigned vmaf_processors_usable(void)
{
    unsigned usable = vmaf_processors_online();
    const unsigned limits[] = {affinity(), job_quota()};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (limits[i] && limits[i] < usable)
            usable = limits[i];
    }
    return usable;
}

unsigned vmaf_processors_cgroup_quota(const char *mount, const char *membership)
{
    (void)mount;
    (void)membership;
    return 0; /* there are no control groups */
}

/* ---- Memory ---- */

size_t vmaf_page_size(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

void *vmaf_aligned_alloc(size_t alignment, size_t size)
{
    return _aligned_malloc(size ? size : 1, alignment);
}

void vmaf_aligned_free(void *block)
{
    _aligned_free(block);
}

/* ---- Chance and the start of the machine ---- */

/* The moment at which the machine was started, as the kernel keeps it: the sum of the clocks that
 * programs can read is never twice the same. */
void vmaf_machine_boot_id(char *id, size_t size)
{
    typedef NTSTATUS(NTAPI * Query)(SYSTEM_INFORMATION_CLASS class, PVOID information, ULONG size,
                                    PULONG length);
    struct {
        LARGE_INTEGER boot_time, now, zone_bias;
        ULONG zone, reserved;
        ULONGLONG boot_bias, sleep_bias;
    } times = {0};
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    const Query query =
        ntdll ? (Query)(void *)GetProcAddress(ntdll, "NtQuerySystemInformation") : NULL;
    id[0] = '\0';
    if (query && query(SystemTimeOfDayInformation, &times, sizeof(times), NULL) == 0)
        snprintf(id, size, "%llx",
                 (unsigned long long)(times.boot_time.QuadPart - (LONGLONG)times.boot_bias));
}

bool vmaf_random_bytes(void *bytes, size_t size)
{
    return BCryptGenRandom(NULL, bytes, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}
