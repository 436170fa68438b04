/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Words of the machine file; instances, lists of devices, and names of functions. */
#include "layer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

LayerText layer_texts[MACHINE_MAX_DEVICES];

static const MachineError errors[] = {
    {VK_SUCCESS, "VK_SUCCESS", ""},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", ""},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ""},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", ""},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", ""},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ""},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", ""},
};

static LayerText *text_of(const MachineReader *reader)
{
    return &layer_texts[reader->device - reader->machine->devices];
}

static bool read_kind(MachineReader *reader)
{
    static const struct {
        const char *word;
        VkPhysicalDeviceType type;
    } kinds[] = {{"discrete", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU},
                 {"integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU},
                 {"virtual", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU},
                 {"software", VK_PHYSICAL_DEVICE_TYPE_CPU}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(reader->words[1], kinds[i].word) == 0) {
            reader->device->own[OWN_KIND] = kinds[i].type;
            return true;
        }
    }
    return machine_refuse(reader, "the kind %s is not known", reader->words[1]);
}

static bool read_version(MachineReader *reader)
{
    unsigned major, minor;
    int end = 0;
    if (sscanf(reader->words[1], "%u.%u%n", &major, &minor, &end) != 2 ||
        reader->words[1][end] != '\0')
        return machine_refuse(reader, "version takes a number such as 1.1, not %s",
                              reader->words[1]);
    reader->device->own[OWN_VERSION] = (int)VK_MAKE_API_VERSION(0, major, minor, 0);
    return true;
}

static bool read_luid(MachineReader *reader)
{
    unsigned char *luid = text_of(reader)->luid;
    const char *word = reader->words[1];
    if (strlen(word) != 2 * VK_LUID_SIZE)
        return machine_refuse(reader, "luid takes 16 hexadecimal digits");
    for (size_t i = 0; i < VK_LUID_SIZE; i++) {
        unsigned byte;
        if (sscanf(word + 2 * i, "%2x", &byte) != 1)
            return machine_refuse(reader, "luid takes 16 hexadecimal digits");
        luid[i] = (unsigned char)byte;
    }
    reader->device->own[OWN_HAS_LUID] = 1;
    return true;
}

static bool read_driver(MachineReader *reader)
{
    snprintf(text_of(reader)->driver, sizeof(text_of(reader)->driver), "%s", reader->words[1]);
    return true;
}

/* Words of other runtimes that would do nothing here. */
static bool refuse_word(MachineReader *reader)
{
    return machine_refuse(reader, "the layer does not emulate %s", reader->words[0]);
}

static const MachineWord words[] = {
    {"kind", 1, 1, read_kind},
    {"version", 1, 1, read_version},
    {"luid", 1, 1, read_luid},
    MACHINE_FLAG("no-pci", OF_DEVICE, OWN_HIDES_PCI),
    {"driver", 1, 1, read_driver},
    {"chip", 0, MACHINE_MAX_WORDS, refuse_word},
    {"speed", 0, MACHINE_MAX_WORDS, refuse_word},
    {"copy-engines", 0, MACHINE_MAX_WORDS, refuse_word},
    {"multiprocessors", 0, MACHINE_MAX_WORDS, refuse_word},
    {"free-waits", 0, MACHINE_MAX_WORDS, refuse_word},
    {"hang", 0, MACHINE_MAX_WORDS, refuse_word},
    {"hang-limit", 0, MACHINE_MAX_WORDS, refuse_word},
    {"illegal-address", 0, MACHINE_MAX_WORDS, refuse_word},
};

/* Those that the layer counts. */
static bool is_function(const char *word)
{
    static const char *const names[] = {"vkCreateInstance", "vkEnumeratePhysicalDevices",
                                        "vkCreateDevice", "vkAllocateMemory", "vkQueueSubmit"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(word, names[i]) == 0)
            return true;
    }
    return false;
}

static void set_default(MachineDevice *device, int index)
{
    snprintf(device->name, sizeof(device->name), "Emulated GPU");
    device->vendor_id = 0x10de;
    device->product_id = 0x2684;
    device->own[OWN_KIND] = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    device->own[OWN_VERSION] = (int)VK_API_VERSION_1_3;
    layer_texts[index] = (LayerText){.driver = "emulated"};
}

/* Handles refer to the machine that was there when their instance was made, for ever. */
static void forget(void)
{
}

const MachineRuntime machine_runtime = {
    .name = "Vulkan",
    .variable = "VMAF_EMULATED_VULKAN",
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = VK_ERROR_DEVICE_LOST,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = forget,
    .set_up = forget,
    .lose = layer_lose,
};

/* -- where the loader comes in: instances, and names of functions -- */

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
