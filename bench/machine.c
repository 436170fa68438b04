/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "calibrate.h"
#include "platform/machine.h"
#include "support/cpu.h"

unsigned machine_kernels(MachineKernels kernels[MACHINE_MAX_KERNELS])
{
    const uint64_t everything = 63;
    const unsigned flags = cpu_flags(0);
    unsigned n = 0;
    kernels[n++] = (MachineKernels){"plain C", everything};
#if defined(__x86_64__)
    if (flags & CPU_AVX2)
        kernels[n++] = (MachineKernels){"AVX2", CPU_AVX512 | CPU_AVX512_ICL};
    if (flags & CPU_AVX512)
        kernels[n++] = (MachineKernels){"AVX-512", 0};
#else
    if (flags & CPU_NEON)
        kernels[n++] = (MachineKernels){"NEON", 0};
#endif
    return n;
}

double machine_voluntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (double)usage.ru_nvcsw;
}

/* The name of the processor in /proc/cpuinfo; Linux on Arm has none. */
static void processor_name(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "processor without a name");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (!strncmp(line, "model name", 10) && value) {
            snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

void machine_print(void)
{
    char processor[256];
    struct utsname system;
    processor_name(processor, sizeof processor);
    if (uname(&system))
        memset(&system, 0, sizeof system);
    printf("%s, %u core%s; %s %s, %s; compiled by %s.\n", processor, vmaf_processors_usable(),
           vmaf_processors_usable() > 1 ? "s" : "", system.sysname, system.release, system.machine,
#if defined(__clang__)
           __VERSION__
#else
           "gcc " __VERSION__
#endif
    );
}

int machine_print_calibration(void)
{
    BenchCalibration c;
    double load[1] = {0};
    const int err = bench_calibrate(&c);
    if (err)
        return err;
    if (getloadavg(load, 1) < 1)
        load[0] = 0;
    printf("Calibration: scalar %.1f ms, vector %.2f ms, copy %.1f ms; load %.1f.\n\n", c.scalar,
           c.vector, c.copy, load[0]);
    return 0;
}
