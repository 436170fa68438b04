/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "counts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef VMAF_TEST_VULKAN
#include <vulkan/vulkan.h>
#endif

static atomic_uint allocations, vulkan_creations;

unsigned counts_allocations(void)
{
    return atomic_load(&allocations);
}

unsigned counts_vulkan_creations(void)
{
    return atomic_load(&vulkan_creations);
}

/* The number of allocations before one fails; negative: none fails. */
static atomic_int until_failure = -1;

void counts_fail_allocation(unsigned number)
{
    atomic_store(&until_failure, (int)number - 1);
}

static bool fails(void)
{
    atomic_fetch_add(&allocations, 1);
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

/* Counts a call and passes it on to the function that the linker wraps; modules call these, too. */
#define ALLOCATION(TYPE, NAME, PARAMETERS, ARGUMENTS, FAILED)                                      \
    TYPE __real_##NAME PARAMETERS;                                                                 \
    __attribute__((visibility("default"))) TYPE __wrap_##NAME PARAMETERS;                          \
    TYPE __wrap_##NAME PARAMETERS                                                                  \
    {                                                                                              \
        return fails() ? (FAILED) : __real_##NAME ARGUMENTS;                                       \
    }

ALLOCATION(void *, malloc, (size_t size), (size), NULL)
ALLOCATION(void *, calloc, (size_t n, size_t size), (n, size), NULL)
ALLOCATION(void *, realloc, (void *memory, size_t size), (memory, size), NULL)
ALLOCATION(void *, reallocarray, (void *memory, size_t n, size_t size), (memory, n, size), NULL)
ALLOCATION(char *, strdup, (const char *text), (text), NULL)
ALLOCATION(int, posix_memalign, (void **memory, size_t alignment, size_t size),
           (memory, alignment, size), ENOMEM)

#ifdef VMAF_TEST_VULKAN
#define COUNTED_VULKAN(NAME, PARAMETERS, ARGUMENTS)                                                \
    VkResult __real_##NAME PARAMETERS;                                                             \
    VkResult __wrap_##NAME PARAMETERS;                                                             \
    VkResult __wrap_##NAME PARAMETERS                                                              \
    {                                                                                              \
        atomic_fetch_add(&vulkan_creations, 1);                                                    \
        return __real_##NAME ARGUMENTS;                                                            \
    }

COUNTED_VULKAN(vkAllocateMemory,
               (VkDevice device, const VkMemoryAllocateInfo *info,
                const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory),
               (device, info, callbacks, memory))
COUNTED_VULKAN(vkCreateBuffer,
               (VkDevice device, const VkBufferCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkBuffer *buffer),
               (device, info, callbacks, buffer))
COUNTED_VULKAN(vkCreateDescriptorPool,
               (VkDevice device, const VkDescriptorPoolCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkDescriptorPool *pool),
               (device, info, callbacks, pool))
COUNTED_VULKAN(vkAllocateDescriptorSets,
               (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *sets),
               (device, info, sets))
COUNTED_VULKAN(vkCreateShaderModule,
               (VkDevice device, const VkShaderModuleCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkShaderModule *module),
               (device, info, callbacks, module))
COUNTED_VULKAN(vkCreateComputePipelines,
               (VkDevice device, VkPipelineCache cache, uint32_t n,
                const VkComputePipelineCreateInfo *info, const VkAllocationCallbacks *callbacks,
                VkPipeline *pipeline),
               (device, cache, n, info, callbacks, pipeline))
COUNTED_VULKAN(vkCreateCommandPool,
               (VkDevice device, const VkCommandPoolCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkCommandPool *pool),
               (device, info, callbacks, pool))
COUNTED_VULKAN(vkAllocateCommandBuffers,
               (VkDevice device, const VkCommandBufferAllocateInfo *info,
                VkCommandBuffer *commands),
               (device, info, commands))
COUNTED_VULKAN(vkBeginCommandBuffer,
               (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info), (commands, info))
COUNTED_VULKAN(vkCreateSemaphore,
               (VkDevice device, const VkSemaphoreCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkSemaphore *semaphore),
               (device, info, callbacks, semaphore))
COUNTED_VULKAN(vkCreateFence,
               (VkDevice device, const VkFenceCreateInfo *info,
                const VkAllocationCallbacks *callbacks, VkFence *fence),
               (device, info, callbacks, fence))
#endif
