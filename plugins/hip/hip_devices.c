/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The devices of the system, what they can do, opening them. A device's handle is its number, and
 * in the upper half one more than the number, for hip_chip_with_code, of the chip whose code it
 * takes, where its chip is unknown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_internal.h"
#include "platform/machine.h"

static int number_of(uint64_t handle)
{
    return (int)(uint32_t)handle;
}

int driver_start(char *reason, size_t reason_size)
{
    char text[192];
    int count = 0;
    const int err = hip_load(reason, reason_size);
    if (err)
        return err;
    hipError_t result = hip_note(hip.Init(0));
    if (result == hipSuccess)
        result = hip_note(hip.GetDeviceCount(&count));
    hip_forget_errors();
    /* ROCm 5.2 says "invalid device" where there is none. */
    if (result == hipErrorNoDevice || result == hipErrorInvalidDevice || (!result && !count)) {
        snprintf(reason, reason_size, "%s",
                 hip_topology_has_gpu()
                     ? "ROCm shows no AMD GPU, though the kernel has one: may this user open "
                       "/dev/kfd and /dev/dri/renderD*?"
                     : "there is no AMD GPU");
        return -ENXIO;
    }
    if (result == hipSuccess)
        return 0;
    driver_describe_result(result, text, sizeof(text));
    snprintf(reason, reason_size, "ROCm does not start: %s", text);
    return result == hipErrorOutOfMemory ? -ENOMEM : -ENODEV;
}

/* 0 for attributes that the runtime does not know. Some limits do not fit, and look negative. */
static uint32_t attribute(int number, int which)
{
    int value;
    const hipError_t result = hip_note(hip.DeviceGetAttribute(&value, which, number));
    return result == hipSuccess ? (uint32_t)value : 0;
}

static VmafDeviceLimits limits_of(int number)
{
    return (VmafDeviceLimits){
        .lanes = attribute(number, hipDeviceAttributeMaxThreadsPerBlock),
        .lanes_x = attribute(number, hipDeviceAttributeMaxBlockDimX),
        .group_memory = attribute(number, hipDeviceAttributeMaxSharedMemoryPerBlock),
        .groups = {attribute(number, hipDeviceAttributeMaxGridDimX),
                   attribute(number, hipDeviceAttributeMaxGridDimY),
                   attribute(number, hipDeviceAttributeMaxGridDimZ)},
    };
}

/* -- chips -- */

static bool has_kernels(const char *chip)
{
    const VmafKernel *kernel = vmaf_hip_kernels->kernels;
    size_t i = 0;
    while (i < kernel->n_codes && !hip_code_fits(kernel->codes[i].architecture, chip))
        i++;
    return i < kernel->n_codes;
}

static hipError_t try_code(const VmafKernelCode *code, const char *chip)
{
    hipModule_t module;
    void *copy;
    const void *image = hip_code_for(code, chip, &copy);
    const hipError_t result =
        image ? hip_note(hip.ModuleLoadData(&module, image)) : hipErrorOutOfMemory;
    if (result == hipSuccess)
        hip.ModuleUnload(module);
    free(copy);
    return result;
}

/* Finds the chip, as hip_chip_with_code counts them, whose code of a kernel the driver takes: that
 * identifies the chip. Without memory the driver could take none. */
static size_t try_chips(const VmafKernel *kernel, int number, hipError_t *result)
{
    const VmafKernelCode *code;
    const char *chip;
    size_t i = 0;
    *result = hip_make_current(number);
    if (*result != hipSuccess)
        return i;
    while ((chip = hip_chip_with_code(kernel, i, &code))) {
        *result = try_code(code, chip);
        if (*result == hipSuccess || driver_error_of(*result) == -ENOMEM)
            break;
        i++;
    }
    hip_restore();
    return i;
}

/* Where the chip is not known by name. */
static void find_architecture(VmafStreamCandidate *candidate, char chip[HIP_CHIP_SIZE])
{
    const VmafKernel *kernel = vmaf_hip_kernels->kernels;
    VmafDeviceInfo *info = &candidate->info;
    char text[160];
    const VmafKernelCode *code;
    hipError_t result;
    const size_t taken = try_chips(kernel, number_of(candidate->handle), &result);
    if (result == hipSuccess) {
        candidate->handle |= (uint64_t)(taken + 1) << 32;
        snprintf(chip, HIP_CHIP_SIZE, "%s", hip_chip_with_code(kernel, taken, &code));
    } else if (driver_error_of(result) == -ENOTSUP) {
        snprintf(info->unusable, sizeof(info->unusable), "no kernels for the chip of %.100s",
                 info->name);
    } else {
        driver_describe_result(result, text, sizeof(text));
        snprintf(info->unusable, sizeof(info->unusable), "%.60s loads no kernels: %s", info->name,
                 text);
    }
}

/* Names the chip, or says why kernels cannot run there. */
static void find_chip(VmafStreamCandidate *candidate, char chip[HIP_CHIP_SIZE])
{
    VmafDeviceInfo *info = &candidate->info;
    const VmafDeviceLimits limits = limits_of(number_of(candidate->handle));
    chip[0] = '\0';
    if (!vmaf_device_check_limits(&limits, info))
        return;
    if (!hip_topology_chip(info->pci, chip))
        find_architecture(candidate, chip);
    else if (!has_kernels(chip))
        snprintf(info->unusable, sizeof(info->unusable), "no kernels for %s (%.100s)", chip,
                 info->name);
}

/* -- descriptions -- */

