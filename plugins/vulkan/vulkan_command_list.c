/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists are command buffers, made once and submitted again and again. So are the copies of
 * submissions: those of a session are the same each time that a position comes round, and their
 * command buffer is made anew only when they differ.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_internal.h"

/* -- copies -- */

enum { COPIES_PER_CALL = 64 };

static void copy_rows(VkCommandBuffer commands, const VmafDeviceCopy *copy)
{
    VkBufferCopy regions[COPIES_PER_CALL];
    for (uint32_t row = 0; row < copy->rows;) {
        uint32_t n = 0;
        for (; n < COPIES_PER_CALL && row < copy->rows; n++, row++) {
            regions[n] = (VkBufferCopy){
                .srcOffset = copy->src_offset + row * copy->src_stride,
                .dstOffset = copy->dst_offset + row * copy->dst_stride,
                .size = copy->row_size,
            };
        }
        vkCmdCopyBuffer(commands, ((VulkanBuffer *)copy->src)->buffer,
                        ((VulkanBuffer *)copy->dst)->buffer, n, regions);
    }
}

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
        (params->copies[i].image ? vulkan_copy_image : copy_rows)(copies->commands,
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

/* -- command lists -- */

enum { SETS_PER_POOL = 32 };

static VulkanDevice *device_of(const VulkanCommandList *list)
{
    return (VulkanDevice *)list->head.device;
}

void vulkan_command_list_destroy(VmafDeviceCommandList *base)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    if (!list)
        return;
    VkDevice device = device_of(list)->device;
    vulkan_copies_destroy(device_of(list), &list->copies);
    for (uint32_t i = 0; i < list->n_set_pools; i++)
        vkDestroyDescriptorPool(device, list->set_pools[i], NULL);
    free(list->set_pools);
    vkDestroyQueryPool(device, list->queries, NULL);
    vkDestroyCommandPool(device, list->pool, NULL);
    free(list);
}

static VkResult create_commands(VulkanCommandList *list)
{
    VulkanDevice *device = device_of(list);
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = device->queues.family,
    };
    VkResult result = vkCreateCommandPool(device->device, &pool, NULL, &list->pool);
    if (result != VK_SUCCESS)
        return result;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = list->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = vkAllocateCommandBuffers(device->device, &buffer, &list->commands);
    if (result != VK_SUCCESS)
        return result;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return vkBeginCommandBuffer(list->commands, &begin);
}

static VkResult create_queries(VulkanCommandList *list)
{
    VulkanDevice *device = device_of(list);
    if (!device->head.info.caps.timestamps)
        return VK_SUCCESS;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = VMAF_DEVICE_MAX_TIMESTAMPS,
    };
    const VkResult result = vkCreateQueryPool(device->device, &info, NULL, &list->queries);
    if (result == VK_SUCCESS)
        vkCmdResetQueryPool(list->commands, list->queries, 0, VMAF_DEVICE_MAX_TIMESTAMPS);
    return result;
}

int vulkan_command_list_begin(VmafDevice *base, VmafDeviceCommandList **begun)
{
    VulkanDevice *device = (VulkanDevice *)base;
    *begun = NULL;
    const int err = vmaf_layer_state_check(&device->state);
    if (err)
        return err;
    VulkanCommandList *list = calloc(1, sizeof(*list));
    if (!list)
        return -ENOMEM;
    list->head.device = base;
    VkResult result = create_commands(list);
    if (result == VK_SUCCESS)
        result = create_queries(list);
    if (result == VK_SUCCESS) /* what its copies and earlier lists wrote */
        vulkan_cmd_barrier(&list->head);
    if (result != VK_SUCCESS) {
        vulkan_command_list_destroy(&list->head);
        return vulkan_failed(device, result, "a command list");
    }
    *begun = &list->head;
    return 0;
}

int vulkan_cmd_barrier(VmafDeviceCommandList *base)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    const VkPipelineStageFlags stages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    vkCmdPipelineBarrier(list->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
    return 0;
}

int vulkan_cmd_copy(VmafDeviceCommandList *base, const VmafDeviceCopy *copy)
{
    copy_rows(((VulkanCommandList *)base)->commands, copy);
    return 0;
}

