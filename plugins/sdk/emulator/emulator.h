/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_EMULATOR_EMULATOR_H
#define VMAF_SDK_EMULATOR_EMULATOR_H

#include "device.h"

/*
 * A device layer that runs kernels as plain C on the calling thread, to test kernels and users of
 * device.h with no driver and no hardware. It is stricter than any GPU:
 *
 *   - every access of a kernel to a buffer or to group memory is checked, and so are hazards
 *     between commands with no barrier between them; the submission or the command list fails with
 *     a message;
 *   - work-groups, invocations and commands between barriers run in an order that the caller
 *     chooses;
 *   - buffers, group memory and the state of invocations begin as noise;
 *   - a submission fails if it touches memory that an earlier one uses, in another stream or by
 *     copies, for which nobody has waited; and if the source of its copies has changed when they
 *     run;
 *   - work runs as early and as late as device.h allows: see EmulatorOrder.
 *
 * Pictures can be imported from memory (kind CUDA_POINTER: addresses) and as images (kind
 * METAL_TEXTURE: addresses of EmulatorTexture). Submissions wait for and signal timelines (kind
 * VULKAN_TIMELINE: address of an EmulatorTimeline) and the application's default stream (kind
 * CUDA_STREAM, handle 0), which does nothing until somebody waits for it.
 */
extern const VmafDeviceLayer vmaf_emulator_layer;

enum EmulatorOrder {
    EMULATOR_ORDER_FORWARD, /* copies run when they are submitted, the rest when somebody waits */
    EMULATOR_ORDER_REVERSE, /* everything runs when somebody waits, other streams first */
    EMULATOR_ORDER_RANDOM,  /* any step that may run is next; the order differs for each command and
                               block of groups, and is repeatable */
};

/* What `external` of VmafDeviceOpenParams may point to. */
typedef struct EmulatorOptions {
    enum EmulatorOrder order;
    uint32_t seed;           /* seed of the order and of the noise */
    bool immediate;          /* submissions run when they are submitted */
    bool no_unified_memory;  /* kernels cannot bind upload buffers */
    bool no_host_memory;     /* host memory cannot be wrapped */
    bool no_exact_float32;   /* kernels compute binary32 in integers */
    uint32_t copy_alignment; /* 1 or 4; 0: 4, the strictest */
} EmulatorOptions;

typedef struct EmulatorTimeline {
    _Atomic(uint64_t) value;
} EmulatorTimeline;

typedef struct EmulatorTexture {
    const unsigned char *data;
    uint64_t stride; /* bytes from row to row */
} EmulatorTexture;

/* Queues a write to memory of the device in the application's default stream; the bytes are
 * copied. 0 or -ENOMEM. */
int emulator_stream_write(VmafDevice *device, uint64_t address, const void *bytes, size_t size);
/* Waits for the stream. */
void emulator_stream_finish(VmafDevice *device);

#endif
