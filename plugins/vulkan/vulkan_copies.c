/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The copies of submissions. Those of a session are the same each time that a position comes round,
 * so the command buffer is made anew only when they differ. */
#include <errno.h>
#include <string.h>

#include "vulkan_internal.h"

static VkResult create(VulkanDevice *device, VulkanCopies *copies)
{
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = device->queues.copy_family,
    };
    VkResult result = vkCreateCommandPool(device->device, &pool, NULL, &copies->pool);
    if (result != VK_SUCCESS)
        return result;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = copies->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = vkAllocateCommandBuffers(device->device, &buffer, &copies->commands);
    if (result != VK_SUCCESS || !device->head.profiling || !device->queues.copy_valid_bits)
        return result;
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2,
    };
    return vkCreateQueryPool(device->device, &queries, NULL, &copies->queries);
}

static void make_keys(struct VulkanCopyKey *keys, const VmafDeviceSubmit *params)
{
    for (uint32_t i = 0; i < params->n_copies; i++) {
        const VmafDeviceCopy *copy = &params->copies[i];
        keys[i] = (struct VulkanCopyKey){
            .dst = ((const VulkanBuffer *)copy->dst)->serial,
            .src = copy->image ? ((const VulkanImage *)copy->image)->serial
                               : ((const VulkanBuffer *)copy->src)->serial,
            .image_plane = copy->image_plane,
            .rows = copy->rows,
            .dst_offset = copy->dst_offset,
            .dst_stride = copy->dst_stride,
            .src_offset = copy->src_offset,
            .src_stride = copy->src_stride,
            .row_size = copy->row_size,
        };
    }
}

static void stamp(const VulkanCopies *copies, uint32_t index)
{
    if (copies->queries)
        vkCmdWriteTimestamp(copies->commands,
                            index ? VK_PIPELINE_STAGE_TRANSFER_BIT
                                  : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                            copies->queries, index);
}

static VkResult record(VulkanDevice *device, VulkanCopies *copies, const VmafDeviceSubmit *params)
{
    VkResult result = vkResetCommandPool(device->device, copies->pool, 0);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (result == VK_SUCCESS)
        result = vkBeginCommandBuffer(copies->commands, &begin);
    if (result != VK_SUCCESS)
        return result;
    if (copies->queries)
        vkCmdResetQueryPool(copies->commands, copies->queries, 0, 2);
    stamp(copies, 0);
    for (uint32_t i = 0; i < params->n_copies; i++)
        (params->copies[i].image ? vulkan_copy_image : vulkan_copy_rows)(copies->commands,
                                                                         &params->copies[i]);
    stamp(copies, 1);
    return vkEndCommandBuffer(copies->commands);
}

VkResult vulkan_copies_make(VulkanDevice *device, VulkanCopies *copies,
                            const VmafDeviceSubmit *params)
{
    struct VulkanCopyKey keys[VMAF_DEVICE_MAX_COPIES];
    const size_t size = params->n_copies * sizeof(keys[0]);
    make_keys(keys, params);
    if (copies->count == params->n_copies && !memcmp(copies->keys, keys, size))
        return VK_SUCCESS;
    copies->count = 0;
    VkResult result = copies->commands ? VK_SUCCESS : create(device, copies);
    if (result == VK_SUCCESS)
        result = record(device, copies, params);
    if (result == VK_SUCCESS) {
        copies->count = params->n_copies;
        memcpy(copies->keys, keys, size);
    }
    return result;
}

void vulkan_copies_destroy(VulkanDevice *device, VulkanCopies *copies)
{
    vkDestroyQueryPool(device->device, copies->queries, NULL);
    vkDestroyCommandPool(device->device, copies->pool, NULL);
    *copies = (VulkanCopies){0};
}

int vulkan_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    const VulkanCommandList *list = (const VulkanCommandList *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    if (!list->copies.queries || !list->copies.count)
        return -ENOTSUP;
    const VkResult result =
        vkGetQueryPoolResults(device->device, list->copies.queries, 0, 2, 2 * sizeof(*times_ns),
                              times_ns, sizeof(*times_ns), VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, "vkGetQueryPoolResults");
    vulkan_ticks_to_ns(device, device->queues.copy_valid_bits, times_ns, 2);
    return 0;
}
