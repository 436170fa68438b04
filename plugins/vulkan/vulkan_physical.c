/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_internal.h"

/* What device.h promises for every device. */
enum { LANES = 256, GROUP_MEMORY_BYTES = 32768, ARGUMENT_BYTES = 128, BUFFERS = 8, GROUPS = 65535 };

/* The feature of this chain that is not set; NULL: all are. Features may stand in a structure of
 * their own, or in that of a version. */
const char *vulkan_missing_feature(const void *features)
{
    bool int64 = false, storage8 = false, storage16 = false, timeline = false;
    for (const VkBaseInStructure *s = features; s; s = s->pNext) {
        switch ((int)s->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
            int64 = ((const VkPhysicalDeviceFeatures2 *)s)->features.shaderInt64;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
            storage16 = ((const VkPhysicalDeviceVulkan11Features *)s)->storageBuffer16BitAccess;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES:
            storage16 = ((const VkPhysicalDevice16BitStorageFeatures *)s)->storageBuffer16BitAccess;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
            storage8 = ((const VkPhysicalDeviceVulkan12Features *)s)->storageBuffer8BitAccess;
            timeline = ((const VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES:
            storage8 = ((const VkPhysicalDevice8BitStorageFeatures *)s)->storageBuffer8BitAccess;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
            timeline = ((const VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore;
            break;
        default:
            break;
        }
    }
    return !int64       ? "shaderInt64 is not enabled"
           : !storage16 ? "storageBuffer16BitAccess is not enabled"
           : !storage8  ? "storageBuffer8BitAccess is not enabled"
           : !timeline  ? "timelineSemaphore is not enabled"
                        : NULL;
}

static bool has_features(VkPhysicalDevice physical)
{
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &v11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return !vulkan_missing_feature(&features);
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

/* A family for compute, if possible one that does nothing else; and for copies one that only
 * copies, which runs while others compute. */
static bool find_queues(VkPhysicalDevice physical, VulkanQueues *queues)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    int best = -1, copies = -1;
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFlags flags = families[i].queueFlags;
        const VkExtent3D granularity = families[i].minImageTransferGranularity;
        const bool any_size = granularity.width == 1 && granularity.height == 1;
        if ((flags & VK_QUEUE_TRANSFER_BIT) && any_size && copies < 0 &&
            !(flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
            copies = (int)i;
        if (!(flags & VK_QUEUE_COMPUTE_BIT))
            continue;
        const bool only = !(flags & VK_QUEUE_GRAPHICS_BIT);
        if (best < 0 || (only && (families[best].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
            best = (int)i;
    }
    if (best < 0)
        return false;
    if (copies < 0)
        copies = best;
    /* Copies first: one that waits for a kernel keeps the next frame from beginning. */
    const bool apart = copies != best;
    const uint32_t for_lanes =
        families[best].queueCount - (!apart && families[best].queueCount > 1);
    *queues = (VulkanQueues){
        .family = (uint32_t)best,
        .copy_family = (uint32_t)copies,
        .n_streams = for_lanes < VMAF_DEVICE_STREAMS ? for_lanes : VMAF_DEVICE_STREAMS,
        .own_copies = apart || families[best].queueCount > 1,
        .valid_bits = families[best].timestampValidBits,
        .copy_valid_bits = families[copies].timestampValidBits,
    };
    return true;
}

static VulkanExtensions find_extensions(VkPhysicalDevice physical)
{
    VkExtensionProperties *list = NULL;
    uint32_t count = 0;
    VulkanExtensions found = {false};
    if (!vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL))
        list = calloc(count + 1, sizeof(*list));
    if (list)
        vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list);
    for (uint32_t i = 0; list && i < count; i++) {
        const char *name = list[i].extensionName;
        found.external_memory_host |= !strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
        found.pci_bus_info |= !strcmp(name, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
        found.portability_subset |= !strcmp(name, "VK_KHR_portability_subset");
    }
    free(list);
    return found;
}

/*
 * True if kernels may read what the host has written where it is: where the device's own memory is
 * what the host maps, all of it, and not through a window.
 */
static bool is_unified(const VkPhysicalDeviceMemoryProperties *memory, enum VmafDeviceKind kind)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    bool mapped = false;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
        mapped |= (memory->memoryTypes[i].propertyFlags & wanted) == wanted;
    return mapped && (kind == VMAF_DEVICE_INTEGRATED || kind == VMAF_DEVICE_SOFTWARE);
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

/* What the device lacks; NULL: nothing. */
static const char *missing(VkPhysicalDevice physical, const VkPhysicalDeviceProperties *properties,
                           VulkanQueues *queues)
{
    if (properties->apiVersion < VK_API_VERSION_1_2)
        return "it has no Vulkan 1.2";
    if (!has_features(physical))
        return "it lacks 64-bit integers, 8- or 16-bit storage, or timeline semaphores";
    if (!has_limits(&properties->limits))
        return "its work-groups, their memory, or their arguments are too small";
    return find_queues(physical, queues) ? NULL : "it has no queue for compute";
}

typedef struct DeviceProperties {
    VkPhysicalDeviceProperties2 all;
    VkPhysicalDeviceIDProperties id;
    VkPhysicalDeviceMaintenance3Properties sizes;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceFloatControlsProperties floats;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
} DeviceProperties;

static void get_properties(VkPhysicalDevice physical, const VulkanExtensions *extensions,
                           DeviceProperties *p)
{
    memset(p, 0, sizeof(*p));
    p->all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    p->all.pNext = &p->id;
    p->id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    p->id.pNext = &p->sizes;
    p->sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    p->sizes.pNext = &p->driver;
    p->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    p->driver.pNext = &p->subgroup;
    p->subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    p->subgroup.pNext = &p->floats;
    p->floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    void **next = &p->floats.pNext;
    p->host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
    p->pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
    if (extensions->external_memory_host) {
        *next = &p->host;
        next = &p->host.pNext;
    }
    if (extensions->pci_bus_info)
        *next = &p->pci;
    vkGetPhysicalDeviceProperties2(physical, &p->all);
}

static void identify(const DeviceProperties *p, const VulkanExtensions *extensions,
                     VmafDeviceInfo *info)
{
    info->identities = VMAF_BACKEND_IDENTITY_UUID;
    memcpy(info->uuid, p->id.deviceUUID, sizeof(info->uuid));
    if (p->id.deviceLUIDValid) {
        info->identities |= VMAF_BACKEND_IDENTITY_LUID;
        memcpy(info->luid, p->id.deviceLUID, sizeof(info->luid));
    }
    if (extensions->pci_bus_info) {
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
        snprintf(info->pci, sizeof(info->pci), "%04x:%02x:%02x.%x", p->pci.pciDomain & 0xffffu,
                 p->pci.pciBus & 0xffu, p->pci.pciDevice & 0xffu, p->pci.pciFunction & 0xfu);
    }
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(info->id + 2 * i, sizeof(info->id) - 2 * i, "%02x", p->id.deviceUUID[i]);
}

/* What native kernels declare (dialect/glsl.h): of 32 bits alone, other widths do not matter.
 * llvmpipe leaves out additions of a constant +0, of which -0 becomes +0. */
static bool is_exact(const DeviceProperties *p)
{
    return p->floats.shaderRoundingModeRTEFloat32 && p->floats.shaderDenormPreserveFloat32 &&
           p->floats.shaderSignedZeroInfNanPreserveFloat32 &&
           p->floats.roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE &&
           p->floats.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE &&
           p->driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
}

static VmafDeviceCaps find_caps(VkPhysicalDevice physical, const DeviceProperties *p,
                                const VulkanCandidate *candidate)
{
    const VkPhysicalDeviceLimits *limits = &p->all.properties.limits;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    return (VmafDeviceCaps){
        .memory_size = device_memory_size(&memory),
        .max_buffer_size = p->sizes.maxMemoryAllocationSize,
        .max_binding_size = limits->maxStorageBufferRange,
        .binding_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment,
        .host_memory_alignment = (uint32_t)p->host.minImportedHostPointerAlignment,
        .copy_alignment = 1,
        .imports = 1u << VMAF_BACKEND_IMPORT_VULKAN_IMAGE,
        .syncs = 1u << VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
        .copy_engines = candidate->queues.own_copies ? 1 : 0,
        .subgroup_size = p->subgroup.subgroupSize,
        .group_memory = limits->maxComputeSharedMemorySize,
        .unified_memory = is_unified(&memory, candidate->info.kind),
        .exact_float32 = is_exact(p),
        .atomics32 = true, /* no Vulkan device is without them */
        .group_atomics32 = true,
        .timestamps = candidate->queues.valid_bits > 0,
    };
}

void vulkan_describe(VkPhysicalDevice physical, VulkanCandidate *candidate)
{
    DeviceProperties p;
    *candidate = (VulkanCandidate){.physical = physical, .extensions = find_extensions(physical)};
    get_properties(physical, &candidate->extensions, &p);
    VmafDeviceInfo *info = &candidate->info;
    const VkPhysicalDeviceProperties *properties = &p.all.properties;
    const char *lacks = missing(physical, properties, &candidate->queues);
    candidate->timestamp_period = (double)properties->limits.timestampPeriod;
    info->kind = kind_of(properties->deviceType);
    identify(&p, &candidate->extensions, info);
    snprintf(info->unusable, sizeof(info->unusable), "%s", lacks ? lacks : "");
    if (!lacks)
        info->caps = find_caps(physical, &p, candidate);
    snprintf(info->name, sizeof(info->name), "%.*s", (int)sizeof(info->name) - 1,
             properties->deviceName);
    snprintf(info->vendor, sizeof(info->vendor), "%s", vendor_name(properties->vendorID));
    snprintf(info->driver, sizeof(info->driver), "%.60s %.60s", p.driver.driverName,
             p.driver.driverInfo);
}

static int by_use(const void *a, const void *b)
{
    const VulkanCandidate *x = a, *y = b;
    const int difference = (x->info.unusable[0] != 0) - (y->info.unusable[0] != 0);
    return difference ? difference : (int)x->info.kind - (int)y->info.kind;
}

int vulkan_find_candidates(VkInstance instance, VulkanCandidate candidates[VULKAN_CANDIDATES_MAX])
{
    VkPhysicalDevice all[VULKAN_CANDIDATES_MAX];
    uint32_t count = VULKAN_CANDIDATES_MAX;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, all);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return -ENODEV;
    for (uint32_t i = 0; i < count; i++)
        vulkan_describe(all[i], &candidates[i]);
    qsort(candidates, count, sizeof(*candidates), by_use);
    return (int)count;
}
