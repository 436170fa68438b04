/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Queues: submitting and waiting. A submission is a batch of up to two command buffers: its copies,
 * which may overlap what is before them, and its command list, which begins with a barrier. */
#include <errno.h>
#include <stdlib.h>

#include "platform/time.h"
#include "vulkan_internal.h"

static VkResult create_counter(VulkanDevice *device, VkSemaphore *semaphore)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    return vkCreateSemaphore(device->device, &info, NULL, semaphore);
}

int vulkan_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    VulkanDevice *device = (VulkanDevice *)base;
    *created = NULL;
    const int err = vulkan_check(device);
    if (err)
        return err;
    VulkanQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    queue->head.device = base;
    const VkResult result = create_counter(device, &queue->finished);
    if (result != VK_SUCCESS) {
        vulkan_queue_destroy(&queue->head);
        return vulkan_failed(device, result, "vkCreateSemaphore");
    }
    *created = &queue->head;
    return 0;
}

void vulkan_queue_destroy(VmafDeviceQueue *base)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    for (uint32_t i = 0; i < queue->n_copies; i++)
        vulkan_copies_destroy(device, &queue->copies[i]);
    free(queue->copies);
    vkDestroySemaphore(device->device, queue->finished, NULL);
    free(queue);
}

/* A place for the copies of a submission without a command list; NULL: out of memory. */
static VulkanCopies *find_copies(VulkanDevice *device, VulkanQueue *queue)
{
    uint64_t finished = 0;
    vkGetSemaphoreCounterValue(device->device, queue->finished, &finished);
    for (uint32_t i = 0; i < queue->n_copies; i++) {
        if (queue->copies[i].ticket <= finished)
            return &queue->copies[i];
    }
    VulkanCopies *grown = realloc(queue->copies, (queue->n_copies + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    queue->copies = grown;
    grown[queue->n_copies] = (VulkanCopies){0};
    return &grown[queue->n_copies++];
}

/* Collects the command buffers of a submission; VK_SUCCESS or an error. */
static VkResult gather(VulkanDevice *device, VulkanQueue *queue, VulkanCommandList *list,
                       const VmafDeviceSubmit *params, VkCommandBuffer commands[2], uint32_t *count)
{
    *count = 0;
    if (params->n_copies > 0) {
        VulkanCopies *copies = list ? &list->copies : find_copies(device, queue);
        if (!copies)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        const VkResult result = vulkan_copies_make(device, copies, params);
        if (result != VK_SUCCESS)
            return result;
        copies->ticket = queue->submissions;
        commands[(*count)++] = copies->commands;
    }
    if (list)
        commands[(*count)++] = list->commands;
    return VK_SUCCESS;
}

static VkResult submit_locked(VulkanDevice *device, VulkanQueue *queue, VulkanCommandList *list,
                              const VmafDeviceSubmit *params)
{
    const uint64_t number = ++device->submissions, ticket = ++queue->submissions;
    VkCommandBuffer commands[2];
    uint32_t count;
    if (number == device->faults.lose_at_submit) {
        vkQueueWaitIdle(device->queue); /* nothing runs on a lost device */
        return VK_ERROR_DEVICE_LOST;
    }
    device->hangs |= number == device->faults.hang_at_submit;
    if (device->hangs && !queue->hung_from)
        queue->hung_from = ticket;
    if (device->hangs)
        return VK_SUCCESS;
    const VkResult result = gather(device, queue, list, params, commands, &count);
    if (result != VK_SUCCESS)
        return result;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &ticket,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .commandBufferCount = count,
        .pCommandBuffers = commands,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &queue->finished,
    };
    return vkQueueSubmit(device->queue, 1, &info, VK_NULL_HANDLE);
}

int vulkan_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list,
                  const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    const int err = vulkan_check_messages(device);
    if (err)
        return err;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    VkResult result = VK_SUCCESS;
    if (!lost)
        result = submit_locked(device, queue, (VulkanCommandList *)list, params);
    *ticket = queue->submissions;
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    return result == VK_SUCCESS ? 0 : vulkan_failed(device, result, "vkQueueSubmit");
}

int vulkan_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    const bool hangs = queue->hung_from && ticket >= queue->hung_from;
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    if (hangs) {
        vmaf_sleep_ns(timeout_ns);
        return -ETIMEDOUT;
    }
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &queue->finished,
        .pValues = &ticket,
    };
    const VkResult result = vkWaitSemaphores(device->device, &info, timeout_ns);
    if (result == VK_TIMEOUT)
        return -ETIMEDOUT;
    return result == VK_SUCCESS ? vulkan_check_messages(device)
                                : vulkan_failed(device, result, "vkWaitSemaphores");
}
