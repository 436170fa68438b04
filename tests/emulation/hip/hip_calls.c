/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Functions of HIP that are fronts of the driver's: contexts, memory, copies, streams, modules. */
#include "hip.h"

#include "driver_module.h"
#include "guarded_memory.h"
#include "hip_code.h"

/* -- contexts, which HIP keeps for programs that come from CUDA -- */

HipResult hipCtxCreate(CudaContext *context, unsigned flags, CudaDeviceHandle device)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxCreate_v2(context, flags, device));
}

HipResult hipCtxDestroy(CudaContext context)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxDestroy_v2(context));
}

HipResult hipCtxPushCurrent(CudaContext context)
{
    HIP_CALL(HIP_NEEDS_INIT, cuCtxPushCurrent_v2(context));
}

/* The device of the popped context stays current, which surprises programs that come from CUDA. */
static HipResult pop(CudaContext *context)
{
    CudaContext popped = NULL;
    const HipResult result = cuCtxPopCurrent_v2(&popped);
    if (result != hipSuccess)
        return result;
    if (context)
        *context = popped;
    return popped->magic == DRIVER_ALIVE ? cuCtxSetCurrent(popped) : hipSuccess;
}

HipResult hipCtxPopCurrent(CudaContext *context)
{
    HIP_CALL(HIP_NEEDS_INIT, pop(context));
}

HipResult hipCtxGetDevice(CudaDeviceHandle *device)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuCtxGetDevice(device));
}

/* -- memory -- */

/* Of the host's memory: what the driver has, too; there are more, of caches and NUMA nodes. */
enum { HOST_FLAGS = 7 };

static void *pointer_of(CudaAddress address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static HipResult allocate(void **address, size_t bytes)
{
    CudaAddress allocated = 0;
    if (!address)
        return hipErrorInvalidValue;
    *address = NULL;
    if (bytes == 0) /* which HIP allows */
        return hipSuccess;
    const HipResult result = cuMemAlloc_v2(&allocated, bytes);
    *address = pointer_of(allocated);
    return result;
}

HipResult hipMalloc(void **address, size_t bytes)
{
    HIP_CALL(HIP_NEEDS_DEVICE, allocate(address, bytes));
}

HipResult hipFree(void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, address ? cuMemFree_v2(hip_address(address)) : hipSuccess);
}

HipResult hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostAlloc(memory, bytes, flags & HOST_FLAGS));
}

HipResult hipHostFree(void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, memory ? cuMemFreeHost(memory) : hipSuccess);
}

HipResult hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostRegister_v2(memory, bytes, flags));
}

HipResult hipHostUnregister(void *memory)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemHostUnregister(memory));
}

static HipResult get_device_pointer(void **address, void *memory, unsigned flags)
{
    CudaAddress found = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemHostGetDevicePointer_v2(&found, memory, flags);
    *address = pointer_of(found);
    return result;
}

HipResult hipHostGetDevicePointer(void **address, void *memory, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_device_pointer(address, memory, flags));
}

static HipResult get_range(void **base, size_t *size, void *address)
{
    const Memory *found = guarded_find(hip_address(address));
    if (!found)
        return hipErrorNotFound;
    if (base)
        *base = pointer_of(found->address);
    if (size)
        *size = found->size;
    return hipSuccess;
}

HipResult hipMemGetAddressRange(void **base, size_t *size, void *address)
{
    HIP_CALL(HIP_NEEDS_DEVICE, get_range(base, size, address));
}

/* -- copies -- */

enum When { NOW, WHEN_IT_IS_ITS_TURN };

/* Where a copy begins or ends, by its kind. */
static uint32_t source_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_HOST_TO_DEVICE ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static uint32_t destination_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_DEVICE_TO_HOST ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static HipResult copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, enum When when, CudaStream stream)
{
    const CudaCopy2D copy = {.src_type = source_of(kind),
                             .src_host = src,
                             .src_device = hip_address(src),
                             .src_pitch = src_pitch,
                             .dst_type = destination_of(kind),
                             .dst_host = dst,
                             .dst_device = hip_address(dst),
                             .dst_pitch = dst_pitch,
                             .width = width,
                             .height = height};
    if (kind < HIP_HOST_TO_HOST || kind > HIP_COPY_DEFAULT)
        return hipErrorInvalidMemcpyDirection;
    if (height > 1 && (dst_pitch < width || src_pitch < width))
        return hipErrorInvalidPitchValue;
    return when == NOW ? cuMemcpy2D_v2(&copy) : cuMemcpy2DAsync_v2(&copy, stream);
}

static HipResult copy_bytes(void *dst, const void *src, size_t bytes, int kind, enum When when,
                            CudaStream stream)
{
    if (bytes > 0 && (!dst || !src))
        return hipErrorInvalidValue;
    return copy_rows(dst, bytes, src, bytes, bytes, 1, kind, when, stream);
}

