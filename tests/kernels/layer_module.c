/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A layer as a module, like its plugin, so that test programs start without the driver. The build
 * says which: LAYER_HEADER, LAYER, LAYER_QUEUE and the kernels.
 */
#include LAYER_HEADER
#include "fixture.h"

extern const VmafKernelSet PRODUCT_KERNELS, TEST_KERNELS;

extern const FixtureModule fixture_module __attribute__((visibility("default")));
const FixtureModule fixture_module = {
    .layer = &LAYER,
    .product_kernels = &PRODUCT_KERNELS,
    .test_kernels = &TEST_KERNELS,
    .default_queue = LAYER_QUEUE,
};
