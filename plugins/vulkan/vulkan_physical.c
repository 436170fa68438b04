/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_internal.h"

/* What device.h promises for every device. */
enum { LANES = 256, GROUP_MEMORY_BYTES = 32768, ARGUMENT_BYTES = 128, BUFFERS = 8, GROUPS = 65535 };

static bool has_features(VkPhysicalDevice physical)
{
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return features.features.shaderInt64 && v11.storageBuffer16BitAccess &&
           v12.storageBuffer8BitAccess && v12.timelineSemaphore;
}

static bool has_limits(const VkPhysicalDeviceLimits *limits)
{
    return limits->maxComputeWorkGroupInvocations >= LANES &&
           limits->maxComputeWorkGroupSize[0] >= LANES &&
           limits->maxComputeSharedMemorySize >= GROUP_MEMORY_BYTES &&
           limits->maxPushConstantsSize >= ARGUMENT_BYTES &&
           limits->maxPerStageDescriptorStorageBuffers >= BUFFERS &&
           limits->maxComputeWorkGroupCount[0] >= GROUPS &&
           limits->maxComputeWorkGroupCount[1] >= GROUPS &&
           limits->maxComputeWorkGroupCount[2] >= GROUPS;
}

/* A family for compute, if possible one that does nothing else. */
static bool find_queue_family(VkPhysicalDevice physical, uint32_t *family, bool *timestamps)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        const bool only = !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
        if (best < 0 || (only && (families[best].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
            best = (int)i;
    }
    if (best < 0)
        return false;
    *family = (uint32_t)best;
    *timestamps = families[best].timestampValidBits > 0;
    return true;
}

static enum VmafDeviceKind kind_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return VMAF_DEVICE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return VMAF_DEVICE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return VMAF_DEVICE_VIRTUAL;
    default:
        return VMAF_DEVICE_SOFTWARE;
    }
}

static uint64_t device_memory_size(const VkPhysicalDeviceMemoryProperties *memory)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &memory->memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > largest)
            largest = heap->size;
    }
    return largest;
}

static const char *vendor_name(uint32_t id)
{
    switch ((int64_t)id) {
    case 0x1002:
        return "AMD";
    case 0x10de:
        return "NVIDIA";
    case 0x8086:
        return "Intel";
    case 0x13b5:
        return "Arm";
    case 0x5143:
        return "Qualcomm";
    case VK_VENDOR_ID_MESA:
        return "Mesa";
    default:
        return "unknown";
    }
}

int vulkan_describe(VkPhysicalDevice physical, VulkanCandidate *candidate)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &driver};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                       .pNext = &sizes};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    VkPhysicalDeviceMemoryProperties memory;
    bool timestamps;
    vkGetPhysicalDeviceProperties2(physical, &properties);
    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    *candidate = (VulkanCandidate){.physical = physical,
                                   .timestamp_period = (double)limits->timestampPeriod};
    if (properties.properties.apiVersion < VK_API_VERSION_1_2 || !has_features(physical) ||
        !has_limits(limits) || !find_queue_family(physical, &candidate->queue_family, &timestamps))
        return -ENOTSUP;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);

    VmafDeviceInfo *info = &candidate->info;
    info->kind = kind_of(properties.properties.deviceType);
    info->caps = (VmafDeviceCaps){
        .memory_size = device_memory_size(&memory),
        .max_buffer_size = sizes.maxMemoryAllocationSize,
        .max_binding_size = limits->maxStorageBufferRange,
        .binding_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment,
        /* Where all memory is host memory, kernels read upload buffers as fast as any. */
        .copy_alignment = 1,
        .group_memory = limits->maxComputeSharedMemorySize,
        .unified_memory =
            info->kind == VMAF_DEVICE_INTEGRATED || info->kind == VMAF_DEVICE_SOFTWARE,
        .timestamps = timestamps,
    };
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(info->id + 2 * i, sizeof(info->id) - 2 * i, "%02x", id.deviceUUID[i]);
    snprintf(info->name, sizeof(info->name), "%.*s", (int)sizeof(info->name) - 1,
             properties.properties.deviceName);
    snprintf(info->vendor, sizeof(info->vendor), "%s", vendor_name(properties.properties.vendorID));
    snprintf(info->driver, sizeof(info->driver), "%.60s %.60s", driver.driverName,
             driver.driverInfo);
    return 0;
}

static int by_kind(const void *a, const void *b)
{
    const VulkanCandidate *x = a, *y = b;
    return (int)x->info.kind - (int)y->info.kind;
}

int vulkan_find_candidates(VkInstance instance, VulkanCandidate candidates[VULKAN_CANDIDATES_MAX])
{
    VkPhysicalDevice all[VULKAN_CANDIDATES_MAX];
    uint32_t count = VULKAN_CANDIDATES_MAX;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, all);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return -ENODEV;
    int n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!vulkan_describe(all[i], &candidates[n]))
            n++;
    }
    qsort(candidates, (size_t)n, sizeof(*candidates), by_kind);
    return n;
}
