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
    va_start(arguments, format);
    vmaf_layer_state_fail(&device->state, error, format, arguments);
    va_end(arguments);
    return error;
}

int vulkan_failed(VulkanDevice *device, VkResult result, const char *what)
{
    char words[32];
    snprintf(words, sizeof(words), "VkResult %d", (int)result);
    return vmaf_layer_state_failed(&device->state, vulkan_error_of(result), what, words);
}

int vulkan_check(VulkanDevice *device)
{
    return vmaf_layer_state_check(&device->state);
}

void vulkan_last_error(VmafDevice *device, char *text, size_t size)
{
    vmaf_layer_state_text(&((VulkanDevice *)device)->state, text, size);
}
