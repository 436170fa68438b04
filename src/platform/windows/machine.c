/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/machine.h"

#include <stdio.h>

#include "platform/windows/native.h"

#include <winternl.h>

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
