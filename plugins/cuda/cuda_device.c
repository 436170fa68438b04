/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opens devices; the layer. */
#include <errno.h>

#include "cuda_internal.h"

static int cuda_enter(VmafStreamDevice *device)
{
    return cuda_done(device, cuCtxPushCurrent_v2(((CudaDevice *)device)->context),
                     "cuCtxPushCurrent");
}

static void cuda_leave(VmafStreamDevice *device)
{
    CudaContext context;
    (void)device;
    cuCtxPopCurrent_v2(&context);
}

static void adopt(CudaDevice *device, CudaDeviceHandle handle, CudaContext context)
{
    device->handle = handle;
    device->context = context;
    device->capability = 10 * cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR) +
                         cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR);
    device->max_pitch = (uint64_t)cuda_attribute(handle, CUDA_MAX_PITCH);
}

/* The context that all users of the driver's runtime share, so that no second one takes memory. */
static int cuda_open(VmafStreamDevice *base, const VmafStreamCandidate *candidate,
                     const VmafDeviceOpenParams *params)
{
    const CudaDeviceHandle handle = (CudaDeviceHandle)candidate->handle;
    CudaContext context;
    (void)params;
    const CudaResult result = cuDevicePrimaryCtxRetain(&context, handle);
    if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
        return vmaf_stream_fail(base, -EIO,
                                "%.100s is in use by another process, or refuses to compute",
                                candidate->info.name);
    if (result == CUDA_SUCCESS)
        adopt((CudaDevice *)base, handle, context);
    return cuda_done(base, result, "cuDevicePrimaryCtxRetain");
}

static int cuda_borrow(VmafStreamDevice *base, const void *external, VmafStreamCandidate *candidate,
                       const VmafDeviceOpenParams *params)
{
    CudaContext context = (CudaContext)(uintptr_t)((const CudaExternal *)external)->context;
    CudaDeviceHandle handle = 0;
    (void)params;
    if (!context)
        return vmaf_stream_fail(base, -EINVAL, "the context is missing");
    CudaResult result = cuCtxPushCurrent_v2(context);
    if (result == CUDA_SUCCESS) {
        result = cuCtxGetDevice(&handle);
        cuda_leave(base);
    }
    if (result != CUDA_SUCCESS)
        return cuda_done(base, result, "the borrowed context");
    adopt((CudaDevice *)base, handle, context);
    candidate->handle = (uint64_t)handle;
    cuda_describe_device(handle, &candidate->info);
    return 0;
}

static void cuda_close(VmafStreamDevice *base)
{
    if (!base->borrowed)
        cuDevicePrimaryCtxRelease(((CudaDevice *)base)->handle);
}

/* For memory that cannot be pinned, versions of the driver return different errors, none of which
 * harms the device. */
static CudaResult register_host(void *memory, size_t bytes, unsigned flags)
{
    const CudaResult result = cuMemHostRegister_v2(memory, bytes, flags);
    const int err = cuda_error_of(result);
    const bool is_refused = err == -EINVAL || err == -EIO || result == CUDA_ERROR_UNKNOWN;
    return is_refused ? CUDA_ERROR_NOT_SUPPORTED : result;
}

const VmafDriverCalls cuda_calls = {
    .prefix = "cu",
    .not_ready = CUDA_ERROR_NOT_READY,
    .stream_sync = VMAF_BACKEND_SYNC_CUDA_STREAM,
    .stream_flags = CUDA_STREAM_NON_BLOCKING,
    .order_flags = CUDA_EVENT_DISABLE_TIMING,
    .mapped_flags = CUDA_HOST_MAPPED,
    .done = cuda_done,
    .stream_create = cuStreamCreate,
    .stream_destroy = cuStreamDestroy_v2,
    .stream_synchronize = cuStreamSynchronize,
    .stream_wait_event = cuStreamWaitEvent,
    .event_create = cuEventCreate,
    .event_destroy = cuEventDestroy_v2,
    .event_record = cuEventRecord,
    .event_query = cuEventQuery,
    .event_elapsed_time = cuEventElapsedTime,
    .host_alloc = cuMemHostAlloc,
    .host_free = cuMemFreeHost,
    .host_register = register_host,
    .host_unregister = cuMemHostUnregister,
    .host_get_device_pointer = cuMemHostGetDevicePointer_v2,
    .mem_alloc = cuMemAlloc_v2,
    .mem_free = cuMemFree_v2,
    .module_load_data = cuModuleLoadData,
    .module_unload = cuModuleUnload,
    .module_get_function = cuModuleGetFunction,
    .launch_kernel = cuLaunchKernel,
};

static const VmafStreamApi cuda_api = {
    .layer = &vmaf_cuda_layer,
    .no_device = "there is no NVIDIA GPU",
    .driver = &cuda_calls,
    .device_size = sizeof(CudaDevice),
    .buffer_size = sizeof(VmafStreamBuffer),
    .kernel_size = sizeof(VmafDriverKernel),
    .image_size = sizeof(VmafStreamImage),
    .list_size = sizeof(CudaCommandList),
    .start = cuda_start,
    .count = cuda_count,
    .describe = cuda_describe,
    .open = cuda_open,
    .borrow = cuda_borrow,
    .close = cuda_close,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .image_import = cuda_image_import,
    .kernel_load = cuda_kernel_load,
    .copy = cuda_copy,
    .list_prepare = cuda_list_prepare,
    .list_run = cuda_list_run,
    .list_release = cuda_list_release,
    VMAF_DRIVER_STREAM_FUNCTIONS,
};

VMAF_STREAM_LAYER(vmaf_cuda_layer, "cuda", &cuda_api);
