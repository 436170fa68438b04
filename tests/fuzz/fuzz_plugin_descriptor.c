/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: what a plugin states about itself, its features and its devices, in the order of the
 * host's questions. The input chooses pointers among valid and invalid ones; at its end everything
 * is zero.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin.h"
#include "libvmaf/backend_records.h"
#include "printable.h"

enum { INPUT_LIMIT = 16384, MAX_TEXTS = 4096 };

static const uint8_t *input, *input_end;
static char *texts[MAX_TEXTS]; /* handed out, until the end of a run */
static unsigned n_texts;

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- Reading the input ---- */

static unsigned next_byte(void)
{
    return input < input_end ? *input++ : 0;
}

static void next_bytes(void *target, size_t size)
{
    size_t left = (size_t)(input_end - input), n = left < size ? left : size;
    memcpy(target, input, n);
    input += n;
}

/* A usual text, or any bytes; on the heap, so that a sanitizer sees reads beyond it. */
static const char *next_text(void)
{
    static const char *const usual[] = {
        "fuzz", "psnr",           "vif",           "motion",        "enable_chroma",
        "own",  VMAF_RECORD_PSNR, VMAF_RECORD_VIF, VMAF_RECORD_ADM, VMAF_RECORD_MOTION,
    };
    enum { N_USUAL = sizeof(usual) / sizeof(usual[0]) };
    unsigned choice = next_byte();
    if (choice == 0 || n_texts == MAX_TEXTS)
        return NULL;
    const char *text = choice <= N_USUAL ? usual[choice - 1] : NULL;
    size_t length = text ? strlen(text) : choice - N_USUAL;
    char *copy = calloc(1, length + 1);
    require(copy != NULL);
    if (text)
        memcpy(copy, text, length);
    else
        next_bytes(copy, length);
    texts[n_texts++] = copy;
    return copy;
}

static int32_t next_result(void)
{
    unsigned byte = next_byte();
    return byte < 200 ? VMAF_BACKEND_OK : (int32_t)byte - 256;
}

/* ---- The plugin ---- */

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    (void)index;
    if (input == input_end)
        return VMAF_BACKEND_INVALID;
    uint32_t size = feature->struct_size;
    uint8_t small[16];
    memset(small, 0, sizeof(small));
    next_bytes(small, sizeof(small));
    const char *name = next_text(), *help = next_text(), *record = next_text();
    const char *reason = next_text();
    *feature = (VmafBackendFeature){
        .struct_size = size,
        .flags = small[0] & 3,
        .name = name,
        .help = help,
        .record_kind = small[1] & 3,
        .record_version = small[2] & 3,
        .record = record,
        .pixel_formats = small[3],
        .depth_min = 8 + (small[4] & 15),
        .depth_max = 16 - (small[5] & 15),
        .width_min = small[6],
        .width_max = small[7],
        .height_min = small[8],
        .height_max = small[9],
        .planes = small[10],
        .ref_before = small[11] & 3,
        .dist_before = small[12] & 3,
        .exactness = small[13] & 3,
        .n_options = small[14],
        .n_outputs = small[15],
        .bound_reason = reason,
    };
    next_bytes(&feature->bound, sizeof(feature->bound));
    return next_result();
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    (void)index;
    (void)option;
    if (input == input_end)
        return VMAF_BACKEND_INVALID;
    spec->type = next_byte() & 7;
    spec->name = next_text();
    spec->help = next_text();
    spec->default_string = next_text();
    next_bytes(&spec->default_value, sizeof(spec->default_value));
    next_bytes(&spec->min, sizeof(spec->min));
    next_bytes(&spec->max, sizeof(spec->max));
    return next_result();
}

static int32_t feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    (void)index;
    (void)output;
    if (input == input_end)
        return VMAF_BACKEND_INVALID;
    out->name = next_text();
    return next_result();
}

static int32_t probe(VmafBackendProbe *result)
{
    result->n_devices = next_byte();
    /* Unterminated texts, if there are enough bytes. */
    next_bytes(result->driver, sizeof(result->driver));
    next_bytes(result->runtime, sizeof(result->runtime));
    next_bytes(result->reason, sizeof(result->reason));
    return next_result();
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    (void)index;
    if (input == input_end)
        return VMAF_BACKEND_INVALID;
    info->kind = next_byte();
    unsigned length = next_byte() % sizeof(info->id) + 1;
    next_bytes(info->id, length);
    next_bytes(info->name, next_byte() % sizeof(info->name) + 1);
    next_bytes(info->vendor, next_byte() % sizeof(info->vendor) + 1);
    next_bytes(info->driver, next_byte() % sizeof(info->driver) + 1);
    return next_result();
}

static void any_function(void)
{
}

static void (*const nowhere)(void) = (void (*)(void))(uintptr_t)0x12345678;

/* Every function of the descriptor, from the first to the last. */
enum {
    FIRST_FUNCTION = offsetof(VmafBackend, feature_get),
    N_FUNCTIONS = (sizeof(VmafBackend) - FIRST_FUNCTION) / sizeof(void (*)(void)),
};

