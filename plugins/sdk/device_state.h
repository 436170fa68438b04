/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_STATE_H
#define VMAF_SDK_DEVICE_STATE_H

#include <libvmaf/backend.h>

#include "device.h"
#include "known_bad.h"
#include "platform/thread.h"

/*
 * State of the pipeline for an open device: host memory that was registered, and a queue with
 * staging memory for the transfers of buffers. The functions may be called from several threads at
 * once.
 */

struct VmafBackendMemory;

/* Queue and memory of copies between buffers and the host, one after the other. */
typedef struct VmafTransfer {
    VmafMutex lock;
    VmafDeviceQueue *queue;
    VmafDeviceBuffer *staging[2]; /* upload and download memory; NULL until it is needed */
} VmafTransfer;

typedef struct VmafDeviceState {
    VmafDevice *device;
    VmafMutex lock; /* guards the list below */
    struct VmafBackendMemory *first_range;
    /* The API's default queue: submissions that read DEVICE buffers wait for work that the
     * application has queued there. Kind NONE where an API has no such queue. */
    VmafBackendSync default_queue;
    const VmafKnownBad *known_bad;
    /* Frames of more luma samples than this run in several submissions, unless timestamps are
     * taken: drivers of integrated GPUs, which draw the desktop as well, abort submissions that
     * take a second or two. 0: no limit. */
    uint64_t split_above;
    VmafTransfer transfer;
} VmafDeviceState;

/* Sets `device->state`. The last two parameters may be NULL. Returns 0 or -ENOMEM. */
int vmaf_device_state_create(VmafDevice *device, const VmafBackendSync *default_queue,
                             const VmafKnownBad *known_bad);
/* Destroys the state, which may be NULL, before the device is closed. */
void vmaf_device_state_destroy(VmafDevice *device);

/* -- host memory that the device copies from: memory_register, memory_unregister of backend.h -- */

/* A registered range, wrapped as a buffer of the device. */
typedef struct VmafBackendMemory {
    struct VmafBackendMemory *next;
    uintptr_t begin, end; /* addresses of the registered range */
    uintptr_t wrapped;    /* address of the buffer, which begins at or before `begin` */
    VmafDeviceBuffer *buffer;
} VmafBackendMemory;

int32_t vmaf_host_memory_register(VmafDevice *device, void *address, uint64_t size,
                                  VmafBackendMemory **memory);
/* Unregisters a range that no running submission reads. */
void vmaf_host_memory_unregister(VmafDevice *device, VmafBackendMemory *memory);

/* Returns the buffer that holds these bytes of host memory, and their offset in it; NULL if they
 * are not all in one registered range. */
VmafDeviceBuffer *vmaf_host_memory_find(VmafDevice *device, const void *address, uint64_t size,
                                        uint64_t *offset);

/* -- copies between buffers and the host, outside of sessions. The staging memory is kept for the
 * next copy. -- */

/* From begin to end no other thread uses the staging memory. -ENOTSUP: the device has no state. */
int vmaf_transfer_begin(VmafDevice *device);
void vmaf_transfer_end(VmafDevice *device);

/* Returns mapped memory of at least `size` bytes, for upload or download. 0 or a negative errno. */
int vmaf_transfer_staging(VmafDevice *device, enum VmafDeviceMemory memory, uint64_t size,
                          VmafDeviceBuffer **staging);
/* Submits copies with their waits and signals, and waits until they have finished. */
int vmaf_transfer_run(VmafDevice *device, const VmafDeviceSubmit *submit);

#endif
