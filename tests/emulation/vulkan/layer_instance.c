/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the loader comes in: instances, and names of functions. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LayerInstance *instances;

static PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance handle, const char *name);

static LayerInstance *find(VkInstance handle)
{
    pthread_mutex_lock(&lock);
    LayerInstance *instance = instances;
    while (instance && *(void **)instance->handle != *(void **)handle)
        instance = instance->next;
    pthread_mutex_unlock(&lock);
    return instance;
}

static VkLayerInstanceCreateInfo *find_link(const VkInstanceCreateInfo *info)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    return link;
}

static VkResult keep(PFN_vkGetInstanceProcAddr get, VkInstance handle)
{
    LayerInstance *instance = calloc(1, sizeof(*instance));
    if (!instance)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    instance->handle = handle;
    instance->get = get;
#define FETCH(name) instance->name = (PFN_vk##name)get(handle, "vk" #name);
    LAYER_INSTANCE_FUNCTIONS(FETCH)
    const VkResult result = layer_find_devices(instance);
    if (result) {
        instance->DestroyInstance(handle, NULL);
        free(instance);
        return result;
    }
    pthread_mutex_lock(&lock);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_CreateInstance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = find_link(info);
    VkResult result = (VkResult)machine_begin("vkCreateInstance");
    if (!result && (!link || *machine_why)) /* the file is not understood */
        result = VK_ERROR_INITIALIZATION_FAILED;
    result = (VkResult)machine_end("vkCreateInstance", result);
    if (result)
        return result;
    const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext; /* for the next one */
    result = create(info, allocator, handle);
    return result ? result : keep(get, *handle);
}

static VKAPI_ATTR void VKAPI_CALL layer_DestroyInstance(VkInstance handle,
                                                        const VkAllocationCallbacks *allocator)
{
    LayerInstance *instance = handle ? find(handle) : NULL;
    if (!instance)
        return;
    pthread_mutex_lock(&lock);
    LayerInstance **at = &instances;
    while (*at != instance)
        at = &(*at)->next;
    *at = instance->next;
    pthread_mutex_unlock(&lock);
    instance->DestroyInstance(handle, allocator);
    free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumeratePhysicalDevices(VkInstance handle,
                                                                     uint32_t *count,
                                                                     VkPhysicalDevice *list)
{
    LayerInstance *instance = find(handle);
    const VkResult failed = (VkResult)machine_begin("vkEnumeratePhysicalDevices");
    if (machine_end("vkEnumeratePhysicalDevices", failed))
        return failed;
    const uint32_t n = instance->n_physical, room = *count;
    *count = !list || n <= room ? n : room;
    for (uint32_t i = 0; list && i < *count; i++)
        list[i] = (VkPhysicalDevice)&instance->physical[i];
    return list && n > room ? VK_INCOMPLETE : VK_SUCCESS;
}

/* A group of each. */
static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumeratePhysicalDeviceGroups(
    VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
    LayerInstance *instance = find(handle);
    const uint32_t n = instance->n_physical, room = *count;
    *count = !groups || n <= room ? n : room;
    for (uint32_t i = 0; groups && i < *count; i++) {
        groups[i].physicalDeviceCount = 1;
        groups[i].physicalDevices[0] = (VkPhysicalDevice)&instance->physical[i];
        groups[i].subsetAllocation = VK_FALSE;
    }
    return groups && n > room ? VK_INCOMPLETE : VK_SUCCESS;
}

static PFN_vkVoidFunction own_function(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } functions[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)layer_GetInstanceProcAddr},
        {"vkCreateInstance", (PFN_vkVoidFunction)layer_CreateInstance},
        {"vkDestroyInstance", (PFN_vkVoidFunction)layer_DestroyInstance},
        {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)layer_EnumeratePhysicalDevices},
        {"vkEnumeratePhysicalDeviceGroups",
         (PFN_vkVoidFunction)layer_EnumeratePhysicalDeviceGroups},
        {"vkEnumeratePhysicalDeviceGroupsKHR",
         (PFN_vkVoidFunction)layer_EnumeratePhysicalDeviceGroups},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    }
    const PFN_vkVoidFunction of_device = layer_device_function(name);
    return of_device ? of_device : layer_physical_function(name);
}

/* What else takes a physical device would see a handle that is not its own: it does not exist. */
static bool takes_physical_device(const char *name)
{
    return strncmp(name, "vkGetPhysicalDevice", 19) == 0 ||
           strncmp(name, "vkEnumeratePhysicalDevice", 25) == 0 || strstr(name, "Display") ||
           strcmp(name, "vkEnumerateDeviceLayerProperties") == 0;
}

static PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance handle, const char *name)
{
    const PFN_vkVoidFunction mine = own_function(name);
    if (mine || !handle || takes_physical_device(name))
        return mine;
    const LayerInstance *instance = find(handle);
    return instance ? instance->get(handle, name) : NULL;
}

static PFN_vkVoidFunction VKAPI_CALL layer_GetPhysicalDeviceProcAddr(VkInstance handle,
                                                                     const char *name)
{
    (void)handle;
    return layer_physical_function(name);
}

/* The only name that the loader looks up. */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *layer);

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *layer)
{
    if (layer->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    layer->loaderLayerInterfaceVersion = 2;
    layer->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
    layer->pfnGetDeviceProcAddr =
        (PFN_vkGetDeviceProcAddr)layer_device_function("vkGetDeviceProcAddr");
    layer->pfnGetPhysicalDeviceProcAddr = layer_GetPhysicalDeviceProcAddr;
    return VK_SUCCESS;
}
