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

/* Says why kernels cannot run there, if so. */
static void check_usable(CudaDeviceHandle handle, VmafDeviceInfo *info)
{
    const int major = attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR);
    if (major < CAPABILITY_MIN)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has compute capability %d.%d, not %d.0 or later", info->name, major,
                 attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR), CAPABILITY_MIN);
    else if (attribute(handle, CUDA_COMPUTE_MODE) == CUDA_COMPUTE_MODE_PROHIBITED)
        snprintf(info->unusable, sizeof(info->unusable),
                 "the compute mode of %.100s prohibits computing", info->name);
    else if (!attribute(handle, CUDA_UNIFIED_ADDRESSING))
        snprintf(info->unusable, sizeof(info->unusable), "%.100s has no unified addressing",
                 info->name);
    else if (!has_limits(handle))
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has smaller work-groups than kernels need", info->name);
}

/* Parts of a device have UUIDs of their own, which only the newer function tells. */
static bool find_uuid(CudaDeviceHandle handle, uint8_t bytes[16])
{
    CudaUuid uuid = {{0}};
    unsigned all = 0;
    CudaResult result = CUDA_ERROR_NOT_SUPPORTED;
    if (cuDeviceGetUuid_v2)
        result = cuDeviceGetUuid_v2(&uuid, handle);
    else if (cuDeviceGetUuid)
        result = cuDeviceGetUuid(&uuid, handle);
    for (size_t i = 0; i < sizeof(uuid.bytes); i++)
        all |= uuid.bytes[i];
    memcpy(bytes, uuid.bytes, sizeof(uuid.bytes));
    return result == CUDA_SUCCESS && all;
}

/* The id is the UUID, by which other interfaces know the device too; else where it is on the bus.
 */
static void identify(CudaDeviceHandle handle, VmafDeviceInfo *info)
{
    if (cuDeviceGetPCIBusId(info->pci, (int)sizeof(info->pci), handle) == CUDA_SUCCESS)
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    info->pci[sizeof(info->pci) - 1] = '\0';
    for (char *c = info->pci; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c);
    snprintf(info->id, sizeof(info->id), "%s", info->pci);
    if (!find_uuid(handle, info->uuid)) {
        if (!info->id[0])
            snprintf(info->id, sizeof(info->id), "device-%d", (int)handle);
        return;
    }
    info->identities |= VMAF_BACKEND_IDENTITY_UUID;
    for (size_t i = 0; i < sizeof(info->uuid); i++)
        snprintf(info->id + 2 * i, sizeof(info->id) - 2 * i, "%02x", info->uuid[i]);
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
        .copy_alignment = 1,
        .imports = 1u << VMAF_BACKEND_IMPORT_CUDA_POINTER,
        .syncs = 1u << VMAF_BACKEND_SYNC_CUDA_STREAM | 1u << VMAF_BACKEND_SYNC_CUDA_EVENT,
        .compute_units = (uint32_t)attribute(handle, CUDA_MULTIPROCESSOR_COUNT),
        .copy_engines = (uint32_t)attribute(handle, CUDA_ASYNC_ENGINE_COUNT),
        .subgroup_size = (uint32_t)attribute(handle, CUDA_WARP_SIZE),
        .group_memory = (uint32_t)attribute(handle, CUDA_MAX_SHARED_MEMORY_PER_BLOCK),
        .unified_memory =
            attribute(handle, CUDA_INTEGRATED) && attribute(handle, CUDA_CAN_MAP_HOST_MEMORY),
        .addresses = true,
        .exact_float32 = true,
        .exact_float32_division = true,
        .exact_float64 = true,
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = true,
    };
}

void cuda_describe(CudaDeviceHandle handle, CudaCandidate *candidate)
{
    VmafDeviceInfo *info = &candidate->info;
    int version = 0;
    *candidate = (CudaCandidate){.handle = handle};
    if (cuDeviceGetName(info->name, sizeof(info->name), handle) != CUDA_SUCCESS)
        snprintf(info->name, sizeof(info->name), "NVIDIA GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    cuDriverGetVersion(&version);
    const int major = attribute(handle, CUDA_COMPUTE_CAPABILITY_MAJOR);
    const int minor = attribute(handle, CUDA_COMPUTE_CAPABILITY_MINOR);
    candidate->capability = 10 * major + minor;
    candidate->max_pitch = (uint64_t)attribute(handle, CUDA_MAX_PITCH);
    info->kind = attribute(handle, CUDA_INTEGRATED) ? VMAF_DEVICE_INTEGRATED : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(handle);
    identify(handle, info);
    check_usable(handle, info);
    snprintf(info->vendor, sizeof(info->vendor), "NVIDIA");
    snprintf(info->driver, sizeof(info->driver), "CUDA %d.%d%s, compute capability %d.%d",
             version / 1000, version % 1000 / 10, cuda_has_graphs() ? "" : " without graphs", major,
             minor);
}

/* Appends the devices that are of this kind and usable, or not. */
static int find_some(bool usable, enum VmafDeviceKind kind, int count, int n,
                     CudaCandidate candidates[CUDA_CANDIDATES_MAX])
{
    for (int ordinal = 0; ordinal < count && n < CUDA_CANDIDATES_MAX; ordinal++) {
        CudaDeviceHandle handle;
        if (cuDeviceGet(&handle, ordinal) != CUDA_SUCCESS)
            continue;
        cuda_describe(handle, &candidates[n]);
        const VmafDeviceInfo *info = &candidates[n].info;
        if (usable == !info->unusable[0] && (!usable || info->kind == kind))
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
    int n = find_some(true, VMAF_DEVICE_DISCRETE, count, 0, candidates);
    n = find_some(true, VMAF_DEVICE_INTEGRATED, count, n, candidates);
    n = find_some(false, VMAF_DEVICE_DISCRETE, count, n, candidates);
    if (n && candidates[0].info.unusable[0])
        snprintf(reason, reason_size, "%s", candidates[0].info.unusable);
    return n;
}
