/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_C_KERNEL_H
#define TESTS_EMULATION_CORE_C_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator_kernel.h"
#include "machine.h"

/* A launch of a kernel that runs as C. */
typedef struct CKernelLaunch {
    const VmafKernel *kernel;
    const EmulatorBinding *bindings;
    const void *args;
    uint32_t groups[3];
    bool is_backwards; /* of lanes and groups; at random if that is the order */
} CKernelLaunch;

/* The kernel of that name, of the product or of the tests of kernels; NULL: there is none. */
const VmafKernel *c_kernel_find(const char *name);

/* Runs it, group by group, up to one that accesses what is not its own: false, and a text, which
 * was complained about. */
bool c_kernel_run(const CKernelLaunch *launch, Work *work, char fault[EMULATOR_FAULT_SIZE]);

#endif
