/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_glue.h"
#include "vulkan_layer.h"

extern const VmafKernelSet vmaf_kernels_vulkan;

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_vulkan_layer, .kernels = &vmaf_kernels_vulkan};
VMAF_SDK_BACKEND("elsewhere", VMAF_BACKEND_CLASS_PORTABLE, "Vulkan, built out of the tree")
