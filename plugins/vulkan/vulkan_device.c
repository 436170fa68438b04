/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Devices: their errors, the instance, opening them; the layer. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void vulkan_last_error(VmafDevice *device, char *text, size_t size)
{
    vmaf_layer_state_text(&((VulkanDevice *)device)->state, text, size);
}

enum { N_VALIDATION_EXTENSIONS = 2 };
static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";
static const char *const validation_extensions[N_VALIDATION_EXTENSIONS] = {
    VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};

/* The name and flag of VK_KHR_portability_enumeration, which headers of Vulkan 1.2 need not
 * have. */
static const char portability_extension[] = "VK_KHR_portability_enumeration";
enum { ENUMERATE_PORTABILITY = 1 };

/* -- instance -- */

/* True if the validation layer is installed, with the extensions that are needed. */
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

/* Devices that are not quite Vulkan, such as MoltenVK's, are only shown to those who ask. */
static bool has_portability(void)
{
    VkExtensionProperties extensions[64];
    uint32_t count = 64;
    bool found = false;
    const VkResult result = vkEnumerateInstanceExtensionProperties(NULL, &count, extensions);
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++)
        found |= !strcmp(extensions[i].extensionName, portability_extension);
    return found;
}

static VkResult create_instance(VkInstance *instance, bool debug)
{
    const char *extensions[N_VALIDATION_EXTENSIONS + 1];
    uint32_t n_extensions = 0;
    for (uint32_t i = 0; i < N_VALIDATION_EXTENSIONS && debug; i++)
        extensions[n_extensions++] = validation_extensions[i];
    const bool portability = has_portability();
    if (portability)
        extensions[n_extensions++] = portability_extension;
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
        .flags = portability ? ENUMERATE_PORTABILITY : 0,
        .pApplicationInfo = &application,
        .enabledLayerCount = debug ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = n_extensions,
        .ppEnabledExtensionNames = extensions,
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
        snprintf(reason, reason_size, "there is no Vulkan device");
    else if (candidates[0].info.unusable[0])
        snprintf(reason, reason_size, "%s: %s", candidates[0].info.name,
                 candidates[0].info.unusable);
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
    static const float priorities[VMAF_DEVICE_STREAMS + 1] = {0.5f, 0.5f, 0.5f};
    const VulkanQueues *queues = &device->queues;
    const bool apart = queues->copy_family != queues->family;
    const VkDeviceQueueCreateInfo queue[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = queues->family,
         .queueCount = queues->n_streams + (queues->own_copies && !apart ? 1 : 0),
         .pQueuePriorities = priorities},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = queues->copy_family,
         .queueCount = 1,
         .pQueuePriorities = priorities},
    };
    const char *extensions[3];
    uint32_t n_extensions = 0;
    if (device->extensions.external_memory_host)
        extensions[n_extensions++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    if (device->extensions.portability_subset)
        extensions[n_extensions++] = "VK_KHR_portability_subset";
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = apart ? 2 : 1,
        .pQueueCreateInfos = queue,
        .enabledExtensionCount = n_extensions,
        .ppEnabledExtensionNames = extensions,
    };
    return vkCreateDevice(device->physical, &info, NULL, &device->device);
}

static void get_queues(VulkanDevice *device)
{
    const VulkanQueues *queues = &device->queues;
    for (uint32_t stream = 0; stream < VMAF_DEVICE_STREAMS; stream++)
        vkGetDeviceQueue(device->device, queues->family, stream % queues->n_streams,
                         &device->lanes[stream]);
    device->copies = device->lanes[0];
    if (queues->own_copies)
        vkGetDeviceQueue(device->device, queues->copy_family,
                         queues->copy_family != queues->family ? 0 : queues->n_streams,
                         &device->copies);
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
    vmaf_mutex_destroy(&device->state.lock);
    free(device->kernels);
    free(device);
}

static int choose(VulkanDevice *device, const char *id)
{
    VulkanCandidate candidates[VULKAN_CANDIDATES_MAX];
    const int n = vulkan_find_candidates(device->instance, candidates);
    for (int i = 0; i < n; i++) {
        if (id ? strcmp(candidates[i].info.id, id) != 0 : candidates[i].info.unusable[0] != 0)
            continue;
        if (candidates[i].info.unusable[0])
            return vulkan_fail(device, -ENOTSUP, "%s", candidates[i].info.unusable);
        device->physical = candidates[i].physical;
        device->queues = candidates[i].queues;
        device->extensions = candidates[i].extensions;
        device->timestamp_period = candidates[i].timestamp_period;
        device->head.info = candidates[i].info;
        return 0;
    }
    return vulkan_fail(device, -ENODEV, id ? "there is no device %s" : "there is no device", id);
}

