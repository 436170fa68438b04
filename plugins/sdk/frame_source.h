/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FRAME_SOURCE_H
#define VMAF_SDK_FRAME_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "memory.h"

/* How the pictures of a frame come to the device. */

/* -- copies by the processor, with several threads: one core alone does not keep up with a fast
 * device -- */

enum { VMAF_COPY_POOL_MAX_COPIES = 8 };

/* Rows to copy; source and target do not overlap. */
typedef struct VmafRowCopy {
    unsigned char *to;
    const unsigned char *from;
    int64_t to_stride, from_stride;
    size_t bytes; /* bytes of a row */
    uint32_t rows;
} VmafRowCopy;

typedef struct VmafCopyPool VmafCopyPool;

/* Starts up to `threads` threads, which block the same signals as the caller. NULL if no thread can
 * be started. */
VmafCopyPool *vmaf_copy_pool_create(unsigned threads);
/* Joins the threads. NULL is allowed. */
void vmaf_copy_pool_destroy(VmafCopyPool *pool);

/* Makes at most VMAF_COPY_POOL_MAX_COPIES copies and returns when they are done; the calling thread
 * takes part. `pool` NULL: the calling thread copies alone. One thread at a time may call it. */
void vmaf_copy_pool_run(VmafCopyPool *pool, const VmafRowCopy *copies, unsigned count);

/* -- all copies of a frame -- */

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
