/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layer as a module, like the plugin, so that test programs start without the driver. */
#include "../fixture.h"
#include "cuda_layer.h"

extern const VmafKernelSet vmaf_kernels_ptx, test_kernels_ptx;

extern const FixtureModule fixture_module __attribute__((visibility("default")));
const FixtureModule fixture_module = {
    .layer = &vmaf_cuda_layer,
    .product_kernels = &vmaf_kernels_ptx,
    .test_kernels = &test_kernels_ptx,
};
