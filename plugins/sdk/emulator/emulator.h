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
 * a message;
 *   - work-groups, lanes and commands between barriers run in an order that the caller chooses;
 *   - buffers, group memory and lane state begin as noise;
 *   - nothing runs before it is waited for.
 */
extern const VmafDeviceLayer vmaf_emulator_layer;

enum EmulatorOrder {
    EMULATOR_ORDER_FORWARD,
    EMULATOR_ORDER_REVERSE,
    EMULATOR_ORDER_RANDOM, /* different for each command and block of groups; repeatable */
};

/* What `external` of VmafDeviceOpenParams may point to. */
typedef struct EmulatorOptions {
    enum EmulatorOrder order;
    uint32_t seed;          /* of the order and of the noise */
    bool immediate;         /* submissions run when they are submitted */
    bool no_unified_memory; /* refuse to bind upload buffers to kernels */
} EmulatorOptions;

#endif
