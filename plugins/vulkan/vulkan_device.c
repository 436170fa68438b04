/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_internal.h"

enum { N_VALIDATION_EXTENSIONS = 2 };
static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";
static const char *const validation_extensions[N_VALIDATION_EXTENSIONS] = {
    VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};

/* -- instance -- */

/* Whether the validation layer is installed, with the extensions that are needed. */
static bool has_validation(void)
{
    VkExtensionProperties extensions[64];
    uint32_t count = 64;
    unsigned found = 0;
    const VkResult result =
        vkEnumerateInstanceExtensionProperties(validation_layer, &count, extensions);
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++) {
        for (unsigned k = 0; k < N_VALIDATION_EXTENSIONS; k++)
            found += !strcmp(extensions[i].extensionName, validation_extensions[k]);
    }
    return found == N_VALIDATION_EXTENSIONS;
}

static VkResult create_instance(VkInstance *instance, bool debug)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "libvmaf",
        .apiVersion = VK_API_VERSION_1_2,
    };
    const char *const layers[] = {validation_layer};
    /* Missing barriers go unnoticed on some devices. */
    const VkValidationFeatureEnableEXT hazards =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &hazards,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = debug ? &features : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = debug ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = debug ? N_VALIDATION_EXTENSIONS : 0,
        .ppEnabledExtensionNames = validation_extensions,
    };
    return vkCreateInstance(&info, NULL, instance);
}

/* With debugging, a wrong use of Vulkan is an error like any other: submissions fail. Versions of
 * the layer differ in the name that they give themselves and in whether they name the rule; the
 * text contains both. */
static VKAPI_ATTR VkBool32 VKAPI_CALL note_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                   void *cookie)
{
    (void)severity;
    (void)types;
    VulkanDevice *device = cookie;
    char text[2048];
    snprintf(text, sizeof(text), "Validation: %s: %s",
             data->pMessageIdName ? data->pMessageIdName : "-", data->pMessage);
    vmaf_mutex_lock(&device->message_lock);
    snprintf(device->message, sizeof(device->message), "%.*s", (int)sizeof(device->message) - 1,
             text);
    vmaf_mutex_unlock(&device->message_lock);
    if (device->log)
        device->log(device->cookie, text);
    return VK_FALSE;
}

static void listen(VulkanDevice *device)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = note_message,
        .pUserData = device,
    };
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(device->instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    if (create)
        create(device->instance, &info, NULL, &device->messenger);
}

int vulkan_check_messages(VulkanDevice *device)
{
    char message[sizeof(device->message)];
    vmaf_mutex_lock(&device->message_lock);
    memcpy(message, device->message, sizeof(message));
    vmaf_mutex_unlock(&device->message_lock);
    return message[0] ? vulkan_fail(device, -EIO, "%s", message) : 0;
}

static void stop_listening(VulkanDevice *device)
{
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        device->messenger ? (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                                device->instance, "vkDestroyDebugUtilsMessengerEXT")
                          : NULL;
    if (destroy)
        destroy(device->instance, device->messenger, NULL);
}

static int vulkan_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                            size_t reason_size)
{
    VkInstance instance;
    *count = 0;
    const VkResult result = create_instance(&instance, false);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        snprintf(reason, reason_size, "no Vulkan 1.2 driver is installed");
        return -ENODEV;
    }
    if (result != VK_SUCCESS) {
        snprintf(reason, reason_size, "vkCreateInstance failed with VkResult %d", (int)result);
        return vulkan_error_of(result);
    }
    VulkanCandidate candidates[VULKAN_CANDIDATES_MAX];
    const int n = vulkan_find_candidates(instance, candidates);
    for (int i = 0; i < n && (size_t)i < capacity; i++)
        infos[i] = candidates[i].info;
    *count = n > 0 ? (size_t)n : 0;
    vkDestroyInstance(instance, NULL);
    if (n <= 0)
        snprintf(reason, reason_size,
                 "no device has Vulkan 1.2 with 64-bit integers and 8-bit storage");
    return n < 0 ? n : 0;
}

/* -- opening -- */

static VkResult create_device(VulkanDevice *device)
{
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .storageBuffer8BitAccess = VK_TRUE,
        .timelineSemaphore = VK_TRUE,
    };
    VkPhysicalDeviceVulkan11Features v11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &v12,
        .storageBuffer16BitAccess = VK_TRUE,
    };
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &v11,
        .features = {.shaderInt64 = VK_TRUE},
    };
    const float priority = 0.5f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = device->queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    const VkResult result = vkCreateDevice(device->physical, &info, NULL, &device->device);
    if (result == VK_SUCCESS)
        vkGetDeviceQueue(device->device, device->queue_family, 0, &device->queue);
    return result;
}

