/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The Vulkan backend for tests: always with the validation layer, where that is installed, and with
 * the errors that test_adjust.h describes.
 */
#include "backend_glue.h"
#include "test_adjust.h"
#include "vulkan_layer.h"

extern const VmafKernelSet vmaf_kernels_vulkan;

static void adjust(VmafDeviceOpenParams *params)
{
    params->debug = true;
    adjust_faults(params);
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_vulkan_layer,
    .kernels = &vmaf_kernels_vulkan,
    .adjust = adjust,
};

VMAF_SDK_BACKEND("vulkandebug", VMAF_BACKEND_CLASS_PORTABLE, "Vulkan with its checks, for tests")
