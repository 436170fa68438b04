/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/metric_list.h"
#include "platform/module.h"

const PluginFeature *plugin_find_feature(const Plugin *plugin, const char *name)
{
    for (unsigned i = 0; i < plugin->n_features; i++)
        if (strcmp(plugin->features[i].spec.name, name) == 0)
            return &plugin->features[i];
    return NULL;
}

PluginGuard plugin_enter(void)
{
    PluginGuard guard;
    guard.error = errno;
    fegetenv(&guard.environment);
    return guard;
}

void plugin_leave(const PluginGuard *guard)
{
    fesetenv(&guard->environment);
    errno = guard->error;
}

int plugin_error(int32_t result)
{
    switch (result) {
    case VMAF_BACKEND_OK:
        return 0;
    case VMAF_BACKEND_DEVICE_LOST:
    case VMAF_BACKEND_NO_DRIVER:
        return -ENODEV;
    case VMAF_BACKEND_OUT_OF_MEMORY:
        return -ENOMEM;
    case VMAF_BACKEND_INVALID:
        return -EINVAL;
    case VMAF_BACKEND_NOT_SUPPORTED:
        return -ENOTSUP;
    case VMAF_BACKEND_TIMED_OUT:
        return -ETIMEDOUT;
    case VMAF_BACKEND_CANCELLED:
        return -ECANCELED;
    default:
        return -EIO;
    }
}

static void feature_free(PluginFeature *feature)
{
    for (unsigned i = 0; feature->options && i < feature->spec.n_options; i++) {
        free((char *)feature->options[i].name);
        free((char *)feature->options[i].help);
        free((char *)feature->options[i].default_string);
    }
    for (unsigned i = 0; feature->outputs && i < feature->spec.n_outputs; i++)
        free(feature->outputs[i]);
    free(feature->options);
    free(feature->outputs);
    free((char *)feature->spec.name);
    free((char *)feature->spec.help);
    free((char *)feature->spec.bound_reason);
    memset(feature, 0, sizeof(*feature));
}

void plugin_free(Plugin *plugin)
{
    if (!plugin)
        return;
    for (unsigned i = 0; plugin->features && i < plugin->n_features; i++)
        feature_free(&plugin->features[i]);
    free(plugin->features);
    free(plugin->path);
    free(plugin->version);
    free(plugin->description);
    free(plugin->build_id);
    free(plugin);
}

enum { PLUGIN_TEXT_LIMIT = 1024 }; /* bytes of a text of free length that are copied */

enum {
    FEATURES_MAX = 256,
    OPTIONS_MAX = 64,
    OUTPUTS_MAX = 64,
    FEATURE_NAME_MAX = 31,
    OTHER_NAME_MAX = 63,
    NEIGHBOURS_MAX = 2,
};

/* Records that this host can finish. */
#define RECORD(name, record, kind)                                                                 \
    {VMAF_RECORD_##record, VMAF_RECORD_##record##_VERSION, VMAF_BACKEND_RECORD_##kind},
static const struct {
    const char *name;
    uint32_t version, kind;
} known_records[] = {VMAF_DEVICE_METRICS(RECORD)};

/* A feature that is checked. */
typedef struct FeatureCheck {
    const Plugin *plugin;
    uint32_t index;
    PluginFeature *feature;
    BackendAvailability *availability;
} FeatureCheck;

__attribute__((format(printf, 2, 3))) static int reject_feature(const FeatureCheck *check,
                                                                const char *format, ...)
{
    char why[192];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(why, sizeof(why), format, arguments) < 0)
        why[0] = '\0';
    va_end(arguments);
    const char *name = check->feature->spec.name;
    return name ? backend_availability_set(check->availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                           "feature '%s': %s", name, why)
                : backend_availability_set(check->availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                           "feature %u: %s", check->index, why);
}

/* ---- Names ---- */

static bool is_legal_name(const char *name, size_t limit, bool upper_case)
{
    size_t length = name ? strnlen(name, limit + 1) : 0;
    if (length == 0 || length > limit)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (upper_case && c >= 'A' && c <= 'Z');
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_')))
            return false;
    }
    return true;
}

/* ---- Options and outputs ---- */

