/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FRAME_SOURCE_H
#define VMAF_SDK_FRAME_SOURCE_H

#include "buffer.h"
#include "copy_pool.h"
#include "memory.h"

/*
 * How the pictures of a frame come to their position on the device: from a buffer or from
 * registered host memory by copies of the device; from other host memory by the processor, into the
 * upload memory of the position.
 */
typedef struct VmafFrameSource {
    VmafDeviceCopy copies[VMAF_DEVICE_MAX_COPIES];
    VmafBackendSync waits[2], signals[2];
    uint32_t n_copies, n_waits, n_signals;
    VmafPacking packing[2];               /* of the reference and the distorted picture */
    struct VmafBackendBuffer *buffers[2]; /* that the copies read; may be NULL */
    VmafRowCopy rows[6];                  /* by the processor, before the copies */
    uint32_t n_rows;
    size_t n_bytes; /* of all rows */
} VmafFrameSource;

/* Whether a session of the plan can read the picture. */
bool vmaf_picture_is_usable(const struct VmafBackendPlan *plan, const VmafBackendPicture *picture);

/* Finds out about the pictures of a frame, which are usable; `dist` may be NULL. 0; -ENOMEM where
 * raw memory is needed. */
int vmaf_frame_source_find(VmafFrameSource *source, const struct VmafBackendPlan *plan,
                           VmafSessionMemory *memory, uint32_t position,
                           const VmafBackendPicture *ref, const VmafBackendPicture *dist);

#endif
