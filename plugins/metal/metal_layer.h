/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METAL_LAYER_H
#define VMAF_METAL_LAYER_H

#include "device.h"

/*
 * The device layer on Metal. Kernels are source text, which the system compiles. Needs Apple's GPUs
 * of family 7 (M1) or newer; others are reported, and cannot be opened.
 */
extern const VmafDeviceLayer vmaf_metal_layer;

/* `external` of the open parameters: objects of the application, which are retained. Submissions
 * become command buffers of its queue, or of new queues if there is none. */
typedef struct MetalExternal {
    uint64_t device;        /* id<MTLDevice> as an integer; 0: that of the queue */
    uint64_t command_queue; /* id<MTLCommandQueue>; 0: none */
} MetalExternal;

#endif
