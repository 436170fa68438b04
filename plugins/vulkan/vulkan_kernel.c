/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels become compute pipelines on first use. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "vulkan_internal.h"

static VkResult create_layouts(VulkanDevice *device, VulkanKernel *kernel, const VmafKernel *source)
{
    VkDescriptorSetLayoutBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    for (uint32_t i = 0; i < source->n_buffers; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = source->n_buffers,
        .pBindings = bindings,
    };
    VkResult result = vkCreateDescriptorSetLayout(device->device, &set, NULL, &kernel->set_layout);
    if (result != VK_SUCCESS)
        return result;
    const VkPushConstantRange arguments = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = source->args_size,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &kernel->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &arguments,
    };
    return vkCreatePipelineLayout(device->device, &layout, NULL, &kernel->layout);
}

static VkResult create_pipeline(VulkanDevice *device, VulkanKernel *kernel,
                                const VmafKernel *source)
{
    const VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = source->codes[0].size,
        .pCode = source->codes[0].code,
    };
    VkShaderModule module;
    VkResult result = vkCreateShaderModule(device->device, &code, NULL, &module);
    if (result != VK_SUCCESS)
        return result;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = kernel->layout,
    };
    result =
        vkCreateComputePipelines(device->device, device->cache, 1, &info, NULL, &kernel->pipeline);
    vkDestroyShaderModule(device->device, module, NULL);
    return result;
}

static void destroy_kernel(VulkanDevice *device, VulkanKernel *kernel)
{
    vkDestroyPipeline(device->device, kernel->pipeline, NULL);
    vkDestroyPipelineLayout(device->device, kernel->layout, NULL);
    vkDestroyDescriptorSetLayout(device->device, kernel->set_layout, NULL);
    kernel->pipeline = VK_NULL_HANDLE;
    kernel->layout = VK_NULL_HANDLE;
    kernel->set_layout = VK_NULL_HANDLE;
}

static VkResult compile(VulkanDevice *device, VulkanKernel *kernel, const VmafKernel *source)
{
    VkResult result = create_layouts(device, kernel, source);
    if (result == VK_SUCCESS)
        result = create_pipeline(device, kernel, source);
    if (result != VK_SUCCESS)
        destroy_kernel(device, kernel);
    return result;
}

/* Several threads may compile kernels, each one of them once; nothing else waits for that. */
int vulkan_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    VulkanDevice *device = (VulkanDevice *)base;
    const VmafKernel *source = vmaf_kernel_set_find(base->kernels, name);
    if (!source)
        return vulkan_fail(device, -ENOENT, "there is no kernel %s", name);
    const int err = vmaf_layer_state_check(&device->state);
    if (err)
        return err;
    VulkanKernel *kernel = &device->kernels[source - base->kernels->kernels];
    VkResult result = VK_SUCCESS;
    vmaf_mutex_lock(&device->kernel_lock);
    while (kernel->is_compiling)
        vmaf_condition_wait(&device->kernel_done, &device->kernel_lock);
    if (!kernel->head.kernel) {
        kernel->is_compiling = true;
        vmaf_mutex_unlock(&device->kernel_lock);
        result = compile(device, kernel, source);
        vmaf_mutex_lock(&device->kernel_lock);
        kernel->is_compiling = false;
        kernel->head.kernel = result == VK_SUCCESS ? source : NULL;
        vmaf_condition_broadcast(&device->kernel_done);
    }
    vmaf_mutex_unlock(&device->kernel_lock);
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, name);
    *found = &kernel->head;
    return 0;
}

void vulkan_kernels_destroy(VulkanDevice *device)
{
    for (size_t i = 0; device->kernels && i < device->head.kernels->count; i++)
        destroy_kernel(device, &device->kernels[i]);
}

/* -- the cache of compiled pipelines -- */

enum { CACHE_MAX = 64 * 1024 * 1024 };

/* True if this driver wrote it for this device: it must not be given the cache of another. */
static bool is_cache_of(const VulkanDevice *device, const void *content, size_t size)
{
    VkPipelineCacheHeaderVersionOne header;
    VkPhysicalDeviceProperties properties;
    if (size < sizeof(header))
        return false;
    memcpy(&header, content, sizeof(header));
    vkGetPhysicalDeviceProperties(device->physical, &properties);
    return header.headerSize >= sizeof(header) && header.headerSize <= size &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == properties.vendorID && header.deviceID == properties.deviceID &&
           !memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
}

int vulkan_cache_open(VulkanDevice *device, const char *directory)
{
    char *content = NULL;
    size_t size = 0;
    if (directory && asprintf(&device->cache_path, "%s/vulkan-pipelines-%s", directory,
                              device->head.info.id) < 0)
        device->cache_path = NULL;
    if (device->cache_path)
        vmaf_file_load(device->cache_path, CACHE_MAX, &content, &size);
    if (!is_cache_of(device, content, size))
        size = 0;
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = content,
    };
    device->cached_size = size;
    const VkResult result = vkCreatePipelineCache(device->device, &info, NULL, &device->cache);
    free(content);
    return result == VK_SUCCESS ? 0 : vulkan_failed(device, result, "vkCreatePipelineCache");
}

/* Saves a cache that has grown; no reader finds half of it. */
static void keep_cache(VulkanDevice *device)
{
    size_t size = 0;
    if (vkGetPipelineCacheData(device->device, device->cache, &size, NULL) != VK_SUCCESS ||
        size <= device->cached_size)
        return;
    void *content = malloc(size);
    VmafAtomicFile *file;
    if (content &&
        vkGetPipelineCacheData(device->device, device->cache, &size, content) == VK_SUCCESS &&
        !vmaf_atomic_file_open_private(&file, device->cache_path)) {
        vmaf_atomic_file_write(file, content, size);
        vmaf_atomic_file_commit(file); /* if it fails, the next run tries again */
    }
    free(content);
}

void vulkan_cache_close(VulkanDevice *device)
{
    if (device->cache_path && device->cache && !vmaf_layer_state_check(&device->state))
        keep_cache(device);
    vkDestroyPipelineCache(device->device, device->cache, NULL);
    free(device->cache_path);
}
