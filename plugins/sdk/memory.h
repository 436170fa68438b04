/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_MEMORY_H
#define VMAF_SDK_MEMORY_H

#include "plan.h"

/* How long a device may take to finish, before it counts as stuck, when a session is closed: the
 * host does not wait long for that. */
#define VMAF_REST_LIMIT_NS UINT64_C(5000000000)
/* The same when a session is opened, which takes a software device on a busy machine many seconds.
 * The host has a limit of its own, which it extends as long as there is progress. */
#define VMAF_START_LIMIT_NS UINT64_C(30000000000)

/*
 * A session's memory on the device, allocated when it is opened. Frame pairs lie in a ring of
 * positions. What a frame leaves for itself exists once for each lane, since frames of one lane run
 * one after the other; constants exist once.
 */
typedef struct VmafSessionMemory {
    VmafDevice *device;
    uint32_t n_positions, n_lanes;
    VmafDeviceBuffer **upload;   /* by position: pixels as the host wrote them */
    VmafDeviceBuffer **pixels;   /* by position: the same where kernels read them */
    VmafDeviceBuffer **raw;      /* by position: as imported; NULL until they are needed */
    VmafDeviceBuffer **results;  /* by position */
    VmafDeviceBuffer **download; /* by position: the same where the host reads them */
    VmafDeviceBuffer **scratch[VMAF_DEVICE_LANES];
    VmafDeviceBuffer *partials[VMAF_DEVICE_LANES];
    VmafDeviceBuffer **tables;
    uint32_t n_scratch, n_tables;
    VmafDeviceBuffer *sums; /* the table for sum_partials */
    VmafDeviceBuffer *staging;
} VmafSessionMemory;

/* Allocates, and uploads the tables on the queue. 0 or a negative errno; then there is nothing to
 * destroy. -ETIMEDOUT: the device is stuck. */
int vmaf_session_memory_create(VmafSessionMemory *memory, const struct VmafBackendPlan *plan,
                               VmafDeviceQueue *queue);
/* Allocates the raw memory of a position, if that has not been done. */
int vmaf_session_memory_add_raw(VmafSessionMemory *memory, uint32_t position, uint64_t size);
void vmaf_session_memory_destroy(VmafSessionMemory *memory);

#endif
