/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The layer on Intel's own driver, which poses as a device that is not there: it checks all calls
 * and compiles kernels, and computes nothing. The environment says which device. test_sycl_dry
 * [all]: every kernel, or a few
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"
#include "test_sets.h"
#include "trip.h"

enum { EXIT_SKIPPED = 77 };

static bool all;

static VmafDevice *open_device(const VmafDeviceLayer *layer)
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("sycl")};
    VmafDevice *device = NULL;
    char reason[256] = "";
    if (layer->open(&device, &params, reason, sizeof(reason)))
        fail_msg("%s", reason);
    return device;
}

CASE(given_intels_driver_the_device_is_described)
{
    VmafDeviceInfo info;
    char reason[256] = "";
    size_t count = 0;
    assert_int_equal(
        fixture_load("sycl")->layer->enumerate(&info, 1, &count, reason, sizeof(reason)), 0);
    printf("%s, %s, %u units, %u copy engines, binary64 %d\n", info.name, info.driver,
           info.caps.compute_units, info.caps.copy_engines, info.caps.exact_float64);
    assert_int_equal(count, 1);
    assert_string_equal(info.unusable, "");
    assert_string_equal(info.vendor, "Intel");
    assert_int_equal(info.identities & VMAF_BACKEND_IDENTITY_UUID, VMAF_BACKEND_IDENTITY_UUID);
    assert_true(info.caps.group_memory >= 32768 && info.caps.compute_units > 0);
    assert_true(info.caps.timestamps && info.caps.exact_float32);
    assert_true(info.caps.imports >> VMAF_BACKEND_IMPORT_DMABUF & 1);
}

CASE(given_intels_compiler_kernels_are_built)
{
    static const char *const few[] = {"psnr_sse_8", "sum_partials"};
    const VmafKernelSet *set = product_kernel_set("sycl");
    const VmafDeviceLayer *layer = fixture_load("sycl")->layer;
    VmafDevice *device = open_device(layer);
    for (size_t i = 0; i < set->count; i++) {
        const VmafDeviceKernel *kernel;
        const char *name = set->kernels[i].name;
        if (!all && strcmp(name, few[0]) != 0 && strcmp(name, few[1]) != 0)
            continue;
        if (layer->kernel_find(device, &kernel, name)) {
            char text[256];
            layer->last_error(device, text, sizeof(text));
            fail_msg("%s", text);
        }
    }
    layer->close(device);
}

/* All calls of a frame. What was submitted never ends, so that nothing is given back. */
CASE(given_intels_driver_it_takes_the_calls_of_a_frame)
{
    Trip trip;
    VmafDeviceTicket ticket;
    const VmafDeviceOpenParams usual = {.kernels = NULL};
    if (trip_begin(&trip, &usual) || trip_submit(&trip, 1, 0, &ticket)) {
        char text[256];
        trip.layer->last_error(trip.device, text, sizeof(text));
        fail_msg("%s", text);
    }
    const int err = trip.layer->wait(trip.queue, ticket, 20000000);
    if (err && err != -ETIMEDOUT)
        fail_msg("error %d", err);
}

int main(int argc, char **argv)
{
    VmafDeviceInfo info;
    char reason[256] = "";
    size_t count = 0;
    all = take_argument(&argc, &argv, "all");
    trip_use_layer("sycl");
    if (fixture_load("sycl")->layer->enumerate(&info, 1, &count, reason, sizeof(reason)) ||
        !count) {
        fprintf(stderr, "skipped: Intel's driver is not installed, or has no such mode: %s\n",
                reason);
        return EXIT_SKIPPED;
    }
    const int status = run_cases(argc, argv);
    fflush(stdout);
    _Exit(status); /* with work that never ends */
}
