/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The emulator as a backend, with the wrong kernels of variant VMAF_TEST_WRONG of variants.txt; 0
 * or unset: the right ones. Read for each session.
 */
#include <stdlib.h>

#include "backend_glue.h"
#include "emulator.h"

extern const VmafKernelSet wrong_kernels_emulator;
extern int vmaf_test_wrong;
int vmaf_test_wrong;

static void adjust(VmafDeviceOpenParams *params)
{
    /* The functions of binary32 in integers are among those that are wrong. */
    static const EmulatorOptions forward = {
        .order = EMULATOR_ORDER_FORWARD, .seed = 1, .no_exact_float32 = true};
    const char *number = getenv("VMAF_TEST_WRONG");
    params->external = &forward;
    vmaf_test_wrong = number ? atoi(number) : 0;
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_emulator_layer,
    .kernels = &wrong_kernels_emulator,
    .adjust = adjust,
};

VMAF_SDK_BACKEND("wrongdevice", VMAF_BACKEND_CLASS_PORTABLE, "wrong kernels as plain C, for tests")
