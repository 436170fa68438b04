/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_MEMORY_H
#define VMAF_SDK_MEMORY_H

#include "plan.h"

/* Time limit for a device to finish its work when a session is closed, for which the host does not
 * wait long. After that the device counts as stuck. */
#define VMAF_REST_LIMIT_NS UINT64_C(5000000000)
/* The same when a session is opened, which takes a software device on a busy machine many seconds.
 * The host has a limit of its own, which it extends as long as there is progress. */
#define VMAF_START_LIMIT_NS UINT64_C(30000000000)

/*
 * A session's memory on the device, allocated when it is opened. Frame pairs lie in a ring of
 * positions. Intermediate results of a frame exist once for each stream of the queue, since frames
 * of one stream run one after the other; constants exist once.
 */
typedef struct VmafSessionMemory {
    VmafDevice *device;
    uint32_t n_positions, n_streams;
    VmafDeviceBuffer **upload;   /* by position: pixels as the host wrote them */
    VmafDeviceBuffer **pixels;   /* by position: pixels as kernels read them */
    VmafDeviceBuffer **raw;      /* by position: pixels as imported; NULL until needed */
    VmafDeviceBuffer **results;  /* by position: results as kernels wrote them */
    VmafDeviceBuffer **download; /* by position: results as the host reads them */
    VmafDeviceBuffer **scratch[VMAF_DEVICE_STREAMS];
    VmafDeviceBuffer *partials[VMAF_DEVICE_STREAMS];
    VmafDeviceBuffer **tables;
    uint32_t n_scratch, n_tables;
    VmafDeviceBuffer *sums; /* the table for sum_partials */
    VmafDeviceBuffer *staging;
} VmafSessionMemory;

/* Allocates the memory, and uploads the tables on the queue. Returns 0, or a negative errno, and
 * then there is nothing to destroy. -ETIMEDOUT: the device is stuck. */
int vmaf_session_memory_create(VmafSessionMemory *memory, const struct VmafBackendPlan *plan,
                               VmafDeviceQueue *queue);
/* Allocates the raw memory of a position, unless it exists. */
int vmaf_session_memory_add_raw(VmafSessionMemory *memory, uint32_t position, uint64_t size);
void vmaf_session_memory_destroy(VmafSessionMemory *memory);

#endif
