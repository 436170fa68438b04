/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_MEMORY_H
#define VMAF_SDK_MEMORY_H

#include "plan.h"

/* How long a device may take to come to rest, before it counts as stuck: when a session is closed,
 * for which the host does not wait long; */
#define VMAF_REST_LIMIT_NS UINT64_C(5000000000)
/* and before a session is used, which takes a software device on a busy machine many seconds. The
 * host has a limit of its own, that it extends as long as there is progress. */
#define VMAF_START_LIMIT_NS UINT64_C(30000000000)

/*
 * Everything on the device that a session works with, allocated when it is opened. Frame pairs lie
 * in a ring of positions; what is not a picture exists once, since submissions run in order.
 */
typedef struct VmafSessionMemory {
    VmafDevice *device;
    uint32_t n_positions;
    VmafDeviceBuffer **upload;   /* by position: pixels from the host */
    VmafDeviceBuffer **pixels;   /* by position: the same where kernels read them */
    VmafDeviceBuffer **results;  /* by position */
    VmafDeviceBuffer **download; /* by position: the same where the host reads them */
    VmafDeviceBuffer **scratch, **tables;
    uint32_t n_scratch, n_tables;
    VmafDeviceBuffer *partials;
    VmafDeviceBuffer *sums; /* the table for sum_partials */
    VmafDeviceBuffer *staging;
} VmafSessionMemory;

/* Allocates, and uploads the tables. 0 or a negative errno; then there is nothing to destroy.
 * -ETIMEDOUT: the device is stuck. */
int vmaf_session_memory_create(VmafSessionMemory *memory, const struct VmafBackendPlan *plan);
void vmaf_session_memory_destroy(VmafSessionMemory *memory);

#endif
