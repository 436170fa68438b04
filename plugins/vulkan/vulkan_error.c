/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stores what went wrong on a device, for last_error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "vulkan_internal.h"

int vulkan_error_of(VkResult result)
{
    switch (result) {
    case VK_SUCCESS:
        return 0;
    case VK_ERROR_DEVICE_LOST:
        return -ENODEV;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
        return -ENOMEM;
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
        return -ENOTSUP;
    case VK_TIMEOUT:
        return -ETIMEDOUT;
    default:
        return -EIO;
    }
}

int vulkan_fail(VulkanDevice *device, int error, const char *format, ...)
{
    va_list arguments;
    vmaf_mutex_lock(&device->lock);
    if (error == -ENODEV)
        device->lost = true;
    va_start(arguments, format);
    vsnprintf(device->error, sizeof(device->error), format, arguments);
    va_end(arguments);
    vmaf_mutex_unlock(&device->lock);
    return error;
}

int vulkan_failed(VulkanDevice *device, VkResult result, const char *what)
{
    const int error = vulkan_error_of(result);
    if (error == -ENODEV)
        return vulkan_fail(device, error, "the device was lost (%s)", what);
    if (error == -ENOMEM)
        return vulkan_fail(device, error, "out of memory (%s)", what);
    return vulkan_fail(device, error, "%s failed with VkResult %d", what, (int)result);
}

int vulkan_check(VulkanDevice *device)
{
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    vmaf_mutex_unlock(&device->lock);
    return lost ? -ENODEV : 0;
}

void vulkan_last_error(VmafDevice *base, char *text, size_t size)
{
    VulkanDevice *device = (VulkanDevice *)base;
    vmaf_mutex_lock(&device->lock);
    snprintf(text, size, "%s", device->error);
    vmaf_mutex_unlock(&device->lock);
}
