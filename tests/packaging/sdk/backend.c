/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A backend that consists of the SDK: its device layer reports no devices, and a reason. */
#include <errno.h>
#include <stdio.h>

#include "backend_glue.h"

static int enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                     size_t reason_size)
{
    (void)infos;
    (void)capacity;
    *count = 0;
    snprintf(reason, reason_size, "nothing is plugged in");
    return 0;
}

static int open_device(VmafDevice **device, const VmafDeviceOpenParams *params, char *reason,
                       size_t reason_size)
{
    (void)device;
    (void)params;
    snprintf(reason, reason_size, "nothing is plugged in");
    return -ENODEV;
}

static const VmafDeviceLayer layer = {
    .name = "nothing", .enumerate = enumerate, .open = open_device};
static const VmafKernelSet kernels = {.target = "nothing"};

const VmafSdkVendor vmaf_sdk_vendor = {.layer = &layer, .kernels = &kernels};
VMAF_SDK_BACKEND("nothing", VMAF_BACKEND_CLASS_NATIVE, "a device that is never there")
