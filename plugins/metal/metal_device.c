/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. With autorelease pools of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metal_internal.h"
#include "platform/machine.h"

/* What device.h promises for every device. */
enum { GROUP_MEMORY_BYTES = 32768 };
/* The width of SIMD-groups on all of Apple's GPUs. */
enum { SIMD_GROUP = 32 };

/* -- which there are -- */

/* Some systems list no devices to programs without windows, and still have one. */
static uint32_t count_in(MetalObject list)
{
    const MetalUInteger count = list ? metal_count(list) : 0;
    if (count)
        return count < VMAF_STREAM_MAX_DEVICES ? (uint32_t)count : VMAF_STREAM_MAX_DEVICES;
    const MetalObject only = MTLCreateSystemDefaultDevice();
    if (only)
        metal_release(only);
    return only ? 1 : 0;
}

/* Owned by the caller; NULL: there is none. */
static MetalObject new_device_in(MetalObject list, uint32_t index)
{
    const MetalUInteger count = list ? metal_count(list) : 0;
    if (index < count)
        return metal_retain(metal_object_at(list, index));
    return count || index ? NULL : MTLCreateSystemDefaultDevice();
}

MetalObject metal_new_device(const VmafStreamCandidate *candidate)
{
    MetalObject found = NULL;
    const MetalObject list = MTLCopyAllDevices();
    const uint32_t count = count_in(list);
    for (uint32_t i = 0; i < count && !found; i++) {
        found = new_device_in(list, i);
        if (found && metal_registry_id(found) != candidate->handle) {
            metal_release(found);
            found = NULL;
        }
    }
    if (list)
        metal_release(list);
    return found;
}

/* -- what they can do -- */

static void describe_system(char *text, size_t size)
{
    static const char prefix[] = "Version ";
    const MetalObject process = metal_process_info(objc_getClass("NSProcessInfo"));
    const MetalObject version = process ? metal_system_version(process) : NULL;
    const char *words = version ? metal_utf8(version) : NULL;
    if (words && strncmp(words, prefix, sizeof(prefix) - 1) == 0)
        words += sizeof(prefix) - 1;
    snprintf(text, size, "macOS %s", words ? words : "of unknown version");
}

static VmafDeviceCaps caps_of(MetalObject device)
{
    const uint64_t length = metal_max_buffer_length(device);
    return (VmafDeviceCaps){
        .memory_size = metal_working_set(device),
        .max_buffer_size = length,
        .max_binding_size = length < UINT32_MAX ? length : UINT32_MAX,
        .binding_alignment = 256,
        .host_memory_alignment = (uint32_t)vmaf_page_size(),
        .copy_alignment = 4,
        .imports = 1u << VMAF_BACKEND_IMPORT_IOSURFACE | 1u << VMAF_BACKEND_IMPORT_METAL_TEXTURE,
        .syncs = 1u << VMAF_BACKEND_SYNC_METAL_EVENT,
        .subgroup_size = SIMD_GROUP,
        .group_memory = (uint32_t)metal_max_threadgroup_memory(device),
        .unified_memory = metal_has_unified_memory(device),
        /* Denormals are flushed, so that binary32 is not exact; there is no binary64. */
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = true,
    };
}

/* All else exists where the first of these is known: since macOS 10.15. */
static void check_usable(MetalObject device, VmafDeviceInfo *info)
{
    if (!metal_responds_to(device, sel_registerName("supportsFamily:")))
        snprintf(info->unusable, sizeof(info->unusable), "%s is too old", info->driver);
    else if (!metal_supports_family(device, METAL_FAMILY_APPLE7))
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s is not one of Apple's GPUs of family 7 (M1) or newer", info->name);
    else if (metal_max_threadgroup_memory(device) < GROUP_MEMORY_BYTES)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s has smaller work-groups than kernels need", info->name);
}

void metal_describe_device(MetalObject device, VmafStreamCandidate *candidate)
{
    VmafDeviceInfo *info = &candidate->info;
    const char *name = metal_utf8(metal_name(device));
    candidate->handle = metal_registry_id(device);
    snprintf(info->name, sizeof(info->name), "%s", name ? name : "GPU");
    snprintf(info->vendor, sizeof(info->vendor), "Apple");
    describe_system(info->driver, sizeof(info->driver));
    /* Stays the same until the machine is started again. */
    snprintf(info->id, sizeof(info->id), "%016llx", (unsigned long long)candidate->handle);
    /* Vulkan on Metal knows the device by the same number. */
    info->identities = VMAF_BACKEND_IDENTITY_LUID;
    memcpy(info->luid, &candidate->handle, sizeof(info->luid));
    info->kind = VMAF_DEVICE_INTEGRATED;
    check_usable(device, info);
    if (!metal_responds_to(device, sel_registerName("supportsFamily:")))
        return;
    info->caps = caps_of(device);
    if (metal_is_removable(device) || !(info->caps.unified_memory || metal_is_low_power(device)))
        info->kind = VMAF_DEVICE_DISCRETE;
}

VmafStreamCandidates *metal_find_devices(void)
{
    VmafStreamCandidates *all = calloc(1, sizeof(*all));
    if (!all)
        return NULL;
    void *pool = objc_autoreleasePoolPush();
    const MetalObject list = MTLCopyAllDevices();
    const uint32_t count = count_in(list);
    for (uint32_t i = 0; i < count; i++) {
        VmafStreamCandidate found = {.handle = 0};
        const MetalObject device = new_device_in(list, i);
        if (!device)
            continue;
        metal_describe_device(device, &found);
        vmaf_stream_add_candidate(all, &found, i);
        metal_release(device);
    }
    if (list)
        metal_release(list);
    objc_autoreleasePoolPop(pool);
    return all;
}
