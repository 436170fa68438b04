/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is CUDA's own: errors, devices and what they can do, contexts, code of kernels. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"
#include "platform/machine.h"

/* -- errors -- */

int driver_error_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return 0;
    /* After these nothing works in the context any more. The driver does not tell an unknown error
     * that passes from one that stays, so it counts as staying. */
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
        return -ENODEV;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return -ENOMEM;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
        return -EINVAL;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_ERROR_NOT_SUPPORTED:
        return -ENOTSUP;
    default:
        return -EIO;
    }
}

void driver_describe_result(CUresult result, char *text, size_t size)
{
    const char *name = NULL, *words = NULL;
    if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        snprintf(text, size, "CUresult %d", (int)result);
    else if (cuGetErrorString(result, &words) != CUDA_SUCCESS || !words)
        snprintf(text, size, "%.60s", name);
    else
        snprintf(text, size, "%.60s (%.100s)", name, words);
}

int driver_done(CudaDevice *device, CUresult result, const char *what)
{
    char words[192];
    if (result == CUDA_SUCCESS)
        return 0;
    driver_describe_result(result, words, sizeof(words));
    return vmaf_layer_state_failed(&device->base.state, driver_error_of(result), what, words);
}

void driver_ignore(CUresult result)
{
    (void)result;
}

/* -- the devices of the system -- */

/* What the kernels' PTX needs: version 6.3 of the language, for sm_70. */
enum { DRIVER_MIN = 10000, CAPABILITY_MIN = 7 };

int driver_start(char *reason, size_t reason_size)
{
    char text[192];
    int version = 0;
    CUresult result = cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE) {
        snprintf(reason, reason_size, "there is no NVIDIA GPU");
        return -ENXIO;
    }
    if (result == CUDA_SUCCESS)
        result = cuDriverGetVersion(&version);
    if (result != CUDA_SUCCESS) {
        driver_describe_result(result, text, sizeof(text));
        snprintf(reason, reason_size, "the NVIDIA driver does not start: %s", text);
        return result == CUDA_ERROR_OUT_OF_MEMORY ? -ENOMEM : -ENODEV;
    }
    if (version < DRIVER_MIN) {
        snprintf(reason, reason_size,
                 "the NVIDIA driver is too old: it supports CUDA %d.%d, not %d.%d", version / 1000,
                 version % 1000 / 10, DRIVER_MIN / 1000, DRIVER_MIN % 1000 / 10);
        return -ENODEV;
    }
    return 0;
}

/* 0 for attributes that the driver does not know. */
static int attribute(CUdevice handle, int which)
{
    int value;
    return cuDeviceGetAttribute(&value, which, handle) == CUDA_SUCCESS ? value : 0;
}