static bool is_default_within(const VmafBackendOptionSpec *spec)
{
    return spec->type == VMAF_BACKEND_TYPE_STRING ||
           (spec->min <= spec->default_value && spec->default_value <= spec->max);
}

static int get_option(const FeatureCheck *check, uint32_t index)
{
    const VmafBackend *api = &check->plugin->api;
    VmafBackendOptionSpec *option = &check->feature->options[index];
    GUARDED(VmafBackendOptionSpec) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    int32_t result = api->feature_option(check->index, index, &guarded.value);
    if (!guard_holds(guarded.guard))
        return reject_feature(check, "feature_option writes beyond the structure");
    if (result != VMAF_BACKEND_OK)
        return reject_feature(check, "feature_option(%u) failed (%d)", index, (int)result);

    VmafBackendOptionSpec *spec = &guarded.value;
    if (!is_legal_name(spec->name, OTHER_NAME_MAX, true))
        return reject_feature(check, "name of option %u is not legal", index);
    if (spec->type > VMAF_BACKEND_TYPE_STRING)
        return reject_feature(check, "option '%s' has type %u", spec->name, spec->type);
    if (isnan(spec->min) || isnan(spec->max) || isnan(spec->default_value))
        return reject_feature(check, "range of option '%s' is not a number", spec->name);
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(check->feature->options[i].name, spec->name) == 0)
            return reject_feature(check, "option '%s' is listed twice", spec->name);
    if ((check->feature->spec.flags & VMAF_BACKEND_FEATURE_OWN) && !is_default_within(spec))
        return reject_feature(check, "default of option '%s' is outside of its range", spec->name);

    *option = *spec;
    option->name = foreign_text_copy(spec->name, OTHER_NAME_MAX);
    option->help = foreign_text_copy(spec->help, PLUGIN_TEXT_LIMIT);
    bool has_default = spec->type == VMAF_BACKEND_TYPE_STRING && spec->default_string;
    option->default_string =
        has_default ? foreign_text_copy(spec->default_string, PLUGIN_TEXT_LIMIT) : NULL;
    if (!option->name || !option->help || (has_default && !option->default_string))
        return backend_out_of_memory(check->availability);
    return 0;
}

static int get_output(const FeatureCheck *check, uint32_t index)
{
    GUARDED(VmafBackendOutput) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    int32_t result = check->plugin->api.feature_output(check->index, index, &guarded.value);
    if (!guard_holds(guarded.guard))
        return reject_feature(check, "feature_output writes beyond the structure");
    if (result != VMAF_BACKEND_OK)
        return reject_feature(check, "feature_output(%u) failed (%d)", index, (int)result);
    const char *name = guarded.value.name;
    if (!is_legal_name(name, OTHER_NAME_MAX, true))
        return reject_feature(check, "name of output %u is not legal", index);
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(check->feature->outputs[i], name) == 0)
            return reject_feature(check, "output '%s' is listed twice", name);
    check->feature->outputs[index] = foreign_text_copy(name, OTHER_NAME_MAX);
    return check->feature->outputs[index] ? 0 : backend_out_of_memory(check->availability);
}

static int get_lists(const FeatureCheck *check, uint32_t n_options, uint32_t n_outputs)
{
    PluginFeature *feature = check->feature;
    feature->options = calloc(n_options + 1, sizeof(*feature->options));
    feature->outputs = calloc(n_outputs + 1, sizeof(*feature->outputs));
    if (!feature->options || !feature->outputs)
        return backend_out_of_memory(check->availability);
    feature->spec.n_options = n_options;
    feature->spec.n_outputs = n_outputs;
    int err = 0;
    for (uint32_t i = 0; i < n_options && !err; i++)
        err = get_option(check, i);
    for (uint32_t i = 0; i < n_outputs && !err; i++)
        err = get_output(check, i);
    return err;
}

/* ---- Features ---- */