static bool is_enabled(const VulkanExternal *external, const char *extension)
{
    for (uint32_t i = 0; i < external->n_enabled_extensions; i++) {
        if (!strcmp(external->enabled_extensions[i], extension))
            return true;
    }
    return false;
}

/* There is one queue for everything, and only what the application has enabled. */
static void borrow_queue(VulkanDevice *device, const VulkanCandidate *candidate,
                         const VulkanExternal *external)
{
    VmafDeviceCaps *caps = &device->head.info.caps;
    const bool same = external->queue_family == candidate->queues.family;
    const uint32_t valid_bits = same ? candidate->queues.valid_bits : 0; /* unknown of others */
    device->queues = (VulkanQueues){.family = external->queue_family,
                                    .copy_family = external->queue_family,
                                    .n_streams = 1,
                                    .valid_bits = valid_bits,
                                    .copy_valid_bits = valid_bits};
    device->extensions.external_memory_host =
        candidate->extensions.external_memory_host &&
        is_enabled(external, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    caps->timestamps = valid_bits > 0;
    caps->copy_engines = 0;
}

static int borrow(VulkanDevice *device, const VulkanExternal *external)
{
    VulkanCandidate candidate;
    device->borrowed = true;
    if (!external->instance || !external->physical_device || !external->device || !external->queue)
        return vulkan_fail(device, -EINVAL, "a handle is missing");
    device->instance = (VkInstance)(uintptr_t)external->instance;
    device->physical = (VkPhysicalDevice)(uintptr_t)external->physical_device;
    vulkan_describe(device->physical, &candidate);
    const char *lacks = candidate.info.unusable[0] ? candidate.info.unusable
                        : external->enabled_features
                            ? vulkan_missing_feature(external->enabled_features)
                            : NULL;
    if (lacks)
        return vulkan_fail(device, -ENOTSUP, "%s", lacks);
    device->device = (VkDevice)(uintptr_t)external->device;
    for (uint32_t stream = 0; stream < VMAF_DEVICE_STREAMS; stream++)
        device->lanes[stream] = (VkQueue)(uintptr_t)external->queue;
    device->copies = device->lanes[0];
    device->lock_queue = external->lock;
    device->unlock_queue = external->unlock;
    device->lock_cookie = external->lock_cookie;
    device->timestamp_period = candidate.timestamp_period;
    device->head.info = candidate.info;
    borrow_queue(device, &candidate, external);
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
    if (result != VK_SUCCESS)
        return vulkan_failed(device, result, "vkCreateDevice");
    get_queues(device);
    device->head.info.caps.imports = 0; /* the application's images are on its own device */
    return 0;
}

/* Finds the functions of extensions. */
static void find_functions(VulkanDevice *device)
{
    if (device->extensions.external_memory_host)
        device->get_host_pointer_properties =
            (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(
                device->device, "vkGetMemoryHostPointerPropertiesEXT");
    if (!device->get_host_pointer_properties)
        device->head.info.caps.host_memory_alignment = 0;
}

static int vulkan_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                       size_t reason_size)
{
    VulkanDevice *device = calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    vmaf_layer_state_init(&device->state, params->faults);
    vmaf_mutex_init(&device->lock);
    vmaf_mutex_init(&device->kernel_lock);
    vmaf_condition_init(&device->kernel_done);
    vmaf_mutex_init(&device->message_lock);
    device->log = params->log;
    device->cookie = params->cookie;
    device->head.layer = &vmaf_vulkan_layer;
    device->head.kernels = params->kernels;
    device->kernels = calloc(params->kernels->count, sizeof(*device->kernels));
    int err = device->kernels ? 0 : vulkan_fail(device, -ENOMEM, "out of memory");
    if (!err)
        err = params->external ? borrow(device, params->external) : make_own(device, params);
    if (!err)
        find_functions(device);
    if (!err)
        err = vulkan_cache_open(device, params->cache_directory);
    if (err) {
        vulkan_last_error(&device->head, reason, reason_size);
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
    .image_import = vulkan_image_import,
    .image_destroy = vulkan_image_destroy,
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
