/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf-backend-vulkan.so: any device with Vulkan 1.2, 64-bit integers and 8-bit storage. */
#include <errno.h>

#include "backend_glue.h"
#include "vulkan_layer.h"

extern const VmafKernelSet vmaf_kernels_vulkan;

enum { INSTANCE, PHYSICAL_DEVICE, DEVICE, QUEUE, QUEUE_FAMILY, API_VERSION, N_HANDLES };

static int borrow(const VmafBackendDeviceParams *params, const void **handles)
{
    static _Thread_local VulkanExternal external; /* read before open returns */
    if (params->external != VMAF_BACKEND_EXTERNAL_VULKAN || params->n_handles < N_HANDLES)
        return -ENOTSUP;
    external = (VulkanExternal){
        .instance = params->handles[INSTANCE],
        .physical_device = params->handles[PHYSICAL_DEVICE],
        .device = params->handles[DEVICE],
        .queue = params->handles[QUEUE],
        .queue_family = (uint32_t)params->handles[QUEUE_FAMILY],
        .api_version = (uint32_t)params->handles[API_VERSION],
        .lock = params->lock,
        .unlock = params->unlock,
        .lock_cookie = params->lock_cookie,
        .enabled_features = params->enabled_features,
        .enabled_extensions = params->enabled_extensions,
        .n_enabled_extensions = params->n_enabled_extensions,
    };
    *handles = &external;
    return 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_vulkan_layer,
    .kernels = &vmaf_kernels_vulkan,
    .external = borrow,
};

VMAF_SDK_BACKEND("vulkan", VMAF_BACKEND_CLASS_PORTABLE,
                 "any device with Vulkan 1.2, 64-bit integers and 8-bit storage")
