/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_VULKAN_LAYER_H
#define TESTS_EMULATION_VULKAN_LAYER_H

/*
 * A Vulkan layer between the loader and one real device, of which it makes as many devices as the
 * machine's file has. The program sees handles of the layer where there are physical devices; each
 * function that takes one replaces it by the real one on its way down.
 */

#include <stdatomic.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "machine.h"

/* Indices of MachineDevice.own. */
enum { OWN_KIND, OWN_VERSION, OWN_HAS_LUID, OWN_HIDES_PCI };

/* What devices of the file have beyond MachineDevice.own, by index. */
typedef struct LayerText {
    unsigned char luid[VK_LUID_SIZE];
    char driver[64];
} LayerText;
extern LayerText layer_texts[MACHINE_MAX_DEVICES];

/* Functions of what is below that the layer calls itself. */
#define LAYER_INSTANCE_FUNCTIONS(X)                                                                \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceQueueFamilyProperties)
#define LAYER_DEVICE_FUNCTIONS(X)                                                                  \
    X(DestroyDevice)                                                                               \
    X(AllocateMemory)                                                                              \
    X(QueueSubmit)                                                                                 \
    X(QueueWaitIdle)                                                                               \
    X(WaitSemaphores)                                                                              \
    X(GetSemaphoreCounterValue)

#define LAYER_POINTER(name) PFN_vk##name name;

typedef struct LayerInstance LayerInstance;

/* A handle of a physical device. */
typedef struct LayerPhysical {
    void *dispatch; /* of the real one: other layers find their instance by it */
    LayerInstance *instance;
    VkPhysicalDevice real;
    const MachineDevice *machine;
    const LayerText *text;
    atomic_int error; /* of every call since the device was lost; 0: it was not */
} LayerPhysical;

struct LayerInstance {
    LayerInstance *next;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    LAYER_INSTANCE_FUNCTIONS(LAYER_POINTER)
    LayerPhysical physical[MACHINE_MAX_DEVICES];
    uint32_t n_physical;
};

typedef struct LayerDevice {
    struct LayerDevice *next;
    VkDevice handle;
    LayerPhysical *physical;
    PFN_vkGetDeviceProcAddr get;
    LAYER_DEVICE_FUNCTIONS(LAYER_POINTER)
} LayerDevice;

/* A function of the layer with this name; NULL: it has none. */
PFN_vkVoidFunction layer_physical_function(const char *name);
PFN_vkVoidFunction layer_device_function(const char *name);

/* Makes the devices of the file out of the first real one. VkResult. */
VkResult layer_find_devices(LayerInstance *instance);

LayerPhysical *layer_physical(VkPhysicalDevice physical);

/* The device that this thread submits to is lost: machine_runtime.lose. */
int layer_lose(int error);

#endif
