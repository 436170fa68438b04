/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The HIP backend for tests, with the errors that test_adjust.h describes. */
#include "backend_glue.h"
#include "hip_layer.h"
#include "test_adjust.h"

extern const VmafKernelSet vmaf_kernels_hip;
const VmafKernelSet *const vmaf_hip_kernels = &vmaf_kernels_hip;

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_hip_layer,
    .kernels = &vmaf_kernels_hip,
    .adjust = adjust_faults,
};

VMAF_SDK_BACKEND("hipfaults", VMAF_BACKEND_CLASS_NATIVE, "HIP with errors, for tests")
