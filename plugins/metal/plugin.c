/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf-backend-metal.so: Apple's GPUs of family 7 or newer. */
#include <errno.h>

#include "backend_glue.h"
#include "metal_layer.h"

extern const VmafKernelSet vmaf_kernels_metal;

static int borrow(const VmafBackendDeviceParams *params, const void **handles)
{
    static _Thread_local MetalExternal external; /* read before open returns */
    if (params->external != VMAF_BACKEND_EXTERNAL_METAL || params->n_handles < 1)
        return -ENOTSUP;
    external = (MetalExternal){
        .device = params->handles[0],
        .command_queue = params->n_handles > 1 ? params->handles[1] : 0,
    };
    *handles = &external;
    return 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_metal_layer,
    .kernels = &vmaf_kernels_metal,
    .external = borrow,
};

VMAF_SDK_BACKEND("metal", VMAF_BACKEND_CLASS_NATIVE, "Apple's GPUs of family 7 (M1) or newer")