static int check_geometry(const FeatureCheck *check, const VmafBackendFeature *spec)
{
    const uint32_t formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                             1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400;
    const uint32_t planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR;
    if (!(spec->pixel_formats & formats))
        return reject_feature(check, "it takes no pixel format");
    if (spec->depth_min < 8 || spec->depth_max > 16 || spec->depth_min > spec->depth_max)
        return reject_feature(check, "depths %u to %u are not within 8 to 16", spec->depth_min,
                              spec->depth_max);
    if ((spec->width_max && spec->width_max < spec->width_min) ||
        (spec->height_max && spec->height_max < spec->height_min))
        return reject_feature(check, "the largest size is smaller than the smallest");
    if (!(spec->planes & planes))
        return reject_feature(check, "it reads no plane");
    if (spec->ref_before > NEIGHBOURS_MAX || spec->dist_before > NEIGHBOURS_MAX)
        return reject_feature(check, "it depends on more than %d earlier pictures", NEIGHBOURS_MAX);
    return 0;
}

static int check_record(const FeatureCheck *check, const VmafBackendFeature *spec)
{
    bool own = spec->flags & VMAF_BACKEND_FEATURE_OWN;
    if (spec->record_kind == VMAF_BACKEND_RECORD_SUMS ||
        spec->record_kind == VMAF_BACKEND_RECORD_BYTES) {
        if (own)
            return reject_feature(check, "own features have records of kind SCORES");
        if (!is_legal_name(spec->record, OTHER_NAME_MAX, false))
            return reject_feature(check, "its record has no legal name");
        if (spec->n_outputs)
            return reject_feature(check, "records of kind SUMS and BYTES have no outputs");
    } else if (spec->record_kind == VMAF_BACKEND_RECORD_SCORES && !spec->n_outputs) {
        return reject_feature(check, "records of kind SCORES need outputs");
    }
    if (spec->exactness > VMAF_BACKEND_BOUNDED)
        return reject_feature(check, "exactness is %u", spec->exactness);
    if (spec->exactness == VMAF_BACKEND_BOUNDED && !(isfinite(spec->bound) && spec->bound >= 0))
        return reject_feature(check, "the bound is not a number");
    return 0;
}

/* The host's name of a record that it can finish; NULL for scores. False for records of an older or
 * later libvmaf, or of an unknown kind: such a feature is ignored, and the plugin stays usable. */
static bool find_record(const VmafBackendFeature *spec, const char **name)
{
    *name = NULL;
    if (spec->record_kind == VMAF_BACKEND_RECORD_SCORES)
        return true;
    for (size_t i = 0; i < sizeof(known_records) / sizeof(known_records[0]); i++)
        if (spec->record_kind == known_records[i].kind &&
            strcmp(known_records[i].name, spec->record) == 0 &&
            known_records[i].version == spec->record_version)
            *name = known_records[i].name;
    return *name != NULL;
}

static int copy_spec(const FeatureCheck *check, const VmafBackendFeature *spec)
{
    VmafBackendFeature *copy = &check->feature->spec;
    const char *name = copy->name;
    *copy = *spec;
    copy->name = name;
    copy->n_options = copy->n_outputs = 0; /* until the lists are there */
    copy->help = foreign_text_copy(spec->help, PLUGIN_TEXT_LIMIT);
    copy->bound_reason = foreign_text_copy(spec->bound_reason, PLUGIN_TEXT_LIMIT);
    return copy->help && copy->bound_reason ? 0 : backend_out_of_memory(check->availability);
}

/* *usable: false for a feature that this host cannot use. */
static int get_feature(const FeatureCheck *check, bool *usable)
{
    GUARDED(VmafBackendFeature) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    int32_t result = check->plugin->api.feature_get(check->index, &guarded.value);
    if (!guard_holds(guarded.guard))
        return reject_feature(check, "feature_get writes beyond the structure");
    if (result != VMAF_BACKEND_OK)
        return reject_feature(check, "feature_get failed (%d)", (int)result);

    VmafBackendFeature *spec = &guarded.value;
    if (!is_legal_name(spec->name, FEATURE_NAME_MAX, false))
        return reject_feature(check, "its name is not legal");
    check->feature->spec.name = foreign_text_copy(spec->name, FEATURE_NAME_MAX);
    if (!check->feature->spec.name)
        return backend_out_of_memory(check->availability);
    if (plugin_find_feature(check->plugin, spec->name))
        return reject_feature(check, "it is listed twice");
    if (spec->n_options > OPTIONS_MAX || spec->n_outputs > OUTPUTS_MAX)
        return reject_feature(check, "it has more than %d options or outputs", OPTIONS_MAX);
    int err = check_geometry(check, spec);
    if (err < 0)
        return err;
    err = check_record(check, spec);
    if (err < 0)
        return err;
    const char *record;
    *usable = find_record(spec, &record);
    if (!*usable)
        return 0;
    err = copy_spec(check, spec);
    check->feature->spec.record = record;
    return err < 0 ? err : get_lists(check, spec->n_options, spec->n_outputs);
}

