/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_EMULATOR_EMULATOR_KERNEL_H
#define VMAF_SDK_EMULATOR_EMULATOR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_set.h"

/* The part of the emulator that kernels compiled as plain C (dialect/emulator.h) use. */

typedef struct EmulatorBinding {
    void *data;
    size_t size; /* bytes */
} EmulatorBinding;

/* An array that a kernel may index. */
typedef struct EmulatorArray {
    const char *name;
    size_t length; /* elements */
} EmulatorArray;

enum { EMULATOR_FAULT_SIZE = 160 };

/* One run of a kernel's function: a work-group. */
typedef struct EmulatorGroup {
    const VmafKernel *kernel;
    const EmulatorBinding *bindings; /* by slot */
    const void *args;
    int32_t group[3], groups[3];
    const uint16_t *order; /* the order in which invocations run through a block */
    uint32_t noise;        /* seed of the noise in fresh memory, different for each group */
    char *fault; /* EMULATOR_FAULT_SIZE bytes: text of the first invalid access, "" if none */
} EmulatorGroup;

/* Records an index outside of the array, and returns a harmless one. */
int64_t emulator_index_fault(const EmulatorGroup *group, const EmulatorArray *array, int64_t index,
                             int line);

static inline int64_t emulator_index(const EmulatorGroup *group, const EmulatorArray *array,
                                     int64_t index, int line)
{
    return (uint64_t)index < array->length ? index
                                           : emulator_index_fault(group, array, index, line);
}

/* Fills memory with words that depend on the seed. */
void emulator_fill_noise(void *memory, size_t size, uint32_t seed);

/* For walks over n groups in an order that looks random: returns the first step, from `least` on,
 * with which a cyclic walk reaches each of them. */
uint64_t emulator_stride(uint64_t least, uint64_t n);

#endif
