/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf-backend-cuda.so: NVIDIA devices of compute capability 7.0 or later. */
#include <errno.h>

#include "backend_glue.h"
#include "cuda_layer.h"

extern const VmafKernelSet vmaf_kernels_ptx;

static int borrow(const VmafBackendDeviceParams *params, const void **handles)
{
    static _Thread_local CudaExternal external; /* read before open returns */
    if (params->external != VMAF_BACKEND_EXTERNAL_CUDA || params->n_handles < 1)
        return -ENOTSUP;
    external = (CudaExternal){.context = params->handles[0]};
    *handles = &external;
    return 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_cuda_layer,
    .kernels = &vmaf_kernels_ptx,
    .external = borrow,
    .default_queue = VMAF_BACKEND_SYNC_CUDA_STREAM,
};

VMAF_SDK_BACKEND("cuda", VMAF_BACKEND_CLASS_NATIVE,
                 "NVIDIA GPUs of compute capability 7.0 or later")
