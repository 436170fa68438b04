/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cuda_internal.h"
#include "layer_state.h"
#include "platform/machine.h"

/* What the kernels' PTX needs: version 6.3 of the language, for sm_70. */
enum { DRIVER_MIN = 10000, CAPABILITY_MIN = 7 };

int cuda_start(char *reason, size_t reason_size)
{
    char text[192];
    int version = 0;
    CudaResult result = cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE) {
        snprintf(reason, reason_size, "there is no NVIDIA GPU");
        return -ENXIO;
    }
    if (result == CUDA_SUCCESS)
        result = cuDriverGetVersion(&version);
    if (result != CUDA_SUCCESS) {
        cuda_describe_result(result, text, sizeof(text));
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
int cuda_attribute(CudaDeviceHandle handle, int which)
{
    int value;
    return cuDeviceGetAttribute(&value, which, handle) == CUDA_SUCCESS ? value : 0;
}

static VmafDeviceLimits limits_of(CudaDeviceHandle handle)
{
    return (VmafDeviceLimits){
        .lanes = (uint32_t)cuda_attribute(handle, CUDA_MAX_THREADS_PER_BLOCK),
        .lanes_x = (uint32_t)cuda_attribute(handle, CUDA_MAX_BLOCK_DIM_X),
        .group_memory = (uint32_t)cuda_attribute(handle, CUDA_MAX_SHARED_MEMORY_PER_BLOCK),
        .groups = {(uint32_t)cuda_attribute(handle, CUDA_MAX_GRID_DIM_X),
                   (uint32_t)cuda_attribute(handle, CUDA_MAX_GRID_DIM_Y),
                   (uint32_t)cuda_attribute(handle, CUDA_MAX_GRID_DIM_Z)},
    };
}

/* Says why kernels cannot run there, if so. */
static void check_usable(CudaDeviceHandle handle, VmafDeviceInfo *info)
{
    const int major = cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR);
    const VmafDeviceLimits limits = limits_of(handle);
    if (major < CAPABILITY_MIN)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has compute capability %d.%d, not %d.0 or later", info->name, major,
                 cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR), CAPABILITY_MIN);
    else if (cuda_attribute(handle, CUDA_COMPUTE_MODE) == CUDA_COMPUTE_MODE_PROHIBITED)
        snprintf(info->unusable, sizeof(info->unusable),
                 "the compute mode of %.100s prohibits computing", info->name);
    else if (!cuda_attribute(handle, CUDA_UNIFIED_ADDRESSING))
        snprintf(info->unusable, sizeof(info->unusable), "%.100s has no unified addressing",
                 info->name);
    else
        vmaf_device_check_limits(&limits, info);
}

/* Parts of a device have UUIDs of their own, which only the newer function tells. */
static CudaResult find_uuid(CudaDeviceHandle handle, CudaUuid *uuid)
{
    if (cuDeviceGetUuid_v2)
        return cuDeviceGetUuid_v2(uuid, handle);
    return cuDeviceGetUuid ? cuDeviceGetUuid(uuid, handle) : CUDA_ERROR_NOT_SUPPORTED;
}

static void identify(CudaDeviceHandle handle, VmafDeviceInfo *info)
{
    CudaUuid uuid;
    if (cuDeviceGetPCIBusId(info->pci, (int)sizeof(info->pci), handle) == CUDA_SUCCESS)
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    if (find_uuid(handle, &uuid) == CUDA_SUCCESS) {
        memcpy(info->uuid, uuid.bytes, sizeof(uuid.bytes));
        info->identities |= VMAF_BACKEND_IDENTITY_UUID;
    }
}

static VmafDeviceCaps caps_of(CudaDeviceHandle handle)
{
    size_t memory = 0;
    if (cuDeviceTotalMem_v2(&memory, handle) != CUDA_SUCCESS)
        memory = 0;
    return (VmafDeviceCaps){
        .memory_size = memory,
        .max_buffer_size = memory,
        .max_binding_size = memory < UINT32_MAX ? memory : UINT32_MAX,
        .binding_alignment = 256,
        .host_memory_alignment =
            cuda_attribute(handle, CUDA_HOST_REGISTER_SUPPORTED) ? (uint32_t)vmaf_page_size() : 0,
        .copy_alignment = 1,
        .imports = 1u << VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .syncs = 1u << VMAF_BACKEND_SYNC_CUDA_STREAM | 1u << VMAF_BACKEND_SYNC_CUDA_EVENT,
        .compute_units = (uint32_t)cuda_attribute(handle, CUDA_MULTIPROCESSOR_COUNT),
        .copy_engines = (uint32_t)cuda_attribute(handle, CUDA_ASYNC_ENGINE_COUNT),
        .subgroup_size = (uint32_t)cuda_attribute(handle, CUDA_WARP_SIZE),
        .group_memory = (uint32_t)cuda_attribute(handle, CUDA_MAX_SHARED_MEMORY_PER_BLOCK),
        .unified_memory = cuda_attribute(handle, CUDA_INTEGRATED) &&
                          cuda_attribute(handle, CUDA_CAN_MAP_HOST_MEMORY),
        .addresses = true,
        .exact_float32 = true,
        .exact_float32_division = true,
        .exact_float64 = true,
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = true,
    };
}

void cuda_describe_device(CudaDeviceHandle handle, VmafDeviceInfo *info)
{
    int version = 0;
    if (cuDeviceGetName(info->name, sizeof(info->name), handle) != CUDA_SUCCESS)
        snprintf(info->name, sizeof(info->name), "NVIDIA GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    cuDriverGetVersion(&version);
    info->kind =
        cuda_attribute(handle, CUDA_INTEGRATED) ? VMAF_DEVICE_INTEGRATED : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(handle);
    identify(handle, info);
    check_usable(handle, info);
    snprintf(info->vendor, sizeof(info->vendor), "NVIDIA");
    snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d%s, compute capability %d.%d",
             version / 1000, version % 1000 / 10, cuda_has_graphs() ? "" : " without graphs",
             cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR),
             cuda_attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR));
}

uint32_t cuda_count(void)
{
    int count = 0;
    return cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0 ? (uint32_t)count : 0;
}

bool cuda_describe(uint32_t index, VmafStreamCandidate *candidate)
{
    CudaDeviceHandle handle;
    if (cuDeviceGet(&handle, (int)index) != CUDA_SUCCESS)
        return false;
    candidate->handle = (uint64_t)handle;
    cuda_describe_device(handle, &candidate->info);
    return true;
}
