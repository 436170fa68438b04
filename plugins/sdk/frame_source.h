/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FRAME_SOURCE_H
#define VMAF_SDK_FRAME_SOURCE_H

#include "buffer.h"
#include "copy_pool.h"
#include "memory.h"

/*
 * The copies that bring the pictures of a frame to their position on the device: the device copies
 * from a buffer or from registered host memory; the processor copies from other host memory, into
 * the upload memory of the position.
 */
typedef struct VmafFrameSource {
    VmafDeviceCopy copies[VMAF_DEVICE_MAX_COPIES];
    VmafBackendSync waits[2], signals[2];
    uint32_t n_copies, n_waits, n_signals;
    VmafPacking packing[2];               /* of the reference and the distorted picture */
    struct VmafBackendBuffer *buffers[2]; /* buffers that the copies read; may be NULL */
    VmafRowCopy rows[6];                  /* copies by the processor, made before the others */
    uint32_t n_rows;
    size_t n_bytes; /* bytes that the processor copies in all */
} VmafFrameSource;

/* True if a session of the plan can read the picture. */
bool vmaf_picture_is_usable(const struct VmafBackendPlan *plan, const VmafBackendPicture *picture);

/* Fills in the source for the pictures of a frame, which are usable; `dist` may be NULL. Returns 0,
 * or -ENOMEM if raw memory is needed and cannot be allocated. */
int vmaf_frame_source_find(VmafFrameSource *source, const struct VmafBackendPlan *plan,
                           VmafSessionMemory *memory, uint32_t position,
                           const VmafBackendPicture *ref, const VmafBackendPicture *dist);

#endif
