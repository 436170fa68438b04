/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Queues: submitting and waiting. A submission is a batch for its copies, and one for its command
 * list, in the queue of its stream, which waits for the last copies. Where copies have no queue of
 * their own, both go to the same one, in this order; copies may overlap what is before them, since
 * command lists begin with a barrier.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    const int err = vmaf_layer_state_check(&device->state);
    if (err)
        return err;
    VulkanQueue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    queue->head.device = base;
    VkResult result = create_counter(device, &queue->copied);
    for (uint32_t stream = 0; stream < VMAF_DEVICE_STREAMS && result == VK_SUCCESS; stream++)
        result = create_counter(device, &queue->finished[stream]);
    if (result != VK_SUCCESS) {
        vulkan_queue_destroy(&queue->head);
        return vulkan_failed(device, result, "vkCreateSemaphore");
    }
    *created = &queue->head;
    return 0;
}

/* The device's lock is held. */
static void wait_idle(VulkanDevice *device)
{
    if (device->lock_queue)
        device->lock_queue(device->lock_cookie);
    for (uint32_t stream = 0; stream < VMAF_DEVICE_STREAMS; stream++)
        vkQueueWaitIdle(device->lanes[stream]);
    vkQueueWaitIdle(device->copies);
    if (device->unlock_queue)
        device->unlock_queue(device->lock_cookie);
}

void vulkan_queue_destroy(VmafDeviceQueue *base)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    /* A driver's thread may still hold the semaphores whose value has been reached. */
    vmaf_mutex_lock(&device->lock);
    if (queue->submissions && !device->borrowed)
        wait_idle(device);
    vmaf_mutex_unlock(&device->lock);
    for (uint32_t i = 0; i < queue->n_copies; i++)
        vulkan_copies_destroy(device, &queue->copies[i]);
    free(queue->copies);
    vkDestroySemaphore(device->device, queue->copied, NULL);
    for (uint32_t stream = 0; stream < VMAF_DEVICE_STREAMS; stream++)
        vkDestroySemaphore(device->device, queue->finished[stream], NULL);
    free(queue);
}

/* -- submitting -- */

static bool has_finished(VulkanDevice *device, VulkanQueue *queue, uint64_t ticket)
{
    uint64_t finished = 0;
    vkGetSemaphoreCounterValue(device->device, queue->finished[ticket % VMAF_DEVICE_STREAMS],
                               &finished);
    return ticket <= finished;
}

