/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opens and closes devices; the layer. */
#include <errno.h>

#include "sycl_internal.h"

/* What the driver tells only as long as the device is well. */
static int prepare(SyclDevice *device, ze_driver_handle_t driver)
{
    device->compute = sycl_find_queues(device->device, false);
    device->copy = sycl_find_queues(device->device, true);
    if (!device->compute.n_queues)
        return vmaf_stream_fail(&device->head, -ENODEV, "the device was lost (its queues)");
    device->build_options = sycl_build_options(device->device);
    sycl_read_clock(device, driver);
    atomic_init(&device->n_streams, 0);
    vmaf_mutex_init(&device->event_lock);
    return 0;
}

static int open_device(VmafStreamDevice *base, const VmafStreamCandidate *candidate,
                       const VmafDeviceOpenParams *params)
{
    (void)params;
    SyclDevice *device = sycl_device(base);
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    device->device = (ze_device_handle_t)(uintptr_t)candidate->handle;
    ze_driver_handle_t driver = sycl_driver_of(device->device);
    if (!driver)
        return vmaf_stream_fail(base, -ENODEV, "the device has gone");
    int err = sycl_check(base, zeContextCreate(driver, &desc, &device->context), "zeContextCreate");
    if (err)
        return err;
    err = prepare(device, driver);
    if (err)
        zeContextDestroy(device->context);
    return err;
}

static int borrow(VmafStreamDevice *base, const void *handles, VmafStreamCandidate *candidate,
                  const VmafDeviceOpenParams *params)
{
    (void)params;
    SyclDevice *device = sycl_device(base);
    const SyclExternal *external = handles;
    device->context = (ze_context_handle_t)(uintptr_t)external->context;
    device->device = (ze_device_handle_t)(uintptr_t)external->device;
    ze_driver_handle_t driver = sycl_driver_of(device->device);
    if (!device->context || !driver)
        return vmaf_stream_fail(base, -EINVAL, "a handle of the device is missing or unknown");
    if (!sycl_describe_device(driver, device->device, candidate))
        return vmaf_stream_fail(base, -ENOTSUP, "the device is not a GPU");
    candidate->info.caps.syncs = 1u << VMAF_BACKEND_SYNC_ZE_EVENT;
    return prepare(device, driver);
}

static void close_device(VmafStreamDevice *base)
{
    SyclDevice *device = sycl_device(base);
    sycl_events_close(device);
    vmaf_mutex_destroy(&device->event_lock);
    if (!base->borrowed)
        zeContextDestroy(device->context);
}

static const VmafStreamApi api = {
    .layer = &vmaf_sycl_layer,
    .no_device = "there is no GPU with a driver for Level Zero",
    .device_size = sizeof(SyclDevice),
    .buffer_size = sizeof(VmafStreamBuffer),
    .list_size = sizeof(VmafStreamCommandList),
    .kernel_size = sizeof(SyclKernel),
    .image_size = sizeof(SyclImage),
    .start = sycl_start,
    .count = sycl_count,
    .describe = sycl_describe,
    .open = open_device,
    .borrow = borrow,
    .close = close_device,
    .memory_create = sycl_memory_create,
    .memory_destroy = sycl_memory_destroy,
    .image_import = sycl_image_import,
    .image_release = sycl_image_release,
    .kernel_load = sycl_kernel_load,
    .kernel_unload = sycl_kernel_unload,
    .stream_create = sycl_stream_create,
    .copy_stream_create = sycl_copy_stream_create,
    .stream_destroy = sycl_stream_destroy,
    .stream_settle = sycl_stream_settle,
    .stream_wait = sycl_stream_wait,
    .event_create = sycl_event_create,
    .event_destroy = sycl_event_destroy,
    .event_record = sycl_event_record,
    .event_query = sycl_event_query,
    .event_times = sycl_event_times,
    .sync_wait = sycl_sync_wait,
    .sync_signal = sycl_sync_signal,
    .copy = sycl_copy,
    .dispatch = sycl_dispatch,
    .barrier = sycl_barrier,
    .dispatch_prepare = sycl_dispatch_prepare,
    .dispatch_release = sycl_dispatch_release,
};

VMAF_STREAM_LAYER(vmaf_sycl_layer, "sycl", &api);