static VkResult add_set_pool(VulkanCommandList *list)
{
    VulkanDevice *device = device_of(list);
    VkDescriptorPool *grown = realloc(list->set_pools, (list->n_set_pools + 1) * sizeof(*grown));
    if (!grown)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    list->set_pools = grown;
    const VkDescriptorPoolSize size = {
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = SETS_PER_POOL * VMAF_KERNEL_MAX_BUFFERS,
    };
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = SETS_PER_POOL,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    const VkResult result =
        vkCreateDescriptorPool(device->device, &info, NULL, &grown[list->n_set_pools]);
    if (result == VK_SUCCESS) {
        list->n_set_pools++;
        list->sets_left = SETS_PER_POOL;
    }
    return result;
}

static VkResult create_set(VulkanCommandList *list, const VulkanKernel *kernel,
                           const VmafDeviceDispatch *dispatch, VkDescriptorSet *set)
{
    VulkanDevice *device = device_of(list);
    VkResult result = list->sets_left ? VK_SUCCESS : add_set_pool(list);
    if (result != VK_SUCCESS)
        return result;
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = list->set_pools[list->n_set_pools - 1],
        .descriptorSetCount = 1,
        .pSetLayouts = &kernel->set_layout,
    };
    result = vkAllocateDescriptorSets(device->device, &info, set);
    if (result != VK_SUCCESS)
        return result;
    list->sets_left--;

    const uint32_t n = kernel->head.kernel->n_buffers;
    VkDescriptorBufferInfo buffers[VMAF_KERNEL_MAX_BUFFERS];
    VkWriteDescriptorSet writes[VMAF_KERNEL_MAX_BUFFERS];
    for (uint32_t i = 0; i < n; i++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[i];
        buffers[i] = (VkDescriptorBufferInfo){
            .buffer = ((VulkanBuffer *)binding->buffer)->buffer,
            .offset = binding->offset,
            .range = binding->size ? binding->size : binding->buffer->size - binding->offset,
        };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = *set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffers[i],
        };
    }
    vkUpdateDescriptorSets(device->device, n, writes, 0, NULL);
    return VK_SUCCESS;
}

int vulkan_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    const VulkanKernel *kernel = (const VulkanKernel *)dispatch->kernel;
    VkDescriptorSet set;
    const VkResult result = create_set(list, kernel, dispatch, &set);
    if (result != VK_SUCCESS)
        return vulkan_failed(device_of(list), result, "a descriptor set");
    vkCmdBindPipeline(list->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(list->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1,
                            &set, 0, NULL);
    vkCmdPushConstants(list->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       kernel->head.kernel->args_size, dispatch->args);
    vkCmdDispatch(list->commands, dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]);
    return 0;
}

int vulkan_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    if (!list->queries)
        return -ENOTSUP;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    vkCmdWriteTimestamp(list->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, list->queries, index);
    return 0;
}

int vulkan_command_list_end(VmafDeviceCommandList *base)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(list->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &to_host, 0, NULL, 0, NULL);
    const VkResult result = vkEndCommandBuffer(list->commands);
    return result == VK_SUCCESS ? 0 : vulkan_failed(device_of(list), result, "vkEndCommandBuffer");
}

void vulkan_ticks_to_ns(const VulkanDevice *device, uint32_t valid_bits, uint64_t *times,
                        uint32_t count)
{
    const uint64_t mask = valid_bits < 64 ? (UINT64_C(1) << valid_bits) - 1 : UINT64_MAX;
    const uint64_t first = count ? times[0] & mask : 0;
    uint64_t ticks = 0, before = first;
    for (uint32_t i = 0; i < count; i++) {
        ticks += (times[i] - before) & mask;
        before = times[i] & mask;
        times[i] = (uint64_t)((double)(first + ticks) * device->timestamp_period);
    }
}

int vulkan_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    VulkanCommandList *list = (VulkanCommandList *)base;
    VulkanDevice *device = device_of(list);
    if (!list->queries)
        return -ENOTSUP;
    const VkResult result =
        vkGetQueryPoolResults(device->device, list->queries, 0, count, count * sizeof(*times_ns),
                              times_ns, sizeof(*times_ns), VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, "vkGetQueryPoolResults");
    vulkan_ticks_to_ns(device, device->queues.valid_bits, times_ns, count);
    return 0;
}
