/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf-backend-sycl.so: GPUs with a driver for Level Zero. */
#include <errno.h>

#include "backend_glue.h"
#include "sycl_layer.h"

extern const VmafKernelSet vmaf_kernels_opencl;

enum { CONTEXT, DEVICE, N_HANDLES };

static int borrow(const VmafBackendDeviceParams *params, const void **handles)
{
    static _Thread_local SyclExternal external; /* read before open returns */
    if (params->external != VMAF_BACKEND_EXTERNAL_ZE || params->n_handles < N_HANDLES)
        return -ENOTSUP;
    external =
        (SyclExternal){.context = params->handles[CONTEXT], .device = params->handles[DEVICE]};
    *handles = &external;
    return 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_sycl_layer,
    .kernels = &vmaf_kernels_opencl,
    .external = borrow,
};

VMAF_SDK_BACKEND("sycl", VMAF_BACKEND_CLASS_NATIVE,
                 "Intel GPUs, and others with a driver for Level Zero")
