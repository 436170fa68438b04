/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Images of the application, on the device that it has lent. Copies read them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_internal.h"

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
