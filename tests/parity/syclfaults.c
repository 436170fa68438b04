/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The SYCL backend for tests, with the errors that test_adjust.h describes. */
#include "backend_glue.h"
#include "sycl_layer.h"
#include "test_adjust.h"

extern const VmafKernelSet vmaf_kernels_opencl;

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_sycl_layer,
    .kernels = &vmaf_kernels_opencl,
    .adjust = adjust_faults,
};

VMAF_SDK_BACKEND("syclfaults", VMAF_BACKEND_CLASS_NATIVE, "Level Zero with errors, for tests")
