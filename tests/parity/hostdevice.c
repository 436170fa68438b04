/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The host device as a backend: what GPU backends consist of (pipeline, recipes, kernels), with the
 * kernels compiled as plain C. For tests. The environment chooses the order in which work-groups
 * and lanes run (VMAF_TEST_ORDER: forward, reverse, random) and errors to bring about
 * (VMAF_TEST_FAULTS: lose=N, hang=N at submission N, memory=N at buffer N).
 */
#include "backend_glue.h"
#include "host_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const VmafKernelSet vmaf_kernels_host;

static void read_faults(VmafDeviceOpenParams *params)
{
    static VmafDeviceFaults faults;
    const char *text = getenv("VMAF_TEST_FAULTS");
    unsigned long long number;
    if (!text)
        return;
    faults = (VmafDeviceFaults){0};
    if (sscanf(text, "lose=%llu", &number) == 1)
        faults.lose_at_submit = number;
    else if (sscanf(text, "hang=%llu", &number) == 1)
        faults.hang_at_submit = number;
    else if (sscanf(text, "memory=%llu", &number) == 1)
        faults.no_memory_at_buffer = number;
    params->faults = &faults;
}

static void adjust(VmafDeviceOpenParams *params)
{
    static const HostDeviceOptions forward = {
        .order = HOST_ORDER_FORWARD, .seed = 1, .no_unified_memory = true};
    static const HostDeviceOptions reverse = {.order = HOST_ORDER_REVERSE, .seed = 2};
    static const HostDeviceOptions random = {.order = HOST_ORDER_RANDOM, .seed = 3};
    const char *order = getenv("VMAF_TEST_ORDER");
    params->external = &forward;
    if (order && !strcmp(order, "reverse"))
        params->external = &reverse;
    if (order && !strcmp(order, "random"))
        params->external = &random;
    read_faults(params);
}

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &vmaf_host_layer,
    .kernels = &vmaf_kernels_host,
    .adjust = adjust,
};

VMAF_SDK_BACKEND("hostdevice", VMAF_BACKEND_CLASS_PORTABLE, "kernels as plain C, for tests")
