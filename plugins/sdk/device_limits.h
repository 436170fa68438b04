/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_LIMITS_H
#define VMAF_SDK_DEVICE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"

/* Limits of work-groups and of a dispatch, as an API reports them. */
typedef struct VmafDeviceLimits {
    uint64_t lanes;        /* invocations of a work-group */
    uint64_t lanes_x;      /* invocations in its first direction */
    uint64_t group_memory; /* bytes of memory that a work-group shares */
    uint64_t groups[3];    /* work-groups of a dispatch, in each direction */
} VmafDeviceLimits;

/* True if the limits are at least those that device.h promises for every device. Otherwise
 * `unusable` of the info, whose name is set already, receives the reason. */
bool vmaf_device_check_limits(const VmafDeviceLimits *limits, VmafDeviceInfo *info);

#endif
