/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opens devices; the layer. */
#include <errno.h>

#include "hip_internal.h"

static int hip_enter(VmafStreamDevice *device)
{
    const int err =
        hip_done(device, hip_make_current(((HipDevice *)device)->number), "hipSetDevice");
    if (err)
        hip_forget_errors(); /* hip_leave does not follow */
    return err;
}

static void hip_leave(VmafStreamDevice *device)
{
    (void)device;
    hip_restore();
}

static int hip_open(VmafStreamDevice *device, const VmafStreamCandidate *candidate,
                    const VmafDeviceOpenParams *params)
{
    (void)params;
    hip_adopt((HipDevice *)device, candidate);
    return 0;
}

/* All contexts of a device are one in ROCm, so that only its device counts. Which device is current
 * after popping is not said. */
static HipResult find_device(HipContext context, int *number)
{
    HipContext popped;
    int before;
    HipResult result = hip.GetDevice(&before);
    if (result == HIP_SUCCESS)
        result = hip.CtxPushCurrent(context);
    if (result != HIP_SUCCESS)
        return result;
    result = hip.CtxGetDevice(number);
    hip.CtxPopCurrent(&popped);
    hip.SetDevice(before);
    return result;
}

static int hip_borrow(VmafStreamDevice *device, const void *external,
                      VmafStreamCandidate *candidate, const VmafDeviceOpenParams *params)
{
    HipContext context = (HipContext)(uintptr_t)((const HipExternal *)external)->context;
    int number = 0;
    (void)params;
    if (!context)
        return vmaf_stream_fail(device, -EINVAL, "the context is missing");
    if (!hip.CtxPushCurrent || !hip.CtxPopCurrent || !hip.CtxGetDevice)
        return vmaf_stream_fail(device, -ENOTSUP, "this version of ROCm has no contexts");
    const HipResult result = find_device(context, &number);
    if (result != HIP_SUCCESS) {
        const int err = hip_done(device, result, "the borrowed context");
        hip_forget_errors();
        return err;
    }
    hip_describe((uint32_t)number, candidate);
    hip_adopt((HipDevice *)device, candidate);
    return 0;
}

static void hip_close(VmafStreamDevice *device)
{
    (void)device; /* devices are the runtime's own */
}

/* For memory that the kernel does not pin, such as mappings of files, versions of the runtime
 * return different errors, none of which harms the device. */
static HipResult register_host(void *memory, size_t bytes, unsigned flags)
{
    const HipResult result = hip.HostRegister(memory, bytes, flags);
    const int err = hip_error_of(result);
    const bool is_refused = err == -EINVAL || err == -EIO || result == HIP_ERROR_UNKNOWN;
    return is_refused ? HIP_ERROR_NOT_SUPPORTED : result;
}

VmafDriverCalls hip_calls = {
    .prefix = "hip",
    .not_ready = HIP_ERROR_NOT_READY,
    .stream_sync = VMAF_BACKEND_SYNC_HIP_STREAM,
    .stream_flags = HIP_STREAM_NON_BLOCKING,
    .order_flags = HIP_EVENT_DISABLE_TIMING,
    .mapped_flags = HIP_HOST_MAPPED,
    .done = hip_done,
    .note = hip_note,
    .host_register = register_host,
};

void hip_fill_calls(void)
{
    hip_calls.stream_create = hip.StreamCreateWithFlags;
    hip_calls.stream_destroy = hip.StreamDestroy;
    hip_calls.stream_synchronize = hip.StreamSynchronize;
    hip_calls.stream_wait_event = hip.StreamWaitEvent;
    hip_calls.event_create = hip.EventCreateWithFlags;
    hip_calls.event_destroy = hip.EventDestroy;
    hip_calls.event_record = hip.EventRecord;
    hip_calls.event_query = hip.EventQuery;
    hip_calls.event_elapsed_time = hip.EventElapsedTime;
    hip_calls.host_alloc = hip.HostMalloc;
    hip_calls.host_free = hip.HostFree;
    hip_calls.host_unregister = hip.HostUnregister;
    hip_calls.host_get_device_pointer = hip.HostGetDevicePointer;
    hip_calls.mem_alloc = hip.Malloc;
    hip_calls.mem_free = hip.Free;
    hip_calls.module_load_data = hip.ModuleLoadData;
    hip_calls.module_unload = hip.ModuleUnload;
    hip_calls.module_get_function = hip.ModuleGetFunction;
    hip_calls.launch_kernel = hip.ModuleLaunchKernel;
}

static const VmafStreamApi hip_api = {
    .layer = &vmaf_hip_layer,
    .no_device = "there is no AMD GPU",
    .driver = &hip_calls,
    .device_size = sizeof(HipDevice),
    .buffer_size = sizeof(VmafStreamBuffer),
    .kernel_size = sizeof(VmafDriverKernel),
    .image_size = sizeof(VmafStreamImage),
    .list_size = sizeof(VmafStreamCommandList),
    .start = hip_start,
    .count = hip_count,
    .describe = hip_describe,
    .open = hip_open,
    .borrow = hip_borrow,
    .close = hip_close,
    .enter = hip_enter,
    .leave = hip_leave,
    .image_import = hip_image_import,
    .kernel_load = hip_kernel_load,
    .copy = hip_copy,
    VMAF_DRIVER_STREAM_FUNCTIONS,
};

VMAF_STREAM_LAYER(vmaf_hip_layer, "hip", &hip_api);
