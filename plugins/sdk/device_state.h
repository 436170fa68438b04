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

/* Queue and memory of copies between buffers and the host, one after the other; see transfer.h. */
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

#endif