/* The part that asks for the list of features, for plugin->api. */
static int plugin_descriptor_features(Plugin *plugin, BackendAvailability *availability)
{
    uint32_t count = plugin->api.n_features;
    if (count > FEATURES_MAX)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "it lists %u features, at most %d are believed", count,
                                        FEATURES_MAX);
    plugin->features = calloc(count ? count : 1, sizeof(*plugin->features));
    if (!plugin->features)
        return backend_out_of_memory(availability);
    for (uint32_t i = 0; i < count; i++) {
        PluginFeature *feature = &plugin->features[plugin->n_features];
        FeatureCheck check = {plugin, i, feature, availability};
        bool usable = false;
        int err = get_feature(&check, &usable);
        if (err < 0 || !usable)
            feature_free(feature);
        if (err < 0)
            return err;
        plugin->n_features += usable;
    }
    return 0;
}

enum {
    REQUIRED_SIZE = offsetof(VmafBackend, memory_register),
    SIZE_MAX_BELIEVED = 1 << 16,
};

typedef struct Function {
    const char *name;
    size_t offset; /* in VmafBackend */
    bool required;
} Function;

#define REQUIRED(member)                                                                           \
    {                                                                                              \
#member, offsetof(VmafBackend, member), true                                               \
    }
#define OPTIONAL(member)                                                                           \
    {                                                                                              \
#member, offsetof(VmafBackend, member), false                                              \
    }
static const Function functions[] = {
    REQUIRED(feature_get),     REQUIRED(feature_option),  REQUIRED(feature_output),
    REQUIRED(probe),           REQUIRED(device_get),      REQUIRED(device_open),
    REQUIRED(device_close),    REQUIRED(plan_create),     REQUIRED(plan_info),
    REQUIRED(plan_answer),     REQUIRED(plan_destroy),    REQUIRED(session_open),
    REQUIRED(session_close),   OPTIONAL(reset),           REQUIRED(submit),
    REQUIRED(collect),         REQUIRED(flush),           REQUIRED(cancel),
    REQUIRED(last_error),      OPTIONAL(memory_register), OPTIONAL(memory_unregister),
    OPTIONAL(buffer_create),   OPTIONAL(buffer_info),     OPTIONAL(buffer_import),
    OPTIONAL(buffer_download), OPTIONAL(buffer_upload),   OPTIONAL(buffer_release),
    OPTIONAL(get_extension),   OPTIONAL(buffer_mark),     OPTIONAL(buffer_marked),
};
#undef REQUIRED
#undef OPTIONAL

/* A format and its arguments say why. */
#define REJECT(availability, ...)                                                                  \
    backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC, __VA_ARGS__)

/* Only struct_size and abi_major may be read before this has succeeded. */
static int check_version(const VmafBackend *descriptor, BackendAvailability *availability)
{
    if (!descriptor)
        return REJECT(availability, VMAF_BACKEND_ENTRY_SYMBOL " returned NULL");
    uint32_t size = descriptor->struct_size;
    if (size < offsetof(VmafBackend, abi_minor))
        return REJECT(availability, "the descriptor's struct_size is %u: too small for a version",
                      size);
    if (descriptor->abi_major != VMAF_BACKEND_ABI_MAJOR)
        return backend_availability_set(availability, BACKEND_ABI_MISMATCH, -EPROTONOSUPPORT,
                                        "built for ABI %u, host has %u", descriptor->abi_major,
                                        VMAF_BACKEND_ABI_MAJOR);
    if (size < REQUIRED_SIZE)
        return REJECT(availability,
                      "the descriptor's struct_size is %u, the required members take %u", size,
                      (unsigned)REQUIRED_SIZE);
    if (size > SIZE_MAX_BELIEVED)
        return REJECT(availability, "the descriptor's struct_size is %u: not believed", size);
    return 0;
}

