/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Recordings are command buffers, made once and submitted again and again. */
#include <errno.h>
#include <stdlib.h>

#include "vulkan_internal.h"

enum { SETS_PER_POOL = 32, COPIES_PER_CALL = 64 };

typedef struct VulkanRecording {
    VmafDeviceRecording head;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueryPool queries;
    bool began_work; /* more than the copies that may run ahead */
    uint32_t n_set_pools, sets_left;
    VkDescriptorPool *set_pools;
} VulkanRecording;

static VulkanDevice *device_of(const VulkanRecording *recording)
{
    return (VulkanDevice *)recording->head.device;
}

VkCommandBuffer vulkan_recording_commands(const VmafDeviceRecording *recording)
{
    return ((const VulkanRecording *)recording)->commands;
}

void vulkan_recording_destroy(VmafDeviceRecording *base)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    if (!recording)
        return;
    VkDevice device = device_of(recording)->device;
    for (uint32_t i = 0; i < recording->n_set_pools; i++)
        vkDestroyDescriptorPool(device, recording->set_pools[i], NULL);
    free(recording->set_pools);
    vkDestroyQueryPool(device, recording->queries, NULL);
    vkDestroyCommandPool(device, recording->pool, NULL);
    free(recording);
}

static VkResult create_commands(VulkanRecording *recording)
{
    VulkanDevice *device = device_of(recording);
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = device->queue_family,
    };
    VkResult result = vkCreateCommandPool(device->device, &pool, NULL, &recording->pool);
    if (result != VK_SUCCESS)
        return result;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = recording->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = vkAllocateCommandBuffers(device->device, &buffer, &recording->commands);
    if (result != VK_SUCCESS)
        return result;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return vkBeginCommandBuffer(recording->commands, &begin);
}

static VkResult create_queries(VulkanRecording *recording)
{
    VulkanDevice *device = device_of(recording);
    if (!device->head.info.caps.timestamps)
        return VK_SUCCESS;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = VMAF_DEVICE_MAX_TIMESTAMPS,
    };
    const VkResult result = vkCreateQueryPool(device->device, &info, NULL, &recording->queries);
    if (result == VK_SUCCESS)
        vkCmdResetQueryPool(recording->commands, recording->queries, 0, VMAF_DEVICE_MAX_TIMESTAMPS);
    return result;
}

int vulkan_recording_begin(VmafDevice *base, VmafDeviceRecording **begun)
{
    VulkanDevice *device = (VulkanDevice *)base;
    *begun = NULL;
    const int err = vulkan_check(device);
    if (err)
        return err;
    VulkanRecording *recording = calloc(1, sizeof(*recording));
    if (!recording)
        return -ENOMEM;
    recording->head.device = base;
    VkResult result = create_commands(recording);
    if (result == VK_SUCCESS)
        result = create_queries(recording);
    if (result != VK_SUCCESS) {
        vulkan_recording_destroy(&recording->head);
        return vulkan_failed(device, result, "a recording");
    }
    *begun = &recording->head;
    return 0;
}

int vulkan_record_barrier(VmafDeviceRecording *base)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    const VkPipelineStageFlags stages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    vkCmdPipelineBarrier(recording->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
    recording->began_work = true;
    return 0;
}

int vulkan_record_copy(VmafDeviceRecording *base, const VmafDeviceCopy *copy)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    /* Only copies from upload buffers may overlap what was submitted before. */
    if (!recording->began_work && copy->src->memory != VMAF_MEMORY_UPLOAD)
        vulkan_record_barrier(base);
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
        vkCmdCopyBuffer(recording->commands, ((VulkanBuffer *)copy->src)->buffer,
                        ((VulkanBuffer *)copy->dst)->buffer, n, regions);
    }
    return 0;
}

static VkResult add_set_pool(VulkanRecording *recording)
{
    VulkanDevice *device = device_of(recording);
    VkDescriptorPool *grown =
        realloc(recording->set_pools, (recording->n_set_pools + 1) * sizeof(*grown));
    if (!grown)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    recording->set_pools = grown;
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
        vkCreateDescriptorPool(device->device, &info, NULL, &grown[recording->n_set_pools]);
    if (result == VK_SUCCESS) {
        recording->n_set_pools++;
        recording->sets_left = SETS_PER_POOL;
    }
    return result;
}

static VkResult create_set(VulkanRecording *recording, const VulkanKernel *kernel,
                           const VmafDeviceDispatch *dispatch, VkDescriptorSet *set)
{
    VulkanDevice *device = device_of(recording);
    VkResult result = recording->sets_left ? VK_SUCCESS : add_set_pool(recording);
    if (result != VK_SUCCESS)
        return result;
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = recording->set_pools[recording->n_set_pools - 1],
        .descriptorSetCount = 1,
        .pSetLayouts = &kernel->set_layout,
    };
    result = vkAllocateDescriptorSets(device->device, &info, set);
    if (result != VK_SUCCESS)
        return result;
    recording->sets_left--;

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

int vulkan_record_dispatch(VmafDeviceRecording *base, const VmafDeviceDispatch *dispatch)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    const VulkanKernel *kernel = (const VulkanKernel *)dispatch->kernel;
    VkDescriptorSet set;
    const VkResult result = create_set(recording, kernel, dispatch, &set);
    if (result != VK_SUCCESS)
        return vulkan_failed(device_of(recording), result, "a descriptor set");
    if (!recording->began_work)
        vulkan_record_barrier(base);
    vkCmdBindPipeline(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
                            1, &set, 0, NULL);
    vkCmdPushConstants(recording->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       kernel->head.kernel->args_size, dispatch->args);
    vkCmdDispatch(recording->commands, dispatch->groups[0], dispatch->groups[1],
                  dispatch->groups[2]);
    return 0;
}

int vulkan_record_timestamp(VmafDeviceRecording *base, uint32_t index)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    if (!recording->queries)
        return -ENOTSUP;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    vkCmdWriteTimestamp(recording->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                        recording->queries, index);
    return 0;
}

int vulkan_recording_end(VmafDeviceRecording *base)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(recording->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
    const VkResult result = vkEndCommandBuffer(recording->commands);
    return result == VK_SUCCESS ? 0
                                : vulkan_failed(device_of(recording), result, "vkEndCommandBuffer");
}

int vulkan_timestamps(VmafDeviceRecording *base, uint64_t *times_ns, uint32_t count)
{
    VulkanRecording *recording = (VulkanRecording *)base;
    VulkanDevice *device = device_of(recording);
    if (!recording->queries)
        return -ENOTSUP;
    const VkResult result = vkGetQueryPoolResults(device->device, recording->queries, 0, count,
                                                  count * sizeof(*times_ns), times_ns,
                                                  sizeof(*times_ns), VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, "vkGetQueryPoolResults");
    for (uint32_t i = 0; i < count; i++)
        times_ns[i] = (uint64_t)((double)times_ns[i] * device->timestamp_period);
    return 0;
}
