/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

/* A choice of kernels that this machine has. */
typedef struct MachineKernels {
    const char *name;
    uint64_t cpumask; /* that leaves it */
} MachineKernels;

enum { MACHINE_MAX_KERNELS = 3 };

/* Plain C first, the fastest last; returns how many there are. */
unsigned machine_kernels(MachineKernels kernels[MACHINE_MAX_KERNELS]);

/* Cores that this process may use. */
unsigned machine_cores(void);

/* How often threads of this process have waited so far. */
double machine_voluntary_switches(void);

/* A paragraph of Markdown: processor, system, compiler, how busy it is. */
void machine_print(void);

/* A line of Markdown: the calibration of this moment, and the load. */
int machine_print_calibration(void);

#endif
