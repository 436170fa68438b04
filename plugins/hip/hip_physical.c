/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_internal.h"
#include "layer_state.h"
#include "platform/machine.h"

static int number_of(uint64_t handle)
{
    return (int)(uint32_t)handle;
}

int hip_start(char *reason, size_t reason_size)
{
    char text[192];
    int count = 0;
    const int err = hip_load(reason, reason_size);
    if (err)
        return err;
    HipResult result = hip_note(hip.Init(0));
    if (result == HIP_SUCCESS)
        result = hip_note(hip.GetDeviceCount(&count));
    hip_forget_errors();
    /* ROCm 5.2 says "invalid device" where there is none. */
    if (result == HIP_ERROR_NO_DEVICE || result == HIP_ERROR_INVALID_DEVICE ||
        (!result && !count)) {
        snprintf(reason, reason_size, "%s",
                 hip_topology_has_gpu()
                     ? "ROCm shows no AMD GPU, though the kernel has one: may this user open "
                       "/dev/kfd and /dev/dri/renderD*?"
                     : "there is no AMD GPU");
        return -ENXIO;
    }
    if (result == HIP_SUCCESS)
        return 0;
    hip_describe_result(result, text, sizeof(text));
    snprintf(reason, reason_size, "ROCm does not start: %s", text);
    return result == HIP_ERROR_OUT_OF_MEMORY ? -ENOMEM : -ENODEV;
}

/* 0 for attributes that the runtime does not know. Some limits do not fit, and look negative. */
static uint32_t attribute(int number, int which)
{
    int value;
    const HipResult result = hip_note(hip.DeviceGetAttribute(&value, which, number));
    return result == HIP_SUCCESS ? (uint32_t)value : 0;
}

static VmafDeviceLimits limits_of(int number)
{
    return (VmafDeviceLimits){
        .lanes = attribute(number, HIP_MAX_THREADS_PER_BLOCK),
        .lanes_x = attribute(number, HIP_MAX_BLOCK_DIM_X),
        .group_memory = attribute(number, HIP_MAX_SHARED_MEMORY_PER_BLOCK),
        .groups = {attribute(number, HIP_MAX_GRID_DIM_X), attribute(number, HIP_MAX_GRID_DIM_Y),
                   attribute(number, HIP_MAX_GRID_DIM_Z)},
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

static HipResult try_code(const VmafKernelCode *code, const char *chip)
{
    HipModule module;
    void *copy;
    const void *image = hip_code_for(code, chip, &copy);
    const HipResult result =
        image ? hip_note(hip.ModuleLoadData(&module, image)) : HIP_ERROR_OUT_OF_MEMORY;
    if (result == HIP_SUCCESS)
        hip.ModuleUnload(module);
    free(copy);
    return result;
}

/* Finds the chip, as hip_chip_with_code counts them, whose code of a kernel the driver takes: that
 * identifies the chip. Without memory the driver could take none. */
static size_t try_chips(const VmafKernel *kernel, int number, HipResult *result)
{
    const VmafKernelCode *code;
    const char *chip;
    size_t i = 0;
    *result = hip_make_current(number);
    if (*result != HIP_SUCCESS)
        return i;
    while ((chip = hip_chip_with_code(kernel, i, &code))) {
        *result = try_code(code, chip);
        if (*result == HIP_SUCCESS || hip_error_of(*result) == -ENOMEM)
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
    HipResult result;
    const size_t taken = try_chips(kernel, number_of(candidate->handle), &result);
    if (result == HIP_SUCCESS) {
        candidate->handle |= (uint64_t)(taken + 1) << 32;
        snprintf(chip, HIP_CHIP_SIZE, "%s", hip_chip_with_code(kernel, taken, &code));
    } else if (hip_error_of(result) == -ENOTSUP) {
        snprintf(info->unusable, sizeof(info->unusable), "no kernels for the chip of %.100s",
                 info->name);
    } else {
        hip_describe_result(result, text, sizeof(text));
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

void hip_adopt(HipDevice *device, const VmafStreamCandidate *candidate)
{
    const uint32_t taken = (uint32_t)(candidate->handle >> 32);
    const VmafKernelCode *code;
    device->number = number_of(candidate->handle);
    if (taken)
        snprintf(device->chip, sizeof(device->chip), "%s",
                 hip_chip_with_code(vmaf_hip_kernels->kernels, taken - 1, &code));
    else if (!hip_topology_chip(candidate->info.pci, device->chip))
        device->chip[0] = '\0';
}

/* -- descriptions -- */

static VmafDeviceCaps caps_of(int number)
{
    size_t memory = 0;
    if (hip_note(hip.DeviceTotalMem(&memory, number)) != HIP_SUCCESS)
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
        .compute_units = attribute(number, HIP_MULTIPROCESSOR_COUNT),
        .copy_engines = attribute(number, HIP_ASYNC_ENGINE_COUNT),
        .subgroup_size = attribute(number, HIP_WARP_SIZE),
        .group_memory = attribute(number, HIP_MAX_SHARED_MEMORY_PER_BLOCK),
        .unified_memory = attribute(number, HIP_INTEGRATED) != 0,
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
    if (hip_note(hip.DeviceGetPCIBusId(info->pci, (int)sizeof(info->pci), number)) == HIP_SUCCESS)
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    info->pci[sizeof(info->pci) - 1] = '\0';
}

uint32_t hip_count(void)
{
    int count = 0;
    return hip.GetDeviceCount(&count) == HIP_SUCCESS && count > 0 ? (uint32_t)count : 0;
}

bool hip_describe(uint32_t index, VmafStreamCandidate *candidate)
{
    const int number = (int)index;
    VmafDeviceInfo *info = &candidate->info;
    char chip[HIP_CHIP_SIZE];
    int version = 0;
    candidate->handle = index;
    if (hip_note(hip.DeviceGetName(info->name, sizeof(info->name), number)) != HIP_SUCCESS ||
        !info->name[0])
        snprintf(info->name, sizeof(info->name), "AMD GPU");
    info->name[sizeof(info->name) - 1] = '\0';
    hip.DriverGetVersion(&version);
    info->kind = attribute(number, HIP_INTEGRATED) ? VMAF_DEVICE_INTEGRATED : VMAF_DEVICE_DISCRETE;
    info->caps = caps_of(number);
    identify(number, info);
    find_chip(candidate, chip);
    snprintf(info->vendor, sizeof(info->vendor), "AMD");
    snprintf(info->driver, sizeof(info->driver), "HIP %d.%d.%d%s%s", version / 10000000,
             version / 100000 % 100, version % 100000, chip[0] ? ", " : "", chip);
    hip_forget_errors();
    return true;
}
