/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Devices: how they are made, what they lack memory for, and how they are lost. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LayerDevice *devices;

static _Thread_local LayerPhysical *submitting; /* this thread calls into it */

int layer_lose(int error)
{
    if (submitting)
        atomic_store(&submitting->error, error);
    return error;
}

/* Of a device or one of its queues: what the loader keeps there is the same in all of them. */
static LayerDevice *find(const void *handle)
{
    pthread_mutex_lock(&lock);
    LayerDevice *device = devices;
    while (device && *(void *const *)device->handle != *(void *const *)handle)
        device = device->next;
    pthread_mutex_unlock(&lock);
    return device;
}

/* ---- making them ---- */

static VkLayerDeviceCreateInfo *find_link(const VkDeviceCreateInfo *info)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    return link;
}

/* Without the extension that only the layer has. */
static VkResult create_below(PFN_vkCreateDevice create, const LayerPhysical *physical,
                             const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *device)
{
    VkDeviceCreateInfo below = *info;
    const char **names = calloc(info->enabledExtensionCount + 1, sizeof(*names));
    if (!names)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    below.enabledExtensionCount = 0;
    below.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], VK_EXT_PCI_BUS_INFO_EXTENSION_NAME) != 0)
            names[below.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    }
    const VkResult result = create(physical->real, &below, allocator, device);
    free(names);
    return result;
}

static void keep(LayerPhysical *physical, PFN_vkGetDeviceProcAddr get, VkDevice handle)
{
    LayerDevice *device = calloc(1, sizeof(*device));
    if (!device)
        abort();
    device->handle = handle;
    device->physical = physical;
    device->get = get;
#define FETCH(name) device->name = (PFN_vk##name)get(handle, "vk" #name);
    LAYER_DEVICE_FUNCTIONS(FETCH)
    pthread_mutex_lock(&lock);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
}

static VkResult begin(const char *function, LayerPhysical *physical)
{
    submitting = physical;
    const int result = machine_begin(function);
    const int lost = atomic_load(&physical->error);
    return (VkResult)(result ? result : lost);
}

static VkResult end(const char *function, VkResult result)
{
    submitting = NULL;
    return (VkResult)machine_end(function, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_CreateDevice(VkPhysicalDevice handle,
                                                         const VkDeviceCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkDevice *device)
{
    LayerPhysical *physical = layer_physical(handle);
    VkLayerDeviceCreateInfo *link = find_link(info);
    VkResult result = begin("vkCreateDevice", physical);
    machine_note(" %s", physical->machine->name);
    if (!result && (!link || physical->machine->is_busy))
        result = VK_ERROR_INITIALIZATION_FAILED;
    result = end("vkCreateDevice", result);
    if (result)
        return result;
    const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr get_of_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext; /* for the next one */
    const PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)get(physical->instance->handle, "vkCreateDevice");
    result = create_below(create, physical, info, allocator, device);
    if (!result)
        keep(physical, get_of_device, *device);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL layer_DestroyDevice(VkDevice handle,
                                                      const VkAllocationCallbacks *allocator)
{
    LayerDevice *device = handle ? find(handle) : NULL;
    if (!device)
        return;
    pthread_mutex_lock(&lock);
    LayerDevice **at = &devices;
    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    pthread_mutex_unlock(&lock);
    device->DestroyDevice(handle, allocator);
    free(device);
}

/* ---- using them ---- */

static VKAPI_ATTR VkResult VKAPI_CALL layer_AllocateMemory(VkDevice handle,
                                                           const VkMemoryAllocateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkDeviceMemory *memory)
{
    const LayerDevice *device = find(handle);
    VkResult result = begin("vkAllocateMemory", device->physical);
    const uint64_t limit = emulated_machine.memory_limit;
    if (!result && (machine_denies_memory() || (limit && info->allocationSize > limit)))
        result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    result = end("vkAllocateMemory", result);
    return result ? result : device->AllocateMemory(handle, info, allocator, memory);
}

static VkResult begin_submission(const char *function, const LayerDevice *device)
{
    VkResult result = begin(function, device->physical);
    const MachineFault *fault = result ? NULL : machine_count("submission");
    if (fault && fault->kind == MACHINE_LOSE)
        result = (VkResult)layer_lose(fault->error);
    return end(function, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_QueueSubmit(VkQueue queue, uint32_t count,
                                                        const VkSubmitInfo *submits, VkFence fence)
{
    const LayerDevice *device = find(queue);
    const VkResult result = begin_submission("vkQueueSubmit", device);
    return result ? result : device->QueueSubmit(queue, count, submits, fence);
}

static VkResult state_of(const LayerDevice *device)
{
    return (VkResult)atomic_load(&device->physical->error);
}

/* What waits on a device that was lost fails. */
static VKAPI_ATTR VkResult VKAPI_CALL layer_QueueWaitIdle(VkQueue queue)
{
    const LayerDevice *device = find(queue);
    const VkResult result = device->QueueWaitIdle(queue);
    return result ? result : state_of(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_WaitSemaphores(VkDevice handle,
                                                           const VkSemaphoreWaitInfo *info,
                                                           uint64_t timeout)
{
    const LayerDevice *device = find(handle);
    const VkResult lost = state_of(device);
    return lost ? lost : device->WaitSemaphores(handle, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_GetSemaphoreCounterValue(VkDevice handle,
                                                                     VkSemaphore semaphore,
                                                                     uint64_t *value)
{
    const LayerDevice *device = find(handle);
    const VkResult lost = state_of(device);
    return lost ? lost : device->GetSemaphoreCounterValue(handle, semaphore, value);
}

/* ---- names ---- */

static PFN_vkVoidFunction VKAPI_CALL layer_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    const PFN_vkVoidFunction mine = layer_device_function(name);
    const LayerDevice *device = find(handle);
    const PFN_vkVoidFunction below = device ? device->get(handle, name) : NULL;
    return mine && (below || strcmp(name, "vkGetDeviceProcAddr") == 0) ? mine : below;
}

PFN_vkVoidFunction layer_device_function(const char *name)
{
#define ENTRY(function) {"vk" #function, (PFN_vkVoidFunction)layer_##function},
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        LAYER_DEVICE_FUNCTIONS(ENTRY){"vkCreateDevice", (PFN_vkVoidFunction)layer_CreateDevice},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)layer_GetDeviceProcAddr},
        {"vkWaitSemaphoresKHR", (PFN_vkVoidFunction)layer_WaitSemaphores},
        {"vkGetSemaphoreCounterValueKHR", (PFN_vkVoidFunction)layer_GetSemaphoreCounterValue}};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    }
    return NULL;
}
