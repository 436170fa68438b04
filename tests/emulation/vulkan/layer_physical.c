/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Physical devices: what they are, as the file says, and what they can do, as the real one does. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

LayerPhysical *layer_physical(VkPhysicalDevice physical)
{
    return (LayerPhysical *)physical;
}

VkResult layer_find_devices(LayerInstance *instance)
{
    VkPhysicalDevice real;
    uint32_t count = 1;
    const VkResult result = instance->EnumeratePhysicalDevices(instance->handle, &count, &real);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return result;
    if (count == 0 || emulated_machine.has_no_device)
        return VK_SUCCESS;
    for (int i = 0; i < emulated_machine.n_devices; i++) {
        LayerPhysical *physical = &instance->physical[instance->n_physical++];
        physical->dispatch = *(void **)real;
        physical->instance = instance;
        physical->real = real;
        physical->machine = &emulated_machine.devices[i];
        physical->text = &layer_texts[i];
    }
    return VK_SUCCESS;
}

/* ---- what the file says ---- */

static void set_properties(const LayerPhysical *physical, VkPhysicalDeviceProperties *properties)
{
    const MachineDevice *machine = physical->machine;
    const uint32_t version = (uint32_t)machine->own[OWN_VERSION];
    if (properties->apiVersion > version)
        properties->apiVersion = version;
    properties->deviceType = (VkPhysicalDeviceType)machine->own[OWN_KIND];
    properties->vendorID = machine->vendor_id;
    properties->deviceID = machine->product_id;
    snprintf(properties->deviceName, sizeof(properties->deviceName), "%s", machine->name);
    for (size_t i = 0; i < VK_UUID_SIZE; i++) /* caches of different devices are different */
        properties->pipelineCacheUUID[i] ^= machine->uuid[i];
}

static void set_id(const LayerPhysical *physical, uint8_t *uuid, uint8_t *luid, VkBool32 *has_luid)
{
    memcpy(uuid, physical->machine->uuid, VK_UUID_SIZE);
    memcpy(luid, physical->text->luid, VK_LUID_SIZE);
    *has_luid = physical->machine->own[OWN_HAS_LUID] != 0;
}

static void set_driver(const LayerPhysical *physical, char *name)
{
    snprintf(name, VK_MAX_DRIVER_NAME_SIZE, "%s", physical->text->driver);
}

static void set_pci(const LayerPhysical *physical, VkPhysicalDevicePCIBusInfoPropertiesEXT *pci)
{
    pci->pciDomain = physical->machine->pci_domain;
    pci->pciBus = physical->machine->pci_bus;
    pci->pciDevice = physical->machine->pci_device;
    pci->pciFunction = 0;
}

static void set_more(const LayerPhysical *physical, VkBaseOutStructure *chain)
{
    for (VkBaseOutStructure *s = chain; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
            VkPhysicalDeviceIDProperties *id = (VkPhysicalDeviceIDProperties *)s;
            set_id(physical, id->deviceUUID, id->deviceLUID, &id->deviceLUIDValid);
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            VkPhysicalDeviceVulkan11Properties *all = (VkPhysicalDeviceVulkan11Properties *)s;
            set_id(physical, all->deviceUUID, all->deviceLUID, &all->deviceLUIDValid);
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            set_driver(physical, ((VkPhysicalDeviceDriverProperties *)s)->driverName);
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
            set_driver(physical, ((VkPhysicalDeviceVulkan12Properties *)s)->driverName);
        } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT) {
            set_pci(physical, (VkPhysicalDevicePCIBusInfoPropertiesEXT *)s);
        }
    }
}

static void set_memory(const LayerPhysical *physical, VkPhysicalDeviceMemoryProperties *memory)
{
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        if (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            memory->memoryHeaps[i].size = physical->machine->memory;
    }
}

/* ---- functions that do more than handing on ---- */

static VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *properties)
{
    const LayerPhysical *physical = layer_physical(handle);
    physical->instance->GetPhysicalDeviceProperties(physical->real, properties);
    set_properties(physical, properties);
}

static VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *properties)
{
    const LayerPhysical *physical = layer_physical(handle);
    physical->instance->GetPhysicalDeviceProperties2(physical->real, properties);
    set_properties(physical, &properties->properties);
    set_more(physical, properties->pNext);
}

static VKAPI_ATTR void VKAPI_CALL layer_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties *memory)
{
    const LayerPhysical *physical = layer_physical(handle);
    physical->instance->GetPhysicalDeviceMemoryProperties(physical->real, memory);
    set_memory(physical, memory);
}

/* The real extensions, and that for PCI addresses as the file wants it. NULL: no memory. */
static VkExtensionProperties *list_extensions(const LayerPhysical *physical, uint32_t *count)
{
    const PFN_vkEnumerateDeviceExtensionProperties enumerate =
        physical->instance->EnumerateDeviceExtensionProperties;
    uint32_t n = 0, kept = 0;
    if (enumerate(physical->real, NULL, &n, NULL) != VK_SUCCESS)
        n = 0;
    VkExtensionProperties *list = calloc(n + 1, sizeof(*list));
    if (!list || enumerate(physical->real, NULL, &n, list) != VK_SUCCESS)
        n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(list[i].extensionName, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME) != 0)
            list[kept++] = list[i];
    }
    if (list && !physical->machine->own[OWN_HIDES_PCI])
        list[kept++] = (VkExtensionProperties){VK_EXT_PCI_BUS_INFO_EXTENSION_NAME,
                                               VK_EXT_PCI_BUS_INFO_SPEC_VERSION};
    *count = kept;
    return list;
}

static VKAPI_ATTR VkResult VKAPI_CALL layer_EnumerateDeviceExtensionProperties(
    VkPhysicalDevice handle, const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    const LayerPhysical *physical = layer_physical(handle);
    uint32_t n;
    if (layer)
        return physical->instance->EnumerateDeviceExtensionProperties(physical->real, layer, count,
                                                                      properties);
    VkExtensionProperties *list = list_extensions(physical, &n);
    if (!list)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const uint32_t room = *count;
    *count = !properties || n <= room ? n : room;
    if (properties)
        memcpy(properties, list, *count * sizeof(*list));
    free(list);
    return properties && n > room ? VK_INCOMPLETE : VK_SUCCESS;
}

/* ---- functions that hand on ---- */

static VKAPI_ATTR void VKAPI_CALL
layer_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *features)
{
    const LayerPhysical *physical = layer_physical(handle);
    physical->instance->GetPhysicalDeviceFeatures2(physical->real, features);
}

static VKAPI_ATTR void VKAPI_CALL layer_GetPhysicalDeviceQueueFamilyProperties(
    VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties *families)
{
    const LayerPhysical *physical = layer_physical(handle);
    physical->instance->GetPhysicalDeviceQueueFamilyProperties(physical->real, count, families);
}

/* clang-format off */
#define ENTRY(function) {"vk" #function, (PFN_vkVoidFunction)layer_##function}
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} functions[] = {
    ENTRY(EnumerateDeviceExtensionProperties),
    ENTRY(GetPhysicalDeviceProperties),
    ENTRY(GetPhysicalDeviceProperties2),
    ENTRY(GetPhysicalDeviceFeatures2),
    ENTRY(GetPhysicalDeviceMemoryProperties),
    ENTRY(GetPhysicalDeviceQueueFamilyProperties),
};
/* clang-format on */

PFN_vkVoidFunction layer_physical_function(const char *name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    }
    return NULL;
}
