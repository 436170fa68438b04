/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DEVICE_LIMITS_H
#define VMAF_SDK_DEVICE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"

/* Of work-groups and of a dispatch, as an API tells them. */
typedef struct VmafDeviceLimits {
    uint64_t lanes;        /* of a work-group */
    uint64_t lanes_x;      /* in its first direction */
    uint64_t group_memory; /* bytes */
    uint64_t groups[3];    /* of a dispatch, in each direction */
} VmafDeviceLimits;

/* Whether these are what device.h promises for every device; else `unusable` of the info, whose
 * name is set, says so. */
bool vmaf_device_check_limits(const VmafDeviceLimits *limits, VmafDeviceInfo *info);

#endif
