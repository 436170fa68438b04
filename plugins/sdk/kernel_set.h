/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_KERNEL_SET_H
#define VMAF_SDK_KERNEL_SET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Compiled kernels as data. The build makes one set for each target (plugins/kernels); a device
 * layer looks kernels up in the set that it was opened with, and contains no kernel's name.
 */

enum {
    VMAF_KERNEL_MAX_BUFFERS = 8,
    VMAF_KERNEL_MAX_ARGS_SIZE = 128,
    VMAF_KERNEL_MAX_LANES = 256,
};

struct EmulatorGroup;

/* Code of a kernel for one architecture, in the target's terms ("sm_90"); "": for all of them. */
typedef struct VmafKernelCode {
    const char *architecture;
    const void *code; /* SPIR-V, PTX ...; aligned to 4 bytes */
    size_t size;      /* in bytes */
} VmafKernelCode;

typedef struct VmafKernel {
    const char *name;
    uint32_t lanes[2];                              /* invocations of a work-group: WX, WY */
    uint32_t n_buffers;                             /* buffers are in slots 0 to n_buffers - 1 */
    uint32_t written;                               /* bit s is set if slot s is KERNEL_OUT */
    uint32_t element_size[VMAF_KERNEL_MAX_BUFFERS]; /* by slot: bytes of an element */
    uint32_t args_size;          /* bytes of the arguments, in the slot after the buffers */
    const VmafKernelCode *codes; /* for the target of the set; a layer takes the best that fits */
    size_t n_codes;
    void (*run)(struct EmulatorGroup *group); /* emulator only: runs one work-group */
} VmafKernel;

typedef struct VmafKernelSet {
    const char *target; /* "host", "vulkan", "ptx" ... */
    const VmafKernel *kernels;
    size_t count;
} VmafKernelSet;

/* Returns the kernel of that name, or NULL. */
const VmafKernel *vmaf_kernel_set_find(const VmafKernelSet *set, const char *name);

#endif
