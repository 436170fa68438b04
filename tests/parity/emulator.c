/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The emulator as a backend, for tests: the parts of GPU backends (pipeline, metrics, kernels),
 * with the kernels compiled as plain C. The environment chooses the order in which work-groups and
 * lanes run (VMAF_TEST_ORDER: forward, reverse, random) and errors to inject (test_adjust.h).
 */
#include "emulator.h"
#include "backend_glue.h"
#include "test_adjust.h"

#include <stdlib.h>
#include <string.h>

extern const VmafKernelSet vmaf_kernels_emulator;

static void adjust(VmafDeviceOpenParams *params)
{
    static const EmulatorOptions forward = {
        .order = EMULATOR_ORDER_FORWARD, .seed = 1, .no_unified_memory = true};
    static const EmulatorOptions reverse = {.order = EMULATOR_ORDER_REVERSE, .seed = 2};
    static const EmulatorOptions random = {.order = EMULATOR_ORDER_RANDOM, .seed = 3};
    const char *order = getenv("VMAF_TEST_ORDER");
    params->external = &forward;
    if (order && !strcmp(order, "reverse"))
        params->external = &reverse;
    if (order && !strcmp(order, "random"))
        params->external = &random;
    adjust_faults(params);
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_emulator_layer,
    .default_queue = VMAF_BACKEND_SYNC_CUDA_STREAM,
    .kernels = &vmaf_kernels_emulator,
    .adjust = adjust,
};

VMAF_SDK_BACKEND("emulator", VMAF_BACKEND_CLASS_PORTABLE, "kernels as plain C, for tests")
