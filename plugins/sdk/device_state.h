/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_STATE_H
#define VMAF_SDK_DEVICE_STATE_H

#include <libvmaf/backend.h>

#include "device.h"
#include "known_bad.h"
#include "platform/thread.h"

/*
 * What the pipeline keeps for an open device beside its layer: host memory that was registered, and
 * a queue with staging memory for the transfers of buffers. Functions may be called from several
 * threads at once.
 */

struct VmafBackendMemory;

/* Copies between buffers and the host, one after the other: transfer.h. */
typedef struct VmafTransfer {
    VmafMutex lock;
    VmafDeviceQueue *queue;
    VmafDeviceBuffer *staging[2]; /* upload, download; NULL until they are needed */
} VmafTransfer;

typedef struct VmafDeviceState {
    VmafDevice *device;
    VmafMutex lock; /* guards the list below */
    struct VmafBackendMemory *first_range;
    /* What submissions that read DEVICE buffers wait for: work that the application has queued in
     * the API's default queue; kind NONE where an API has no such queue. */
    VmafBackendSync default_queue;
    const VmafKnownBad *known_bad;
    /* Frames of more luma samples than this run in several submissions, unless they are timed:
     * drivers end what keeps a processor's own GPU for a second or two, since it draws the desktop
     * as well. 0: never. */
    uint64_t split_above;
    VmafTransfer transfer;
} VmafDeviceState;

/* Sets `device->state`. Both parameters may be NULL. 0 or -ENOMEM. */
int vmaf_device_state_create(VmafDevice *device, const VmafBackendSync *default_queue,
                             const VmafKnownBad *known_bad);
/* Before the device is closed; NULL state allowed. */
void vmaf_device_state_destroy(VmafDevice *device);

#endif
