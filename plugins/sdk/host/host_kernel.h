/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_HOST_HOST_KERNEL_H
#define VMAF_SDK_HOST_HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_set.h"

/* What a kernel that was compiled as plain C (dialect/host.h) sees of the host device. */

typedef struct HostBinding {
    void *data;
    size_t size; /* bytes */
} HostBinding;

/* An array that a kernel may index. */
typedef struct HostArray {
    const char *name;
    size_t length; /* elements */
} HostArray;

enum { HOST_FAULT_SIZE = 160 };

/* One run of a kernel's function: a work-group. */
typedef struct HostGroup {
    const VmafKernel *kernel;
    const HostBinding *bindings; /* by slot */
    const void *args;
    int32_t group[3], groups[3];
    const uint16_t *order; /* in which lanes run through a block */
    uint32_t noise;        /* what fresh memory is filled with, one pattern for each group */
    char *fault;           /* HOST_FAULT_SIZE bytes: text of the first broken access, "" before */
} HostGroup;

/* Notes an index outside of the array, and returns one that does no harm. */
int64_t host_index_fault(const HostGroup *group, const HostArray *array, int64_t index, int line);

static inline int64_t host_index(const HostGroup *group, const HostArray *array, int64_t index,
                                 int line)
{
    return (uint64_t)index < array->length ? index : host_index_fault(group, array, index, line);
}

/* Fills memory with words that differ from one seed to another. */
void host_fill_noise(void *memory, size_t size, uint32_t seed);

#endif
