/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_VULKAN_LAYER_H
#define VMAF_VULKAN_LAYER_H

#include "device.h"

/*
 * The device layer on Vulkan 1.2. Needs shaderInt64 and 8- and 16-bit storage; devices without them
 * are not reported.
 */
extern const VmafDeviceLayer vmaf_vulkan_layer;

/* `external` of the open parameters: a device of the application, which is borrowed. It must have
 * been created with the features above and timeline semaphores. Handles as integers. */
typedef struct VulkanExternal {
    uint64_t instance, physical_device, device, queue;
    uint32_t queue_family, api_version;
    void (*lock)(void *cookie);   /* optional: called before the queue is used, on any thread */
    void (*unlock)(void *cookie); /* and after that */
    void *lock_cookie;
    const void *enabled_features; /* VkPhysicalDeviceFeatures2, or NULL if it is not known */
    const char *const *enabled_extensions;
    uint32_t n_enabled_extensions;
} VulkanExternal;

#endif
