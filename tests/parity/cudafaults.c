/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The CUDA backend for tests, with the errors that test_adjust.h describes. */
#include "backend_glue.h"
#include "cuda_layer.h"
#include "test_adjust.h"

extern const VmafKernelSet vmaf_kernels_ptx;

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_cuda_layer,
    .kernels = &vmaf_kernels_ptx,
    .adjust = adjust_faults,
};

VMAF_SDK_BACKEND("cudafaults", VMAF_BACKEND_CLASS_NATIVE, "CUDA with errors, for tests")
