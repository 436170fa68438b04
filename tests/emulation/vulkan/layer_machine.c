/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The words of the machine's file, and what an emulated machine has to know of Vulkan. */
#include <string.h>

#include "layer.h"

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
                                        "vkCreateDevice",   "vkAllocateMemory",
                                        "vkQueueSubmit",    "vkQueueSubmit2"};
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
