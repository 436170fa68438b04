/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "device_limits.h"

#include <stdio.h>

enum { GROUP_MEMORY_BYTES = 32768 };

bool vmaf_device_check_limits(const VmafDeviceLimits *limits, VmafDeviceInfo *info)
{
    bool fits = limits->lanes >= VMAF_KERNEL_MAX_LANES &&
                limits->lanes_x >= VMAF_KERNEL_MAX_LANES &&
                limits->group_memory >= GROUP_MEMORY_BYTES;
    for (int axis = 0; axis < 3; axis++)
        fits &= limits->groups[axis] >= VMAF_DEVICE_MAX_GROUPS;
    if (!fits)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has smaller work-groups than kernels need", info->name);
    return fits;
}