static VmafDeviceLimits limits_of(CUdevice handle)
{
    return (VmafDeviceLimits){
        .lanes = (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .lanes_x = (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
        .group_memory =
            (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .groups = {(uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                   (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                   (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
    };
}

/* Says why kernels cannot run there, if so. */
static void check_usable(CUdevice handle, VmafDeviceInfo *info)
{
    const int major = attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const VmafDeviceLimits limits = limits_of(handle);
    if (major < CAPABILITY_MIN)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has compute capability %d.%d, not %d.0 or later", info->name, major,
                 attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), CAPABILITY_MIN);
    else if (attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED)
        snprintf(info->unusable, sizeof(info->unusable),
                 "the compute mode of %.100s prohibits computing", info->name);
    else if (!attribute(handle, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING))
        snprintf(info->unusable, sizeof(info->unusable), "%.100s has no unified addressing",
                 info->name);
    else
        vmaf_device_check_limits(&limits, info);
}

/* Parts of a device have UUIDs of their own, which only the newer function tells. */
static CUresult find_uuid(CUdevice handle, CUuuid *uuid)
{
    if (cuDeviceGetUuid_v2)
        return cuDeviceGetUuid_v2(uuid, handle);
    return cuDeviceGetUuid ? cuDeviceGetUuid(uuid, handle) : CUDA_ERROR_NOT_SUPPORTED;
}

static void identify(CUdevice handle, VmafDeviceInfo *info)
{
    CUuuid uuid;
    if (cuDeviceGetPCIBusId(info->pci, (int)sizeof(info->pci), handle) == CUDA_SUCCESS)
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    if (find_uuid(handle, &uuid) == CUDA_SUCCESS) {
        memcpy(info->uuid, uuid.bytes, sizeof(uuid.bytes));
        info->identities |= VMAF_BACKEND_IDENTITY_UUID;
    }
}

static VmafDeviceCaps caps_of(CUdevice handle)
{
    size_t memory = 0;
    if (cuDeviceTotalMem_v2(&memory, handle) != CUDA_SUCCESS)
        memory = 0;
    return (VmafDeviceCaps){
        .memory_size = memory,
        .max_buffer_size = memory,
        .max_binding_size = memory < UINT32_MAX ? memory : UINT32_MAX,
        .binding_alignment = 256,
        .host_memory_alignment = attribute(handle, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)
                                     ? (uint32_t)vmaf_page_size()
                                     : 0,
        .copy_alignment = 1,
        .imports = 1u << VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .syncs = 1u << VMAF_BACKEND_SYNC_CUDA_STREAM | 1u << VMAF_BACKEND_SYNC_CUDA_EVENT,
        .compute_units = (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .copy_engines = (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        .subgroup_size = (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .group_memory =
            (uint32_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .unified_memory = attribute(handle, CU_DEVICE_ATTRIBUTE_INTEGRATED) &&
                          attribute(handle, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY),
        .addresses = true,
        .exact_float32 = true,
        .exact_float32_division = true,
        .exact_float64 = true,
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = true,
    };
}

static void describe_device(CUdevice handle, VmafDeviceInfo *info)
{
    int version = 0;
    if (cuDeviceGetName(info->name, sizeof(info->name), handle) != CUDA_SUCCESS)
        snprintf(info->name, sizeof(info->name), "NVIDIA GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    cuDriverGetVersion(&version);
    info->kind = attribute(handle, CU_DEVICE_ATTRIBUTE_INTEGRATED) ? VMAF_DEVICE_INTEGRATED
                                                                   : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(handle);
    identify(handle, info);
    check_usable(handle, info);
    snprintf(info->vendor, sizeof(info->vendor), "NVIDIA");
    snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d%s, compute capability %d.%d",
             version / 1000, version % 1000 / 10, cuda_has_graphs() ? "" : " without graphs",
             attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
             attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

uint32_t driver_count(void)
{
    int count = 0;
    return cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0 ? (uint32_t)count : 0;
}

bool driver_describe(uint32_t index, VmafStreamCandidate *candidate)
{
    CUdevice handle;
    if (cuDeviceGet(&handle, (int)index) != CUDA_SUCCESS)
        return false;
    candidate->handle = (uint64_t)handle;
    describe_device(handle, &candidate->info);
    return true;
}

/* -- opening -- */

int context_enter(CudaDevice *device)
{
    return driver_done(device, cuCtxPushCurrent_v2(device->context), "cuCtxPushCurrent");
}

void context_leave(CudaDevice *device)
{
    CUcontext context;
    (void)device;
    cuCtxPopCurrent_v2(&context);
}

static void adopt(CudaDevice *device, CUdevice handle, CUcontext context)
{
    device->handle = handle;
    device->context = context;
    device->capability = 10 * attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    device->max_pitch = (uint64_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
}

/* The context that all users of the driver's runtime share, so that no second one takes memory. */
int driver_open(CudaDevice *device, const VmafStreamCandidate *candidate)
{
    const CUdevice handle = (CUdevice)candidate->handle;
    CUcontext context;
    const CUresult result = cuDevicePrimaryCtxRetain(&context, handle);
    if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
        return vmaf_stream_fail(&device->base, -EIO,
                                "%.100s is in use by another process, or refuses to compute",
                                candidate->info.name);
    if (result == CUDA_SUCCESS)
        adopt(device, handle, context);
    return driver_done(device, result, "cuDevicePrimaryCtxRetain");
}

int driver_borrow(CudaDevice *device, const void *external, VmafStreamCandidate *candidate)
{
    CUcontext context = (CUcontext)(uintptr_t)((const CudaExternal *)external)->context;
    CUdevice handle = 0;
    if (!context)
        return vmaf_stream_fail(&device->base, -EINVAL, "the context is missing");
    CUresult result = cuCtxPushCurrent_v2(context);
    if (result == CUDA_SUCCESS) {
        result = cuCtxGetDevice(&handle);
        context_leave(device);
    }
    if (result != CUDA_SUCCESS)
        return driver_done(device, result, "the borrowed context");
    adopt(device, handle, context);
    candidate->handle = (uint64_t)handle;
    describe_device(handle, &candidate->info);
    return 0;
}

void driver_close(CudaDevice *device)
{
    if (!device->base.borrowed)
        cuDevicePrimaryCtxRelease(device->handle);
}

/* -- memory of the application -- */

int driver_check_plane(CudaDevice *device, const VmafStreamBuffer *plane, uint32_t number)
{
    unsigned type = 0;
    const CUresult result =
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, plane->address);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return vmaf_stream_fail(&device->base, -EINVAL, "plane %u is not in memory that CUDA knows",
                                number);
    return driver_done(device, result, "cuPointerGetAttribute");
}

/* -- kernels -- */

/*
 * Machine code for the device is preferred where the plugin has some; PTX runs everywhere: the
 * driver compiles it, and keeps the result in a cache of its own.
 */

/* "sm_86" as 86; 0 for others, among them "", which is PTX. */
static int architecture_of(const VmafKernelCode *code)
{
    return strncmp(code->architecture, "sm_", 3) == 0 ? atoi(code->architecture + 3) : 0;
}

/* Machine code runs on devices of its major version, of the same minor one or a later one. */
static bool runs_on(int architecture, int capability)
{
    return architecture / 10 == capability / 10 && architecture <= capability;
}

/* The machine code that is closest to the device; without, PTX. NULL: neither. */
static const VmafKernelCode *choose(const VmafKernel *kernel, int capability, bool machine_code)
{
    const VmafKernelCode *best = NULL;
    for (size_t i = 0; i < kernel->n_codes; i++) {
        const VmafKernelCode *code = &kernel->codes[i];
        const int architecture = architecture_of(code);
        const bool fits = architecture == 0 || (machine_code && runs_on(architecture, capability));
        if (fits && (!best || architecture > architecture_of(best)))
            best = code;
    }
    return best;
}

int driver_load_kernel(CudaDevice *device, CudaKernel *kernel, const VmafKernel *source)
{
    const VmafKernelCode *code = choose(source, device->capability, true);
    const VmafKernelCode *ptx = choose(source, device->capability, false);
    CUresult result =
        code ? cuda_load_code(kernel, source->name, code->code) : CUDA_ERROR_NO_BINARY_FOR_GPU;
    /* A driver older than the compiler, or a device that is alike in number only. */
    if (result != CUDA_SUCCESS && driver_error_of(result) != -ENODEV && ptx && code != ptx)
        result = cuda_load_code(kernel, source->name, ptx->code);
    return driver_done(device, result, source->name);
}
