/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

/* A choice of kernels that this machine supports. */
typedef struct MachineKernels {
    const char *name;
    uint64_t cpumask; /* that selects it */
} MachineKernels;

enum { MACHINE_MAX_KERNELS = 3 };

/* Plain C first, the fastest last; returns their number. */
unsigned machine_kernels(MachineKernels kernels[MACHINE_MAX_KERNELS]);

/* Voluntary context switches of this process so far. */
double machine_voluntary_switches(void);

/* Prints a paragraph of Markdown: processor, system, compiler, load. */
void machine_print(void);

/* Prints a line of Markdown: the current calibration, and the load. */
int machine_print_calibration(void);

#endif
