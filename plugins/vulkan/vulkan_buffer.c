/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Buffers, and images of the application. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* -- images of the application, on the device that it has lent. Copies read them. -- */

/* Planes, and bytes of a texel of each. */
static bool read_format(VulkanImage *image, VkFormat format)
{
    uint32_t texels[3] = {1, 0, 0};
    switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_R8_UINT:
        break;
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R10X6_UNORM_PACK16:
    case VK_FORMAT_R12X4_UNORM_PACK16:
        texels[0] = 2;
        break;
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_422_UNORM:
        texels[1] = 2;
        break;
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G16_B16R16_2PLANE_420_UNORM:
        texels[0] = 2;
        texels[1] = 4;
        break;
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
        texels[1] = texels[2] = 1;
        break;
    case VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM:
        texels[0] = texels[1] = texels[2] = 2;
        break;
    default:
        return false;
    }
    image->head.n_planes = texels[2] ? 3 : texels[1] ? 2 : 1;
    memcpy(image->texel_size, texels, sizeof(texels));
    return true;
}

int vulkan_image_import(VmafDevice *base, VmafDeviceImage **imported,
                        const VmafBackendImport *picture)
{
    enum { IMAGE, FORMAT, LAYOUT, N_NEEDED };
    VulkanDevice *device = (VulkanDevice *)base;
    *imported = NULL;
    if (!device->borrowed || picture->kind != VMAF_BACKEND_IMPORT_VULKAN_IMAGE)
        return vulkan_fail(device, -ENOTSUP, "only images of a device that was lent");
    if (picture->n_handles < N_NEEDED || !picture->handles[IMAGE])
        return vulkan_fail(device, -EINVAL, "a handle of the image is missing");
    VulkanImage *image = calloc(1, sizeof(*image));
    if (!image)
        return -ENOMEM;
    memcpy(&image->image, &picture->handles[IMAGE], sizeof(image->image));
    image->layout = (VkImageLayout)picture->handles[LAYOUT];
    if (image->layout == VK_IMAGE_LAYOUT_UNDEFINED ||
        image->layout == VK_IMAGE_LAYOUT_PREINITIALIZED) {
        free(image);
        return vulkan_fail(device, -EINVAL, "the image is in a layout without content");
    }
    if (!read_format(image, (VkFormat)picture->handles[FORMAT])) {
        free(image);
        return vulkan_fail(device, -ENOTSUP, "VkFormat %d", (int)picture->handles[FORMAT]);
    }
    vmaf_mutex_lock(&device->lock);
    image->serial = ~device->images_imported++; /* buffers count from 1 */
    vmaf_mutex_unlock(&device->lock);
    *imported = &image->head;
    return 0;
}

void vulkan_image_destroy(VmafDevice *device, VmafDeviceImage *image)
{
    (void)device;
    free(image);
}

static void change_layout(VkCommandBuffer commands, const VulkanImage *image, bool back)
{
    const VkImageLayout copied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = back ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = back ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT
                              : VK_ACCESS_TRANSFER_READ_BIT,
        .oldLayout = back ? copied : image->layout,
        .newLayout = back ? image->layout : copied,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                             .levelCount = 1,
                             .layerCount = 1},
    };
    vkCmdPipelineBarrier(commands,
                         back ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         back ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
                         0, 0, NULL, 0, NULL, 1, &barrier);
}

void vulkan_copy_image(VkCommandBuffer commands, const VmafDeviceCopy *copy)
{
    static const VkImageAspectFlagBits planes[3] = {
        VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT};
    const VulkanImage *image = (const VulkanImage *)copy->image;
    const uint32_t texel = image->texel_size[copy->image_plane];
    const VkBufferImageCopy region = {
        .bufferOffset = copy->dst_offset,
        .bufferRowLength = (uint32_t)(copy->dst_stride / texel),
        .imageSubresource = {.aspectMask = image->head.n_planes == 1 ? VK_IMAGE_ASPECT_COLOR_BIT
                                                                     : planes[copy->image_plane],
                             .layerCount = 1},
        .imageExtent = {(uint32_t)(copy->row_size / texel), copy->rows, 1},
    };
    change_layout(commands, image, false);
    vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           ((const VulkanBuffer *)copy->dst)->buffer, 1, &region);
    change_layout(commands, image, true);
}
