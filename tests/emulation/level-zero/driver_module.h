/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_MODULE_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_MODULE_H

#include "driver.h"
#include "driver_opencl.h"
#include "spirv.h"

typedef struct Module {
    Object object;
    Context *context;
    Spirv *spirv; /* with a copy of the code */
    OpenclProgram *program;
    unsigned n_kernels; /* that exist */
} Module;

typedef struct Kernel {
    Object object;
    Module *module;
    const SpirvKernel *code;
    OpenclKernel *opencl;
    uint32_t group_size[3];
    unsigned char *values; /* of arguments, at their offsets */
    uint32_t are_set;      /* by bit */
} Kernel;

/* A kernel with its arguments as they were when it was appended. */
typedef struct Launch {
    Kernel *kernel;
    unsigned char *values;
    uint32_t group_size[3], group_count[3];
} Launch;

/* A launch of the kernel as it is now. */
ze_result_t driver_prepare_launch(Kernel *kernel, const ze_group_count_t *groups, Launch *launch);
/* Runs it; *work: what it did. */
ze_result_t driver_run_launch(const Context *context, const Launch *launch, Work *work);

/* -- driver_guard.c -- */

/*
 * Notices what kernels access beyond allocations: pages there are inaccessible, and while a kernel
 * runs the signal that says so opens them, so that the kernel ends, and remembers it.
 */
void guard_begin(const char *kernel);
/* Number of pages that were accessed, and the first address of that; they are closed again. */
unsigned guard_end(uint64_t *first);

#endif