static void vulkan_close(VmafDevice *base)
{
    VulkanDevice *device = (VulkanDevice *)base;
    if (device->device) {
        vulkan_kernels_destroy(device);
        vulkan_cache_close(device);
    }
    if (!device->borrowed) {
        if (device->device)
            vkDestroyDevice(device->device, NULL);
        stop_listening(device);
        if (device->instance)
            vkDestroyInstance(device->instance, NULL);
    }
    vmaf_condition_destroy(&device->kernel_done);
    vmaf_mutex_destroy(&device->kernel_lock);
    vmaf_mutex_destroy(&device->message_lock);
    vmaf_mutex_destroy(&device->lock);
    free(device->kernels);
    free(device);
}

static int choose(VulkanDevice *device, const char *id)
{
    VulkanCandidate candidates[VULKAN_CANDIDATES_MAX];
    const int n = vulkan_find_candidates(device->instance, candidates);
    for (int i = 0; i < n; i++) {
        if (id && strcmp(candidates[i].info.id, id) != 0)
            continue;
        device->physical = candidates[i].physical;
        device->queue_family = candidates[i].queue_family;
        device->timestamp_period = candidates[i].timestamp_period;
        device->head.info = candidates[i].info;
        return 0;
    }
    return vulkan_fail(device, -ENODEV, id ? "there is no device %s" : "there is no device", id);
}

static int borrow(VulkanDevice *device, const VulkanExternal *external)
{
    VulkanCandidate candidate;
    device->borrowed = true;
    if (!external->instance || !external->physical_device || !external->device || !external->queue)
        return vulkan_fail(device, -EINVAL, "a handle is missing");
    device->instance = (VkInstance)(uintptr_t)external->instance;
    device->physical = (VkPhysicalDevice)(uintptr_t)external->physical_device;
    if (vulkan_describe(device->physical, &candidate))
        return vulkan_fail(device, -ENOTSUP, "the device lacks what is needed");
    device->device = (VkDevice)(uintptr_t)external->device;
    device->queue = (VkQueue)(uintptr_t)external->queue;
    device->queue_family = external->queue_family;
    device->timestamp_period = candidate.timestamp_period;
    device->head.info = candidate.info;
    if (external->queue_family != candidate.queue_family)
        device->head.info.caps.timestamps = false; /* known for the other family only */
    return 0;
}

static int make_own(VulkanDevice *device, const VmafDeviceOpenParams *params)
{
    const bool debug = params->debug && has_validation();
    VkResult result = create_instance(&device->instance, debug);
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, "vkCreateInstance");
    if (debug)
        listen(device);
    const int err = choose(device, params->id);
    if (err)
        return err;
    result = create_device(device);
    return result == VK_SUCCESS ? 0 : vulkan_failed(device, result, "vkCreateDevice");
}

static int vulkan_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                       size_t reason_size)
{
    VulkanDevice *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    vmaf_mutex_init(&device->lock);
    vmaf_mutex_init(&device->kernel_lock);
    vmaf_condition_init(&device->kernel_done);
    vmaf_mutex_init(&device->message_lock);
    device->log = params->log;
    device->cookie = params->cookie;
    device->head.layer = &vmaf_vulkan_layer;
    device->head.kernels = params->kernels;
    if (params->faults)
        device->faults = *params->faults;
    device->kernels = calloc(params->kernels->count, sizeof(*device->kernels));
    int err = device->kernels ? 0 : vulkan_fail(device, -ENOMEM, "out of memory");
    if (!err)
        err = params->external ? borrow(device, params->external) : make_own(device, params);
    if (!err)
        err = vulkan_cache_open(device, params->cache_directory);
    if (err) {
        snprintf(reason, reason_size, "%s", device->error);
        vulkan_close(&device->head);
        return err;
    }
    vkGetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
    *opened = &device->head;
    return 0;
}

const VmafDeviceLayer vmaf_vulkan_layer = {
    .name = "vulkan",
    .enumerate = vulkan_enumerate,
    .open = vulkan_open,
    .close = vulkan_close,
    .buffer_create = vulkan_buffer_create,
    .buffer_destroy = vulkan_buffer_destroy,
    .kernel_find = vulkan_kernel_find,
    .command_list_begin = vulkan_command_list_begin,
    .cmd_copy = vulkan_cmd_copy,
    .cmd_dispatch = vulkan_cmd_dispatch,
    .cmd_barrier = vulkan_cmd_barrier,
    .cmd_timestamp = vulkan_cmd_timestamp,
    .command_list_end = vulkan_command_list_end,
    .command_list_destroy = vulkan_command_list_destroy,
    .queue_create = vulkan_queue_create,
    .queue_destroy = vulkan_queue_destroy,
    .submit = vulkan_submit,
    .wait = vulkan_wait,
    .timestamps = vulkan_timestamps,
    .copy_times = vulkan_copy_times,
    .last_error = vulkan_last_error,
};