/* A place for the copies of a submission without a command list; NULL: out of memory. */
static VulkanCopies *find_copies(VulkanDevice *device, VulkanQueue *queue)
{
    for (uint32_t i = 0; i < queue->n_copies; i++) {
        if (has_finished(device, queue, queue->copies[i].ticket))
            return &queue->copies[i];
    }
    VulkanCopies *grown = realloc(queue->copies, (queue->n_copies + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    queue->copies = grown;
    grown[queue->n_copies] = (VulkanCopies){0};
    return &grown[queue->n_copies++];
}

/* A batch: what it waits for, runs and signals. */
typedef struct Batch {
    VkSemaphore waits[VMAF_DEVICE_MAX_SYNCS + 1], signals[VMAF_DEVICE_MAX_SYNCS + 1];
    uint64_t wait_values[VMAF_DEVICE_MAX_SYNCS + 1], signal_values[VMAF_DEVICE_MAX_SYNCS + 1];
    VkPipelineStageFlags stages[VMAF_DEVICE_MAX_SYNCS + 1];
    uint32_t n_waits, n_signals;
    VkCommandBuffer commands;
} Batch;

static void add_wait(Batch *batch, VkSemaphore semaphore, uint64_t value)
{
    batch->waits[batch->n_waits] = semaphore;
    batch->wait_values[batch->n_waits] = value;
    batch->stages[batch->n_waits++] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
}

static void add_signal(Batch *batch, VkSemaphore semaphore, uint64_t value)
{
    batch->signals[batch->n_signals] = semaphore;
    batch->signal_values[batch->n_signals++] = value;
}

static VkSemaphore semaphore_of(const VmafBackendSync *sync)
{
    VkSemaphore semaphore; /* a pointer or an integer, depending on the platform */
    memcpy(&semaphore, &sync->handle, sizeof(semaphore));
    return semaphore;
}

static VkResult submit_batch(VulkanDevice *device, VkQueue queue, const Batch *batch)
{
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = batch->n_waits,
        .pWaitSemaphoreValues = batch->wait_values,
        .signalSemaphoreValueCount = batch->n_signals,
        .pSignalSemaphoreValues = batch->signal_values,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = batch->n_waits,
        .pWaitSemaphores = batch->waits,
        .pWaitDstStageMask = batch->stages,
        .commandBufferCount = batch->commands ? 1 : 0,
        .pCommandBuffers = &batch->commands,
        .signalSemaphoreCount = batch->n_signals,
        .pSignalSemaphores = batch->signals,
    };
    if (device->lock_queue)
        device->lock_queue(device->lock_cookie);
    const VkResult result = vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
    if (device->unlock_queue)
        device->unlock_queue(device->lock_cookie);
    return result;
}

static VkResult submit_copies(VulkanDevice *device, VulkanQueue *queue, VulkanCommandList *list,
                              const VmafDeviceSubmit *params, uint64_t ticket)
{
    Batch batch = {.n_waits = 0};
    if (params->n_copies > 0) {
        VulkanCopies *copies = list ? &list->copies : find_copies(device, queue);
        if (!copies)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        const VkResult result = vulkan_copies_make(device, copies, params);
        if (result != VK_SUCCESS)
            return result;
        copies->ticket = ticket;
        batch.commands = copies->commands;
    }
    if (!batch.commands && !params->n_waits && !params->n_signals)
        return VK_SUCCESS;
    for (uint32_t i = 0; i < params->n_waits; i++)
        add_wait(&batch, semaphore_of(&params->waits[i]), params->waits[i].value);
    for (uint32_t i = 0; i < params->n_signals; i++)
        add_signal(&batch, semaphore_of(&params->signals[i]), params->signals[i].value);
    add_signal(&batch, queue->copied, ticket);
    queue->last_copies = ticket;
    return submit_batch(device, device->copies, &batch);
}

static VkResult submit_list(VulkanDevice *device, VulkanQueue *queue, VulkanCommandList *list,
                            uint32_t stream, uint64_t ticket)
{
    Batch batch = {.commands = list ? list->commands : VK_NULL_HANDLE};
    if (queue->last_copies)
        add_wait(&batch, queue->copied, queue->last_copies);
    add_signal(&batch, queue->finished[stream], ticket);
    return submit_batch(device, device->lanes[stream], &batch);
}

/* Nothing runs on a lost device. */
static VkResult lose(VulkanDevice *device)
{
    wait_idle(device);
    return VK_ERROR_DEVICE_LOST;
}

static VkResult submit_locked(VulkanDevice *device, VulkanQueue *queue, VulkanCommandList *list,
                              const VmafDeviceSubmit *params, uint64_t ticket, bool loses,
                              bool hangs)
{
    if (loses)
        return lose(device);
    device->hangs |= hangs;
    if (device->hangs && !queue->hung_from)
        queue->hung_from = ticket;
    if (device->hangs)
        return VK_SUCCESS;
    const VkResult result = submit_copies(device, queue, list, params, ticket);
    return result == VK_SUCCESS ? submit_list(device, queue, list, params->stream, ticket) : result;
}

int vulkan_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list,
                  const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    bool loses, hangs;
    int err = vulkan_check_messages(device);
    if (err)
        return err;
    vmaf_mutex_lock(&device->lock);
    err = vmaf_layer_state_count_submission(&device->state, &loses, &hangs);
    VkResult result = VK_SUCCESS;
    *ticket = ++queue->submissions * VMAF_DEVICE_STREAMS + params->stream;
    if (!err)
        result =
            submit_locked(device, queue, (VulkanCommandList *)list, params, *ticket, loses, hangs);
    vmaf_mutex_unlock(&device->lock);
    if (err)
        return err;
    return result == VK_SUCCESS ? 0 : vulkan_failed(device, result, "vkQueueSubmit");
}

/* -- waiting -- */

int vulkan_wait(VmafDeviceQueue *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    VulkanQueue *queue = (VulkanQueue *)base;
    VulkanDevice *device = (VulkanDevice *)base->device;
    if (vmaf_layer_state_check(&device->state))
        return -ENODEV;
    vmaf_mutex_lock(&device->lock);
    const bool hangs = queue->hung_from && ticket >= queue->hung_from;
    vmaf_mutex_unlock(&device->lock);
    if (hangs) {
        vmaf_sleep_ns(timeout_ns);
        return -ETIMEDOUT;
    }
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &queue->finished[ticket % VMAF_DEVICE_STREAMS],
        .pValues = &ticket,
    };
    const VkResult result = vkWaitSemaphores(device->device, &info, timeout_ns);
    if (result == VK_TIMEOUT)
        return -ETIMEDOUT;
    return result == VK_SUCCESS ? vulkan_check_messages(device)
                                : vulkan_failed(device, result, "vkWaitSemaphores");
}
