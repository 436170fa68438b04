/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opening devices, and the functions of the layer. */
#include <errno.h>

#include "metal_internal.h"

/* The autorelease pool for the calls of this thread, between enter and leave. */
static _Thread_local void *pool;

static int metal_enter(VmafStreamDevice *device)
{
    (void)device;
    pool = objc_autoreleasePoolPush();
    return 0;
}

static void metal_leave(VmafStreamDevice *device)
{
    (void)device;
    objc_autoreleasePoolPop(pool);
}

static int metal_open(VmafStreamDevice *base, const VmafStreamCandidate *candidate,
                      const VmafDeviceOpenParams *params)
{
    MetalDevice *device = (MetalDevice *)base;
    (void)params;
    metal_enter(base);
    device->device = metal_new_device(candidate);
    metal_leave(base);
    if (!device->device)
        return vmaf_stream_fail(base, -ENODEV, "the device is gone");
    vmaf_mutex_init(&device->lock);
    return 0;
}

static int borrow(MetalDevice *device, const MetalExternal *external,
                  VmafStreamCandidate *candidate)
{
    const MetalObject queue = (MetalObject)(uintptr_t)external->command_queue;
    MetalObject lent = (MetalObject)(uintptr_t)external->device;
    if (!lent && queue)
        lent = metal_device_of(queue);
    if (!lent)
        return vmaf_stream_fail(&device->head, -EINVAL, "the device is missing");
    if (queue && metal_device_of(queue) != lent)
        return vmaf_stream_fail(&device->head, -EINVAL, "the queue is another device's");
    metal_describe_device(lent, candidate);
    device->device = metal_retain(lent);
    device->queue = queue ? metal_retain(queue) : NULL;
    return 0;
}

static int metal_borrow(VmafStreamDevice *base, const void *external,
                        VmafStreamCandidate *candidate, const VmafDeviceOpenParams *params)
{
    MetalDevice *device = (MetalDevice *)base;
    (void)params;
    metal_enter(base);
    const int err = borrow(device, external, candidate);
    metal_leave(base);
    if (!err)
        vmaf_mutex_init(&device->lock);
    return err;
}

static void metal_close(VmafStreamDevice *base)
{
    MetalDevice *device = (MetalDevice *)base;
    metal_enter(base);
    if (device->queue)
        metal_release(device->queue);
    metal_release(device->device);
    metal_leave(base);
    vmaf_mutex_destroy(&device->lock);
}

static const VmafStreamApi metal_api = {
    .layer = &vmaf_metal_layer,
    .no_device = "there is no GPU that Metal knows",
    .device_size = sizeof(MetalDevice),
    .buffer_size = sizeof(VmafStreamBuffer),
    .kernel_size = sizeof(MetalKernel),
    .image_size = sizeof(MetalImage),
    .list_size = sizeof(VmafStreamCommandList),
    .start = metal_start,
    .count = metal_device_count,
    .describe = metal_describe,
    .open = metal_open,
    .borrow = metal_borrow,
    .close = metal_close,
    .enter = metal_enter,
    .leave = metal_leave,
    .memory_create = metal_memory_create,
    .memory_destroy = metal_memory_destroy,
    .image_import = metal_image_import,
    .image_release = metal_image_release,
    .kernel_load = metal_kernel_load,
    .kernel_unload = metal_kernel_unload,
    .stream_create = metal_stream_create,
    .stream_destroy = metal_stream_destroy,
    .stream_flush = metal_stream_flush,
    .stream_settle = metal_stream_settle,
    .stream_wait = metal_stream_wait,
    .event_create = metal_event_create,
    .event_destroy = metal_event_destroy,
    .event_record = metal_event_record,
    .event_query = metal_event_query,
    .event_times = metal_event_times,
    .sync_wait = metal_sync_wait,
    .sync_signal = metal_sync_signal,
    .copy = metal_copy_rows,
    .dispatch = metal_run,
    .barrier = metal_barrier,
};

VMAF_STREAM_LAYER(vmaf_metal_layer, "metal", &metal_api);