static void set_functions(VmafBackend *api)
{
    for (unsigned i = 0; i < N_FUNCTIONS; i++) {
        unsigned choice = next_byte();
        void (*function)(void) = any_function;
        if (choice == 1)
            function = NULL;
        else if (choice == 2)
            function = nowhere;
        memcpy((char *)api + FIRST_FUNCTION + i * sizeof(function), &function, sizeof(function));
    }
    api->feature_get = feature_get;
    api->feature_option = feature_option;
    api->feature_output = feature_output;
    api->probe = probe;
    api->device_get = device_get;
}

/* Allocated exactly as large as it states, if that is less than the host's size. */
static VmafBackend *next_descriptor(void)
{
    VmafBackend api = {0};
    unsigned known = next_byte(); /* mostly a valid beginning, so that the rest is reached */
    uint8_t head[16];
    memset(head, 0, sizeof(head));
    next_bytes(head, sizeof(head));
    memcpy(&api, head, sizeof(head));
    if (known < 240) {
        api.struct_size = sizeof(api) - (known & 7) * (uint32_t)sizeof(void *);
        api.abi_major = VMAF_BACKEND_ABI_MAJOR;
        api.backend_class = known & 8 ? VMAF_BACKEND_CLASS_NATIVE : VMAF_BACKEND_CLASS_PORTABLE;
    }
    api.name = next_text();
    api.version = next_text();
    api.description = next_text();
    api.build_id = next_text();
    api.n_features = next_byte();
    set_functions(&api);
    size_t least = offsetof(VmafBackend, abi_minor);
    size_t size = api.struct_size < sizeof(api) ? api.struct_size : sizeof(api);
    VmafBackend *descriptor = malloc(size < least ? least : size);
    require(descriptor != NULL);
    memcpy(descriptor, &api, size < least ? least : size);
    return descriptor;
}

/* ---- The host ---- */

static void look_at_lists(const VmafBackendFeature *spec, const PluginFeature *feature)
{
    for (unsigned i = 0; i < spec->n_options; i++) {
        const VmafBackendOptionSpec *option = &feature->options[i];
        require_printable(option->help, SIZE_MAX / 2);
        require(option->min == option->min && option->max == option->max);
        require(!(spec->flags & VMAF_BACKEND_FEATURE_OWN) ||
                option->type == VMAF_BACKEND_TYPE_STRING ||
                (option->min <= option->default_value && option->default_value <= option->max));
        for (unsigned k = 0; k < i; k++)
            require(strcmp(option->name, feature->options[k].name) != 0);
    }
    for (unsigned i = 0; i < spec->n_outputs; i++) {
        require_printable(feature->outputs[i], SIZE_MAX / 2);
        for (unsigned k = 0; k < i; k++)
            require(strcmp(feature->outputs[i], feature->outputs[k]) != 0);
    }
}

static void look_at_functions(const VmafBackend *api)
{
    for (unsigned i = 0; i < N_FUNCTIONS; i++) {
        void (*function)(void);
        memcpy(&function, (const char *)api + FIRST_FUNCTION + i * sizeof(function),
               sizeof(function));
        require(function != nowhere);
    }
    require(api->submit && api->last_error && api->session_close);
    require(!api->memory_register == !api->memory_unregister);
    require(!api->buffer_create || (api->buffer_info && api->buffer_release));
}

static void look_at(const Plugin *plugin)
{
    look_at_functions(&plugin->api);
    require_printable(plugin->version, SIZE_MAX / 2);
    require_printable(plugin->description, SIZE_MAX / 2);
    for (unsigned i = 0; i < plugin->n_features; i++) {
        const PluginFeature *feature = &plugin->features[i];
        require(plugin_find_feature(plugin, feature->spec.name) == feature);
        require_printable(feature->spec.help, SIZE_MAX / 2);
        require(feature->spec.planes & 7 && feature->spec.ref_before <= 2);
        require(feature->spec.depth_min >= 8 && feature->spec.depth_max <= 16);
        look_at_lists(&feature->spec, feature);
    }
}

static void look_at_devices(const PluginDevices *devices)
{
    require(devices->n_devices <= BACKEND_DEVICES_MAX);
    require_printable(devices->driver, sizeof(devices->driver));
    for (unsigned i = 0; i < devices->n_devices; i++) {
        const BackendDeviceDescription *device = &devices->devices[i];
        require(*device->id != '\0');
        require_printable(device->id, sizeof(device->id));
        require_printable(device->name, sizeof(device->name));
        require_printable(device->vendor, sizeof(device->vendor));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static PluginDevices devices;
    if (size > INPUT_LIMIT)
        return 0;
    input = data;
    input_end = data + size;
    VmafBackend *descriptor = next_descriptor();
    Plugin *plugin = NULL;
    BackendAvailability availability = {.state = BACKEND_USABLE};
    int err = plugin_descriptor_check(&plugin, descriptor, "fuzz", "/fuzz.so", &availability);
    require((err == 0) == (plugin != NULL));
    require((err == 0) == (availability.state == BACKEND_USABLE));
    require_printable(availability.why.text, sizeof(availability.why.text));
    free(descriptor); /* the host has copies of all of it */
    while (n_texts)
        free(texts[--n_texts]);
    if (plugin) {
        look_at(plugin);
        err = plugin_enumerate(plugin, &devices, &availability);
        require((err == 0) == (availability.state == BACKEND_USABLE));
        require_printable(availability.why.text, sizeof(availability.why.text));
        look_at_devices(&devices);
    }
    plugin_free(plugin);
    return 0;
}
