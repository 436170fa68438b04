/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The Metal backend for tests, with the errors that test_adjust.h describes. */
#include "backend_glue.h"
#include "metal_layer.h"
#include "test_adjust.h"

extern const VmafKernelSet vmaf_kernels_metal;

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_metal_layer,
    .kernels = &vmaf_kernels_metal,
    .adjust = adjust_faults,
};

VMAF_SDK_BACKEND("metalfaults", VMAF_BACKEND_CLASS_NATIVE, "Metal with errors, for tests")