static int check_functions(const VmafBackend *api, BackendAvailability *availability)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        VmafCodeAddress address;
        memcpy(&address, (const char *)api + functions[i].offset, sizeof(address));
        if (!address && functions[i].required)
            return REJECT(availability, "the required function %s is missing", functions[i].name);
        if (address && !vmaf_module_has_code(address))
            return REJECT(availability, "%s does not point to code: is struct_size right?",
                          functions[i].name);
    }
    bool all_buffers = api->buffer_info && api->buffer_release;
    if ((api->buffer_create || api->buffer_import) && !all_buffers)
        return REJECT(availability,
                      "buffers can be made, but buffer_info or buffer_release is missing");
    if (!api->memory_register != !api->memory_unregister)
        return REJECT(availability, "of memory_register and memory_unregister there is only one");
    if (!api->buffer_mark != !api->buffer_marked)
        return REJECT(availability, "of buffer_mark and buffer_marked there is only one");
    return 0;
}

static int check_identity(const VmafBackend *api, const char *name,
                          BackendAvailability *availability)
{
    size_t length = api->name ? strnlen(api->name, BACKEND_NAME_SIZE) : 0;
    if (!backend_name_is_valid(api->name ? api->name : "", length))
        return REJECT(availability, "the name in the descriptor is not a legal name");
    if (strcmp(api->name, name) != 0)
        return REJECT(availability, "it calls itself '%s', its file '%s'", api->name, name);
    bool known_class = api->backend_class == VMAF_BACKEND_CLASS_NATIVE ||
                       api->backend_class == VMAF_BACKEND_CLASS_PORTABLE;
    if (!known_class && api->abi_minor <= VMAF_BACKEND_ABI_MINOR)
        return REJECT(availability, "backend_class is %u: neither native nor portable",
                      api->backend_class);
    return 0;
}

static int copy_texts(Plugin *plugin, const char *name, const char *path)
{
    memcpy(plugin->name, name, strlen(name) + 1);
    plugin->path = strdup(path);
    plugin->version = foreign_text_copy(plugin->api.version, PLUGIN_TEXT_LIMIT);
    plugin->description = foreign_text_copy(plugin->api.description, PLUGIN_TEXT_LIMIT);
    if (!plugin->path || !plugin->version || !plugin->description)
        return -ENOMEM;
    if (plugin->api.build_id) {
        plugin->build_id = foreign_text_copy(plugin->api.build_id, PLUGIN_TEXT_LIMIT);
        if (!plugin->build_id)
            return -ENOMEM;
    }
    plugin->api.name = plugin->name;
    plugin->api.version = plugin->version;
    plugin->api.description = plugin->description;
    plugin->api.build_id = plugin->build_id;
    return 0;
}

int plugin_descriptor_check(Plugin **plugin_out, const VmafBackend *descriptor, const char *name,
                            const char *path, BackendAvailability *availability)
{
    *plugin_out = NULL;
    int err = check_version(descriptor, availability);
    if (err < 0)
        return err;
    Plugin *plugin = calloc(1, sizeof(*plugin));
    if (!plugin)
        return backend_out_of_memory(availability);

    /* Members that it does not have stay NULL. */
    size_t size = descriptor->struct_size;
    memcpy(&plugin->api, descriptor, size < sizeof(plugin->api) ? size : sizeof(plugin->api));
    plugin->abi_major = plugin->api.abi_major;
    plugin->abi_minor = plugin->api.abi_minor;
    plugin->backend_class = plugin->api.backend_class;
    if (plugin->backend_class != VMAF_BACKEND_CLASS_NATIVE)
        plugin->backend_class = VMAF_BACKEND_CLASS_PORTABLE;
    atomic_init(&plugin->dead, false);

    err = check_functions(&plugin->api, availability);
    if (err < 0)
        goto fail;
    err = check_identity(&plugin->api, name, availability);
    if (err < 0)
        goto fail;
    err = copy_texts(plugin, name, path);
    if (err < 0) {
        backend_out_of_memory(availability);
        goto fail;
    }
    err = plugin_descriptor_features(plugin, availability);
    if (err < 0)
        goto fail;
    *plugin_out = plugin;
    return 0;

fail:
    plugin_free(plugin);
    return err;
}