static VmafDeviceCaps caps_of(int number)
{
    size_t memory = 0;
    if (hip_note(hip.DeviceTotalMem(&memory, number)) != hipSuccess)
        memory = 0;
    return (VmafDeviceCaps){
        .memory_size = memory,
        .max_buffer_size = memory,
        .max_binding_size = memory < UINT32_MAX ? memory : UINT32_MAX,
        .binding_alignment = 256,
        .host_memory_alignment = (uint32_t)vmaf_page_size(),
        .copy_alignment = 1,
        .imports = 1u << VMAF_BACKEND_IMPORT_HIP_POINTER,
        .syncs = 1u << VMAF_BACKEND_SYNC_HIP_STREAM | 1u << VMAF_BACKEND_SYNC_HIP_EVENT,
        .compute_units = attribute(number, hipDeviceAttributeMultiprocessorCount),
        .copy_engines = attribute(number, hipDeviceAttributeAsyncEngineCount),
        .subgroup_size = attribute(number, hipDeviceAttributeWarpSize),
        .group_memory = attribute(number, hipDeviceAttributeMaxSharedMemoryPerBlock),
        .unified_memory = attribute(number, hipDeviceAttributeIntegrated) != 0,
        .addresses = true,
        .exact_float32 = true, /* but for square roots of older compilers */
        .exact_float64 = true,
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = true,
    };
}

/* The runtime's UUID is a serial number in letters, which no other interface knows. */
static void identify(int number, VmafDeviceInfo *info)
{
    if (hip_note(hip.DeviceGetPCIBusId(info->pci, (int)sizeof(info->pci), number)) == hipSuccess)
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    info->pci[sizeof(info->pci) - 1] = '\0';
}

uint32_t driver_count(void)
{
    int count = 0;
    return hip.GetDeviceCount(&count) == hipSuccess && count > 0 ? (uint32_t)count : 0;
}

bool driver_describe(uint32_t index, VmafStreamCandidate *candidate)
{
    const int number = (int)index;
    VmafDeviceInfo *info = &candidate->info;
    char chip[HIP_CHIP_SIZE];
    int version = 0;
    candidate->handle = index;
    if (hip_note(hip.DeviceGetName(info->name, sizeof(info->name), number)) != hipSuccess ||
        !info->name[0])
        snprintf(info->name, sizeof(info->name), "AMD GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    hip.DriverGetVersion(&version);
    info->kind = attribute(number, hipDeviceAttributeIntegrated) ? VMAF_DEVICE_INTEGRATED
                                                                 : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(number);
    identify(number, info);
    find_chip(candidate, chip);
    snprintf(info->vendor, sizeof(info->vendor), "AMD");
    snprintf(info->driver, sizeof(info->driver), "HIP %d.%d.%d%s%s", version / 10000000,
             version / 100000 % 100, version % 100000, chip[0] ? ", " : "", chip);
    hip_forget_errors();
    return true;
}

/* -- opening -- */

static void adopt(CudaDevice *device, const VmafStreamCandidate *candidate)
{
    const uint32_t taken = (uint32_t)(candidate->handle >> 32);
    const VmafKernelCode *code;
    device->handle = number_of(candidate->handle);
    device->max_pitch = UINT64_MAX;
    if (taken)
        snprintf(device->chip, sizeof(device->chip), "%s",
                 hip_chip_with_code(vmaf_hip_kernels->kernels, taken - 1, &code));
    else if (!hip_topology_chip(candidate->info.pci, device->chip))
        device->chip[0] = '\0';
}

int driver_open(CudaDevice *device, const VmafStreamCandidate *candidate)
{
    adopt(device, candidate);
    return 0;
}

/* All contexts of a device are one in ROCm, so that only its device counts. Which device is current
 * after popping is not said. */
static hipError_t find_device(hipCtx_t context, int *number)
{
    hipCtx_t popped;
    int before;
    hipError_t result = hip.GetDevice(&before);
    if (result == hipSuccess)
        result = hip.CtxPushCurrent(context);
    if (result != hipSuccess)
        return result;
    result = hip.CtxGetDevice(number);
    hip.CtxPopCurrent(&popped);
    hip.SetDevice(before);
    return result;
}

int driver_borrow(CudaDevice *device, const void *external, VmafStreamCandidate *candidate)
{
    hipCtx_t context = (hipCtx_t)(uintptr_t)((const HipExternal *)external)->context;
    int number = 0;
    if (!context)
        return vmaf_stream_fail(&device->base, -EINVAL, "the context is missing");
    if (!hip.CtxPushCurrent || !hip.CtxPopCurrent || !hip.CtxGetDevice)
        return vmaf_stream_fail(&device->base, -ENOTSUP, "this version of ROCm has no contexts");
    const hipError_t result = find_device(context, &number);
    if (result != hipSuccess) {
        const int err = driver_done(device, result, "the borrowed context");
        hip_forget_errors();
        return err;
    }
    driver_describe((uint32_t)number, candidate);
    adopt(device, candidate);
    return 0;
}

void driver_close(CudaDevice *device)
{
    (void)device; /* devices are the runtime's own */
}

/* -- memory of the application -- */

int driver_check_plane(CudaDevice *device, const VmafStreamBuffer *plane, uint32_t number)
{
    hipDeviceptr_t begin = 0;
    size_t size = 0;
    const hipError_t result = hip.MemGetAddressRange(&begin, &size, plane->address);
    const int err = driver_error_of(result);
    if (err && err != -ENODEV) {
        hip_note(result);
        return vmaf_stream_fail(&device->base, -EINVAL, "plane %u is not in memory that HIP knows",
                                number);
    }
    if (err)
        return driver_done(device, result, "hipMemGetAddressRange");
    if (!begin || begin > plane->address)
        return 0; /* memory of others, of which versions of the runtime know no more */
    const uint64_t offset = plane->address - begin;
    if (offset > size || plane->head.size > size - offset)
        return vmaf_stream_fail(&device->base, -EINVAL, "plane %u is larger than its memory",
                                number);
    return 0;
}
