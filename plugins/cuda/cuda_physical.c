/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cuda_internal.h"
#include "platform/memory.h"

/* What device.h promises for every device. */
enum { LANES = 256, GROUP_MEMORY_BYTES = 32768, GROUPS = 65535 };
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
static int attribute(CudaDeviceHandle handle, int which)
{
    int value;
    return cuDeviceGetAttribute(&value, which, handle) == CUDA_SUCCESS ? value : 0;
}

static bool has_limits(CudaDeviceHandle handle)
{
    return attribute(handle, CUDA_MAX_THREADS_PER_BLOCK) >= LANES &&
           attribute(handle, CUDA_MAX_BLOCK_DIM_X) >= LANES &&
           attribute(handle, CUDA_MAX_SHARED_MEMORY_PER_BLOCK) >= GROUP_MEMORY_BYTES &&
           attribute(handle, CUDA_MAX_GRID_DIM_X) >= GROUPS &&
           attribute(handle, CUDA_MAX_GRID_DIM_Y) >= GROUPS &&
           attribute(handle, CUDA_MAX_GRID_DIM_Z) >= GROUPS;
}

/* 0; -ENOTSUP with the reason why kernels cannot run there. */
static int check_usable(CudaDeviceHandle handle, const char *name, char *reason, size_t reason_size)
{
    const int major = attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR);
    if (major < CAPABILITY_MIN)
        snprintf(reason, reason_size, "%.100s has compute capability %d.%d, not %d.0", name, major,
                 attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR), CAPABILITY_MIN);
    else if (attribute(handle, CUDA_COMPUTE_MODE) == CUDA_COMPUTE_MODE_PROHIBITED)
        snprintf(reason, reason_size, "the compute mode of %.100s prohibits computing", name);
    else if (!attribute(handle, CUDA_UNIFIED_ADDRESSING) || !has_limits(handle))
        snprintf(reason, reason_size, "%.100s lacks what is needed", name);
    else
        return 0;
    return -ENOTSUP;
}

/* The UUID, by which other interfaces know the device too; else where it is on the bus. */
static void identify(CudaDeviceHandle handle, char *id, size_t size)
{
    CudaUuid uuid = {{0}};
    unsigned all = 0;
    id[0] = '\0';
    const CudaResult result = cuDeviceGetUuid(&uuid, handle);
    for (size_t i = 0; i < sizeof(uuid.bytes); i++)
        all |= uuid.bytes[i];
    if (result == CUDA_SUCCESS && all) {
        for (size_t i = 0; i < sizeof(uuid.bytes); i++)
            snprintf(id + 2 * i, size - 2 * i, "%02x", uuid.bytes[i]);
    } else if (cuDeviceGetPCIBusId(id, (int)size, handle) != CUDA_SUCCESS) {
        snprintf(id, size, "device-%d", (int)handle);
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
            attribute(handle, CUDA_HOST_REGISTER_SUPPORTED) ? (uint32_t)vmaf_page_size() : 0,
        .unified_memory =
            attribute(handle, CUDA_INTEGRATED) && attribute(handle, CUDA_CAN_MAP_HOST_MEMORY),
        .exact_float64 = true,
        .timestamps = true,
    };
}

int cuda_describe(CudaDeviceHandle handle, CudaCandidate *candidate, char *reason,
                  size_t reason_size)
{
    VmafDeviceInfo *info = &candidate->info;
    int version = 0;
    *candidate = (CudaCandidate){.handle = handle};
    if (cuDeviceGetName(info->name, sizeof(info->name), handle) != CUDA_SUCCESS)
        snprintf(info->name, sizeof(info->name), "NVIDIA GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    if (check_usable(handle, info->name, reason, reason_size))
        return -ENOTSUP;
    cuDriverGetVersion(&version);
    candidate->max_pitch = (uint64_t)attribute(handle, CUDA_MAX_PITCH);
    info->kind = attribute(handle, CUDA_INTEGRATED) ? VMAF_DEVICE_INTEGRATED : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(handle);
    identify(handle, info->id, sizeof(info->id));
    snprintf(info->vendor, sizeof(info->vendor), "NVIDIA");
    snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d, compute capability %d.%d",
             version / 1000, version % 1000 / 10, attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR),
             attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR));
    return 0;
}

/* Appends the devices of one kind. */
static int find_kind(enum VmafDeviceKind kind, int count, int n,
                     CudaCandidate candidates[CUDA_CANDIDATES_MAX], char *reason,
                     size_t reason_size)
{
    for (int ordinal = 0; ordinal < count && n < CUDA_CANDIDATES_MAX; ordinal++) {
        CudaDeviceHandle handle;
        if (cuDeviceGet(&handle, ordinal) == CUDA_SUCCESS &&
            !cuda_describe(handle, &candidates[n], reason, reason_size) &&
            candidates[n].info.kind == kind)
            n++;
    }
    return n;
}

int cuda_find_candidates(CudaCandidate candidates[CUDA_CANDIDATES_MAX], char *reason,
                         size_t reason_size)
{
    int count = 0;
    snprintf(reason, reason_size, "there is no NVIDIA GPU");
    if (cuDeviceGetCount(&count) != CUDA_SUCCESS)
        return 0;
    const int n = find_kind(VMAF_DEVICE_DISCRETE, count, 0, candidates, reason, reason_size);
    return find_kind(VMAF_DEVICE_INTEGRATED, count, n, candidates, reason, reason_size);
}
