/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>

#include "vulkan_internal.h"

/* The first memory type with all flags of `wanted`, else one with those of `needed`; -1: none. */
static int find_memory_type(const VulkanDevice *device, uint32_t allowed,
                            VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted,
                            VkMemoryPropertyFlags unwanted)
{
    const VkPhysicalDeviceMemoryProperties *memory = &device->memory;
    int found = -1;
    int best = -1;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = memory->memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (flags & needed) != needed)
            continue;
        const int rank = ((flags & wanted) == wanted) * 2 + !(flags & unwanted);
        if (rank > best) {
            best = rank;
            found = (int)i;
        }
    }
    return found;
}

static int choose_memory_type(const VulkanDevice *device, uint32_t allowed,
                              const VmafDeviceBufferParams *params)
{
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    switch (params->memory) {
    case VMAF_MEMORY_DEVICE:
        return find_memory_type(device, allowed, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    case VMAF_MEMORY_UPLOAD:
        /* Written once, front to back: write-combined memory suits this. The device's own memory
         * does not: where it can be mapped, it is small and slow to reach. */
        return find_memory_type(
            device, allowed, mapped, params->read_by_host ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0,
            device->head.info.caps.unified_memory ? 0 : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    case VMAF_MEMORY_DOWNLOAD:
        return find_memory_type(device, allowed, mapped, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0);
    }
    return -1;
}

static VkBufferUsageFlags usage_of(const VulkanDevice *device, enum VmafDeviceMemory memory)
{
    switch (memory) {
    case VMAF_MEMORY_DEVICE:
        return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    case VMAF_MEMORY_UPLOAD:
        return VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               (device->head.info.caps.unified_memory
                    ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT
                    : 0u);
    case VMAF_MEMORY_DOWNLOAD:
        break;
    }
    return VK_BUFFER_USAGE_TRANSFER_DST_BIT;
}

static VkResult allocate(VulkanDevice *device, VulkanBuffer *buffer,
                         const VmafDeviceBufferParams *params)
{
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device->device, buffer->buffer, &needs);
    const int type = choose_memory_type(device, needs.memoryTypeBits, params);
    if (type < 0)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = (uint32_t)type,
    };
    VkResult result = vkAllocateMemory(device->device, &info, NULL, &buffer->memory);
    if (result == VK_SUCCESS)
        result = vkBindBufferMemory(device->device, buffer->buffer, buffer->memory, 0);
    if (result == VK_SUCCESS && buffer->head.memory != VMAF_MEMORY_DEVICE)
        result =
            vkMapMemory(device->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->head.mapped);
    return result;
}

/* Uses memory of the host, which the buffer does not own. */
static VkResult wrap(VulkanDevice *device, VulkanBuffer *buffer, void *host)
{
    VkMemoryRequirements needs;
    VkMemoryHostPointerPropertiesEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    vkGetBufferMemoryRequirements(device->device, buffer->buffer, &needs);
    VkResult result = device->get_host_pointer_properties(
        device->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host, &pointer);
    if (result != VK_SUCCESS)
        return result;
    const int type = find_memory_type(device, needs.memoryTypeBits & pointer.memoryTypeBits,
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0, 0);
    if (type < 0 || needs.size > buffer->head.size)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = host,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &import,
        .allocationSize = buffer->head.size,
        .memoryTypeIndex = (uint32_t)type,
    };
    result = vkAllocateMemory(device->device, &info, NULL, &buffer->memory);
    if (result == VK_SUCCESS)
        result = vkBindBufferMemory(device->device, buffer->buffer, buffer->memory, 0);
    buffer->head.mapped = host;
    return result;
}

int vulkan_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                         const VmafDeviceBufferParams *params)
{
    VulkanDevice *device = (VulkanDevice *)base;
    *created = NULL;
    const uint64_t alignment = base->info.caps.host_memory_alignment;
    if (params->host_memory &&
        (!alignment || ((uintptr_t)params->host_memory | params->size) % alignment))
        return -ENOTSUP;
    const int err = vmaf_layer_state_count_buffer(&device->state);
    if (err)
        return err;
    vmaf_mutex_lock(&device->lock);
    const uint64_t serial = ++device->buffers_created;
    vmaf_mutex_unlock(&device->lock);

    VulkanBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->serial = serial;
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    const VkExternalMemoryBufferCreateInfo wrapped = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    const uint32_t families[2] = {device->queues.family, device->queues.copy_family};
    const bool shared = families[0] != families[1];
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = params->host_memory ? &wrapped : NULL,
        .size = params->size,
        .usage = params->host_memory ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                                     : usage_of(device, params->memory),
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    VkResult result = vkCreateBuffer(device->device, &info, NULL, &buffer->buffer);
    if (result == VK_SUCCESS)
        result = params->host_memory ? wrap(device, buffer, params->host_memory)
                                     : allocate(device, buffer, params);
    if (result != VK_SUCCESS) {
        vulkan_buffer_destroy(base, &buffer->head);
        return vulkan_failed(device, result, "a buffer");
    }
    *created = &buffer->head;
    return 0;
}

void vulkan_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *destroyed)
{
    VulkanDevice *device = (VulkanDevice *)base;
    VulkanBuffer *buffer = (VulkanBuffer *)destroyed;
    if (!buffer)
        return;
    vkDestroyBuffer(device->device, buffer->buffer, NULL);
    vkFreeMemory(device->device, buffer->memory, NULL);
    free(buffer);
}