HipResult hipMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_bytes(dst, src, bytes, kind, NOW, NULL));
}

HipResult hipMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_bytes(dst, src, bytes, kind, WHEN_IT_IS_ITS_TURN, stream));
}

HipResult hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_rows(dst, dst_pitch, src, src_pitch, width, height, kind,
                                         WHEN_IT_IS_ITS_TURN, stream));
}

/* -- fills -- */

HipResult hipMemsetAsync(void *dst, int value, size_t count, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE,
             cuMemsetD8Async(hip_address(dst), (unsigned char)value, count, stream));
}

/* -- streams -- */

/* Of events: what the driver has, too; there are more, of caches. */
enum { EVENT_FLAGS = 7 };

HipResult hipStreamCreate(CudaStream *stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamCreate(stream, 0));
}

HipResult hipStreamCreateWithFlags(CudaStream *stream, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamCreate(stream, flags));
}

HipResult hipStreamDestroy(CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamDestroy_v2(stream));
}

HipResult hipStreamSynchronize(CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamSynchronize(stream));
}

HipResult hipStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuStreamWaitEvent(stream, event, flags));
}

/* -- events -- */

HipResult hipEventCreateWithFlags(CudaEvent *event, unsigned flags)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventCreate(event, flags & EVENT_FLAGS));
}

HipResult hipEventDestroy(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventDestroy_v2(event));
}

HipResult hipEventRecord(CudaEvent event, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventRecord(event, stream));
}

HipResult hipEventQuery(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventQuery(event));
}

HipResult hipEventSynchronize(CudaEvent event)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventSynchronize(event));
}

HipResult hipEventElapsedTime(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuEventElapsedTime(milliseconds, begin, end));
}

/* -- modules -- */

enum { MAX_EXTRA = 8 }; /* words of a launch's list */

HipResult hipModuleLoadData(CudaModule *module, const void *image)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleLoadData(module, image));
}

HipResult hipModuleUnload(CudaModule module)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleUnload(module));
}

HipResult hipModuleGetFunction(CudaFunction *function, CudaModule module, const char *name)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleGetFunction(function, module, name));
}

/* The driver's list ends with another word. */
static HipResult convert_extra(void **extra, void *converted[MAX_EXTRA + 1])
{
    int n = 0;
    while (extra[n] != HIP_PARAM_END) {
        if (n + 2 > MAX_EXTRA ||
            (extra[n] != HIP_PARAM_BUFFER && extra[n] != HIP_PARAM_BUFFER_SIZE))
            return hipErrorInvalidValue;
        converted[n] = extra[n];
        converted[n + 1] = extra[n + 1];
        n += 2;
    }
    converted[n] = NULL;
    return hipSuccess;
}

/* Whether groups are those that the kernel was written for; with others it would go wrong. */
static HipResult check_lanes(const CudaKernelNode *launch)
{
    if (!driver_is_function(launch->function))
        return hipErrorInvalidHandle;
    const VmafKernel *source = ((const HipKernel *)launch->function->kernel.entry)->source;
    if (launch->block_x == source->lanes[0] && launch->block_y == source->lanes[1] &&
        launch->block_z == 1)
        return hipSuccess;
    machine_complain("kernel %s is launched with groups of %ux%ux%u lanes, and has %ux%u",
                     source->name, launch->block_x, launch->block_y, launch->block_z,
                     source->lanes[0], source->lanes[1]);
    return hipErrorInvalidConfiguration;
}

static HipResult launch_kernel(CudaKernelNode launch, CudaStream stream)
{
    void *converted[MAX_EXTRA + 1];
    HipResult result = check_lanes(&launch);
    if (result == hipSuccess && launch.extra) {
        result = convert_extra(launch.extra, converted);
        launch.extra = converted;
    }
    if (result != hipSuccess)
        return result;
    return cuLaunchKernel(launch.function, launch.grid_x, launch.grid_y, launch.grid_z,
                          launch.block_x, launch.block_y, launch.block_z, launch.shared_bytes,
                          stream, launch.parameters, launch.extra);
}

HipResult hipModuleLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared_bytes, CudaStream stream,
                                void **parameters, void **extra)
{
    const CudaKernelNode launch = {.function = function,
                                   .grid_x = grid_x,
                                   .grid_y = grid_y,
                                   .grid_z = grid_z,
                                   .block_x = block_x,
                                   .block_y = block_y,
                                   .block_z = block_z,
                                   .shared_bytes = shared_bytes,
                                   .parameters = parameters,
                                   .extra = extra};
    HIP_CALL(HIP_NEEDS_DEVICE, launch_kernel(launch, stream));
}
