/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Which devices the Metal layer reports and opens, and those that an application lends it. */
#include <errno.h>
#include <string.h>

#include "application.h"
#include "layer_rules.h"
#include "metal_layer.h"
#include "support/cases.h"
#include "test_sets.h"

static const VmafDeviceLayer *layer;
static const VmafDeviceOpenParams usual;

static uint64_t count(const char *what)
{
    return emulated_metal_count(what);
}

CASE(given_objects_of_the_application_they_are_borrowed)
{
    for (int which = 1; which < 4; which++) { /* a device, a queue, both */
        Trip trip;
        metal_use_machine(NULL, "1");
        const MetalObject device = MTLCreateSystemDefaultDevice();
        const MetalObject queue = metal_new_queue(device, 64);
        MetalExternal external = {.device = which & 1 ? (uintptr_t)device : 0,
                                  .command_queue = which & 2 ? (uintptr_t)queue : 0};
        const VmafDeviceOpenParams params = {.external = &external};
        trip_start(&trip, &params);
        assert_string_equal(trip.device->info.name, "Emulated Apple GPU");
        assert_int_equal(count("MTLCommandQueue"), which & 2 ? 1 : 4);
        assert_int_equal(trip_run(&trip, 1), 0);
        assert_int_equal(trip_run(&trip, 2), 0);
        trip_end(&trip);
        metal_release(queue); /* they are still the application's */
        metal_release(device);
        metal_end(0);
    }
}

CASE(given_objects_that_do_not_fit_they_are_refused)
{
    MetalExternal external = {0};
    const VmafDeviceOpenParams params = {.external = &external};
    Trip trip;
    metal_use_machine("device Old GPU\n family apple5\ndevice New GPU\n family apple8", NULL);
    const MetalObject list = MTLCopyAllDevices();
    const MetalObject queue = metal_new_queue(metal_object_at(list, 1), 64);
    assert_int_equal(trip_begin(&trip, &params), -EINVAL); /* nothing at all */
    external.device = (uintptr_t)metal_object_at(list, 0);
    assert_int_equal(trip_begin(&trip, &params), -ENOTSUP);
    external.command_queue = (uintptr_t)queue; /* of the other one */
    assert_int_equal(trip_begin(&trip, &params), -EINVAL);
    metal_release(queue);
    metal_release(list);
    metal_end(0);
}

CASE(given_devices_they_are_described_and_usable_ones_come_first)
{
    VmafDeviceInfo infos[4];
    size_t n;
    char reason[256] = "";
    metal_use_machine("driver 13\n"
                      "device Radeon\n family mac2\n removable\n"
                      "device M2\n family apple8\n registry-id 77\n memory 48G\n max-buffer 12G\n"
                      "device A12\n family apple5\n",
                      NULL);
    assert_int_equal(layer->enumerate(infos, 4, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 3);
    const VmafDeviceInfo *info = &infos[0];
    assert_string_equal(info->name, "M2");
    assert_string_equal(info->id, "000000010000004d");
    assert_string_equal(info->vendor, "Apple");
    assert_non_null(strstr(info->driver, "macOS 13"));
    assert_int_equal(info->kind, VMAF_DEVICE_INTEGRATED);
    assert_string_equal(info->unusable, "");
    assert_true(info->caps.memory_size == UINT64_C(32) << 30);
    assert_true(info->caps.max_buffer_size == UINT64_C(12) << 30);
    assert_true(info->caps.max_binding_size == UINT32_MAX);
    assert_int_equal(info->caps.group_memory, 32768);
    assert_true(info->caps.unified_memory && info->caps.atomics32 && info->caps.timestamps);
    assert_false(info->caps.exact_float32 || info->caps.exact_float32_division ||
                 info->caps.exact_float64 || info->caps.addresses);
    assert_string_equal(infos[1].name, "Radeon");
    assert_string_equal(infos[1].unusable,
                        "Radeon is not one of Apple's GPUs of family 7 (M1) or newer");
    assert_int_equal(infos[1].kind, VMAF_DEVICE_DISCRETE);
    assert_string_equal(infos[2].unusable,
                        "A12 is not one of Apple's GPUs of family 7 (M1) or newer");

    layer_rules_refuse_device(layer, &infos[2], test_kernel_set("metal"));
    metal_end(0);
}

CASE(given_an_id_that_device_is_opened)
{
    VmafDeviceInfo infos[2];
    size_t n;
    char reason[256] = "";
    metal_use_machine("device One\n memory 8G\ndevice Two\n memory 8G", NULL);
    assert_int_equal(layer->enumerate(infos, 2, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 2);
    for (int i = 0; i < 2; i++) {
        const VmafDeviceOpenParams params = {.id = infos[i].id};
        const MetalObject list = MTLCopyAllDevices();
        Trip trip;
        trip_start(&trip, &params);
        assert_string_equal(trip.device->info.name, infos[i].name);
        /* Pictures have to be the same device's. */
        const MetalObject surface = metal_new_surface(64, 8, 1);
        const MetalObject texture =
            metal_new_texture_of(metal_object_at(list, (MetalUInteger)i),
                                 metal_texture_descriptor(objc_getClass("MTLTextureDescriptor"),
                                                          METAL_R8_UNORM, 64, 8, 0),
                                 surface, 0);
        const VmafBackendImport picture = {.struct_size = sizeof(picture),
                                           .kind = VMAF_BACKEND_IMPORT_METAL_TEXTURE,
                                           .width = 64,
                                           .height = 8,
                                           .depth = 8,
                                           .pixel_format = VMAF_BACKEND_PIXEL_400,
                                           .planes = 1,
                                           .n_handles = 1,
                                           .handles = {(uintptr_t)texture}};
        VmafDeviceImage *image;
        assert_int_equal(trip.layer->image_import(trip.device, &image, &picture), 0);
        trip.layer->image_destroy(trip.device, image);
        metal_release(texture);
        CFRelease(surface);
        metal_release(list);
        trip_end(&trip);
    }
    metal_end(0);
}

CASE(given_no_list_of_devices_the_default_one_is_taken)
{
    VmafDeviceInfo info;
    size_t n;
    char reason[256] = "";
    Trip trip;
    /* Several calls, each of which lists devices. */
    metal_use_machine("fail MTLCopyAllDevices 1 1; fail MTLCopyAllDevices 2 1;"
                      "fail MTLCopyAllDevices 3 1",
                      NULL);
    assert_int_equal(layer->enumerate(&info, 1, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 1);
    trip_start(&trip, &usual);
    assert_int_equal(trip_run(&trip, 1), 0);
    assert_int_equal(count("MTLCopyAllDevices"), 3);
    trip_end(&trip);
    metal_end(0);

    metal_use_machine("no-device", NULL);
    assert_int_equal(layer->enumerate(&info, 1, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 0);
    assert_string_equal(reason, "there is no GPU that Metal knows");
    assert_int_equal(trip_begin(&trip, &usual), -ENODEV);
    metal_end(0);
}

int main(int argc, char **argv)
{
    layer = fixture_load("metal")->layer;
    trip_use_layer("metal");
    return run_cases(argc, argv);
}
