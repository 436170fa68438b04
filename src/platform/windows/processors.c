/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/processors.h"

#include "platform/windows/native.h"

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
