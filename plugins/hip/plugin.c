/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf-backend-hip.so: AMD GPUs, on ROCm. */
#include <errno.h>

#include "backend_glue.h"
#include "hip_layer.h"

extern const VmafKernelSet vmaf_kernels_hip;
const VmafKernelSet *const vmaf_hip_kernels = &vmaf_kernels_hip;

static int borrow(const VmafBackendDeviceParams *params, const void **handles)
{
    static _Thread_local HipExternal external; /* read before open returns */
    if (params->external != VMAF_BACKEND_EXTERNAL_HIP || params->n_handles < 1)
        return -ENOTSUP;
    external = (HipExternal){.context = params->handles[0]};
    *handles = &external;
    return 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_hip_layer,
    .kernels = &vmaf_kernels_hip,
    .external = borrow,
    .default_queue = VMAF_BACKEND_SYNC_HIP_STREAM,
};

VMAF_SDK_BACKEND("hip", VMAF_BACKEND_CLASS_NATIVE, "AMD GPUs with ROCm: " VMAF_HIP_CHIPS)
