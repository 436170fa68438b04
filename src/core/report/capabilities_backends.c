/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plugins that exist, whether they work, what they can do, and which "auto" would choose. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/selection.h"
#include "metrics/framework/extractor.h"
#include "report/capabilities_internal.h"

/* What is known about a backend. */
typedef struct Description {
    BackendEntry *entry;
    const Plugin *plugin; /* NULL: not loaded */
    BackendDeviceList probe;
    uint64_t opened; /* set of the devices that could be opened */
    const BackendAvailability *availability;
} Description;

/* Names of files and folders may be any bytes, the document is UTF-8. */
static json_t *path_string(const char *path)
{
    char *text = foreign_text_copy(path, strlen(path));
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string;
}

/* An object with the members of another one, which is released. NULL if either is. */
static json_t *joined(json_t *object, json_t *more)
{
    if (!object || !more || json_object_update(object, more)) {
        json_decref(object);
        object = NULL;
    }
    json_decref(more);
    return object;
}

static bool may_load(const CapabilitiesScope *scope, const char *name)
{
    if (!scope->probe || (scope->only && strcmp(scope->only, name) != 0))
        return false;
    for (const char *const *excluded = scope->excluded; excluded && *excluded; excluded++) {
        if (!strcmp(*excluded, name))
            return false;
    }
    return true;
}

static const BackendAvailability not_asked = {
    BACKEND_DISABLED_BY_FLAG, 0, {"not asked, because the caller ruled it out"}};

static void describe(Description *description, const CapabilitiesScope *scope)
{
    BackendEntry *entry = description->entry;
    if (backend_entry_path(entry) && !may_load(scope, backend_entry_name(entry))) {
        description->availability = &not_asked;
        return;
    }
    description->plugin =
        backend_entry_describe(entry, &description->probe, &description->availability);
    description->opened = backend_entry_opened_devices(entry);
}

static json_t *device_kind(uint32_t kind)
{
    static const char *const names[] = {"unknown", "discrete", "integrated", "virtual", "software"};
    return json_string(kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0]);
}

/* The bits of a set that have a name, by number. */
static json_t *set_of(uint32_t set, const char *const names[], unsigned n_names)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < n_names; i++) {
        if ((set >> i & 1) && names[i])
            list = capabilities_append(list, json_string(names[i]));
    }
    return list;
}

static json_t *ability_list(uint32_t abilities)
{
    static const char *const names[] = {"fp64",           "int64",         "unified_memory",
                                        "fp32",           "fp32_division", "atomic32",
                                        "group_atomic32", "host_memory"};
    return set_of(abilities, names, sizeof(names) / sizeof(names[0]));
}

static json_t *hexadecimal(const uint8_t *bytes, size_t size, bool known)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * 16 + 1];
    if (!known)
        return json_null();
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * size] = '\0';
    return json_string(text);
}

/* "NAME:0", if that backend sees the same hardware. */
static json_t *same_device(const Description *description, const BackendDeviceDescription *device)
{
    int index;
    const BackendEntry *entry = backend_entry_same_device(description->entry, device, &index);
    return entry ? json_sprintf("%s:%d", backend_entry_name(entry), index) : json_null();
}

static json_t *count_or_null(unsigned number)
{
    return number ? json_integer(number) : json_null();
}

static json_t *describe_device(const Description *description, int index,
                               const BackendDeviceDescription *device, bool usable,
                               const char *reason)
{
    const bool has_pci = device->identities & VMAF_BACKEND_IDENTITY_PCI;
    json_t *members = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:I, s:o, s:b, s:b, s:b, s:s?}", "index", index, "id",
        device->id, "name", device->name, "vendor", device->vendor, "driver", device->driver,
        "memory_bytes", (json_int_t)device->memory_bytes, "type", device_kind(device->kind), "fp64",
        (device->abilities & VMAF_BACKEND_ABILITY_FP64) != 0, "int64",
        (device->abilities & VMAF_BACKEND_ABILITY_INT64) != 0, "usable", usable, "reason", reason);
    json_t *more = json_pack(
        "{s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pci", has_pci ? device->pci : NULL,
        "uuid",
        hexadecimal(device->uuid, sizeof(device->uuid),
                    device->identities & VMAF_BACKEND_IDENTITY_UUID),
        "luid",
        hexadecimal(device->luid, sizeof(device->luid),
                    device->identities & VMAF_BACKEND_IDENTITY_LUID),
        "same_device_as", same_device(description, device), "compute_units",
        count_or_null(device->compute_units), "copy_engines", count_or_null(device->copy_engines),
        "subgroup_size", count_or_null(device->subgroup_size), "group_memory_bytes",
        count_or_null(device->group_memory), "abilities", ability_list(device->abilities),
        "imports", set_of(device->imports, backend_import_names, IMPORT_KINDS));
    return joined(members, more);
}

static json_t *device_list(const Description *description)
{
    json_t *list = json_array();
    bool usable = description->availability->state == BACKEND_USABLE;
    const char *reason = usable ? NULL : description->availability->why.text;
    const unsigned n_devices = description->probe.n_devices;
    for (unsigned i = 0; i < n_devices; i++) {
        bool opened = description->opened >> i & 1;
        list = capabilities_append(
            list,
            describe_device(description, (int)i, &description->probe.devices[i], usable && opened,
                            usable && !opened ? "it could not be opened" : reason));
    }
    for (unsigned i = 0; i < description->probe.n_unusable; i++) {
        const BackendDeviceDescription *device = &description->probe.unusable[i];
        list = capabilities_append(list, describe_device(description, (int)(n_devices + i), device,
                                                         false, device->unusable));
    }
    return list;
}

static json_t *depth_list(const VmafBackendFeature *feature)
{
    json_t *list = json_array();
    for (uint32_t depth = feature->depth_min; depth <= feature->depth_max; depth++)
        list = capabilities_append(list, json_integer(depth));
    return list;
}

static json_t *describe_feature(const Description *description, const PluginFeature *feature)
{
    bool own = feature->spec.flags & VMAF_BACKEND_FEATURE_OWN;
    bool exact = feature->spec.exactness == VMAF_BACKEND_EXACT;
    const char *backend = backend_entry_name(description->entry);
    json_t *options = json_array();
    for (uint32_t i = 0; i < feature->spec.n_options; i++)
        options = capabilities_append(options, json_string(feature->options[i].name));
    json_t *name = own ? json_sprintf("%s_%s", backend, feature->spec.name)
                       : json_sprintf("%s_%s", feature->spec.name, backend);
    json_t *exactness =
        exact ? json_string("exact") : json_sprintf("bounded:%g", feature->spec.bound);
    return json_pack("{s:s, s:o, s:b, s:o, s:f, s:s?, s:b, s:o, s:{s:[i, i], s:o}}", "name",
                     feature->spec.name, "twin", name, "own", own, "exactness", exactness, "bound",
                     exact ? 0.0 : feature->spec.bound, "bound_reason",
                     exact ? NULL : feature->spec.bound_reason, "dispatch", !own, "options",
                     options, "limits", "min_size", (int)feature->spec.width_min,
                     (int)feature->spec.height_min, "bit_depths", depth_list(&feature->spec));
}

static json_t *feature_list(const Description *description)
{
    json_t *list = json_array();
    for (unsigned i = 0; description->plugin && i < description->plugin->n_features; i++)
        list = capabilities_append(
            list, describe_feature(description, &description->plugin->features[i]));
    return list;
}

static json_t *backing_list(const Description *description)
{
    json_t *list = capabilities_append(json_array(), json_string("host"));
    const Plugin *plugin = description->plugin;
    uint32_t kinds = 0; /* of buffers; before version 1.1 of the interface, devices do not list
                         * them */
    for (unsigned i = 0; plugin && i < description->probe.n_devices; i++)
        kinds |= description->probe.devices[i].buffers;
    if (plugin && plugin->api.buffer_create && plugin->abi_minor < 1)
        kinds = 1u << VMAF_BACKEND_BUFFER_PINNED | 1u << VMAF_BACKEND_BUFFER_DEVICE;
    if (kinds >> VMAF_BACKEND_BUFFER_PINNED & 1)
        list = capabilities_append(list, json_sprintf("%s_host_pinned", plugin->name));
    if (kinds >> VMAF_BACKEND_BUFFER_DEVICE & 1)
        list = capabilities_append(list, json_sprintf("%s_device", plugin->name));
    return list;
}

static json_t *describe_plugin(const Description *description)
{
    const Plugin *plugin = description->plugin;
    const char *path = backend_entry_path(description->entry);
    json_t *loaded = json_pack("{s:b, s:b, s:o}", "found", path != NULL, "loaded", plugin != NULL,
                               "path", path ? path_string(path) : json_null());
    if (loaded && plugin) {
        bool native = plugin->backend_class == VMAF_BACKEND_CLASS_NATIVE;
        json_t *more = json_pack(
            "{s:i, s:i, s:s?, s:s?, s:s?, s:s}", "abi_major", (int)plugin->abi_major, "abi_minor",
            (int)plugin->abi_minor, "version", plugin->version, "build_id", plugin->build_id,
            "description", plugin->description, "class", native ? "native" : "portable");
        loaded = joined(loaded, more);
    }
    return loaded;
}

static json_t *describe_backend(const Description *description)
{
    const BackendAvailability *availability = description->availability;
    bool usable = availability->state == BACKEND_USABLE;
    json_t *init_status = usable ? json_integer(0)
                          : availability->error && description->plugin
                              ? json_integer(availability->error)
                              : json_null();
    return json_pack("{s:s, s:b, s:o, s:b, s:o, s:s?, s:s?, s:{s:s, s:s}, s:o, s:o, s:o}", "name",
                     backend_entry_name(description->entry), "compiled",
                     availability->state != BACKEND_UNSUPPORTED_OS, "plugin",
                     describe_plugin(description), "usable", usable, "init_status", init_status,
                     "reason", backend_reason_name(availability->state), "reason_text",
                     usable || !availability->why.text[0] ? NULL : availability->why.text,
                     "runtime", "driver", description->probe.driver, "api",
                     description->probe.runtime, "devices", device_list(description), "features",
                     feature_list(description), "picture_backings", backing_list(description));
}

/* The class of a plugin that could not be loaded is unknown: it counts as portable. */
static uint32_t class_of(const Description *description)
{
    return description->plugin ? description->plugin->backend_class : VMAF_BACKEND_CLASS_PORTABLE;
}

static int by_preference(const void *a, const void *b)
{
    const Description *x = a, *y = b;
    return backend_name_compare(backend_entry_name(x->entry), class_of(x),
                                backend_entry_name(y->entry), class_of(y));
}

/* ---- what "auto" would do ---- */

typedef struct Preferences {
    const Description *descriptions;
    unsigned count;
    json_t *order;
    const char *choice; /* NULL: none works */
    int device;
} Preferences;

static const Description *find_description(const Preferences *preferences, const char *name)
{
    for (unsigned i = 0; i < preferences->count; i++) {
        const Description *description = &preferences->descriptions[i];
        if (backend_registry_find(name) == description->entry)
            return description;
    }
    return NULL;
}

/* The device that "auto" would open; negative: there is none. */
static int examine(void *cookie, const SelectionTarget *target, bool *discrete,
                   BackendAvailability *availability)
{
    const Preferences *preferences = cookie;
    const Description *description = find_description(preferences, target->name);
    const BackendDeviceRequest request = {
        .index = target->device, .hardware_only = target->hardware_only, .discrete_first = true};
    *discrete = false;
    if (!description || description->availability->state != BACKEND_USABLE)
        return -ENODEV;
    const int index =
        device_choose(description->entry, &request, &description->probe, availability);
    if (index >= 0)
        *discrete = description->probe.devices[index].kind == VMAF_BACKEND_DEVICE_DISCRETE;
    return index;
}

/* Notes the first backend that works, and returns that it does not, so that all of them are
 * asked. */
static int try_backend(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability)
{
    Preferences *preferences = cookie;
    bool discrete;
    const int device = examine(preferences, target, &discrete, availability);
    if (device >= 0 && !preferences->choice) {
        preferences->choice = target->name;
        preferences->device = device;
    }
    return -ENODEV;
}

static void passed_over(void *cookie, const char *name, const BackendAvailability *availability,
                        const char *next)
{
    Preferences *preferences = cookie;
    (void)availability;
    (void)next;
    preferences->order = capabilities_append(preferences->order, json_string(name));
}

static int find_preferences(Preferences *preferences, bool probe)
{
    SelectionCandidate *candidates = calloc(preferences->count + 1, sizeof(*candidates));
    if (!candidates)
        return -ENOMEM;
    unsigned n = 0;
    for (unsigned i = 0; i < preferences->count; i++) {
        const Description *d = &preferences->descriptions[i];
        const char *name = backend_entry_name(d->entry);
        /* A shadowed or rejected file has an entry of its own besides the one in use. */
        if (backend_registry_find(name) == d->entry)
            candidates[n++] = (SelectionCandidate){.name = name, .class = class_of(d)};
    }
    const SelectionRequest request = {.name = "auto", .device = -1};
    const SelectionEnvironment environment = {
        .cookie = preferences,
        .n_candidates = n,
        .candidates = candidates,
        .examine = probe ? examine : NULL,
        .try_backend = try_backend,
        .passed_over = passed_over,
    };
    BackendAvailability ignored;
    selection_choose(&request, &environment, &ignored);
    free(candidates);
    return 0;
}

static const char *how(const Plugin *plugin, const char *name)
{
    const PluginFeature *feature = plugin_find_feature(plugin, name);
    if (!feature || (feature->spec.flags & VMAF_BACKEND_FEATURE_OWN))
        return "cpu";
    return feature->spec.exactness == VMAF_BACKEND_EXACT ? "exact" : "bounded";
}

/* What each plugin computes of a feature: "exact", "bounded" or, not at all, "cpu". */
static json_t *coverage_of(const char *feature, const Description descriptions[], unsigned count)
{
    json_t *backends = json_object();
    for (unsigned i = 0; i < count; i++) {
        const Plugin *plugin = descriptions[i].plugin;
        if (plugin)
            backends = capabilities_set(backends, plugin->name, json_string(how(plugin, feature)));
    }
    return json_pack("{s:s, s:o}", "feature", feature, "backends", backends);
}

static json_t *coverage(const Description descriptions[], unsigned count)
{
    json_t *list = json_array();
    const FeatureExtractor *extractor;
    for (unsigned i = 0; (extractor = registry_get(i)); i++) {
        if (extractor->accumulate)
            list = capabilities_append(list, coverage_of(extractor->name, descriptions, count));
    }
    return list;
}

static int add_lists(json_t *document, const Description descriptions[], unsigned count,
                     const CapabilitiesScope *scope)
{
    Preferences preferences = {
        .descriptions = descriptions, .count = count, .order = json_array(), .device = -1};
    json_t *backends =
        capabilities_append(json_array(), json_pack("{s:s, s:b, s:b}", "name", "cpu", "compiled",
                                                    true, "usable", true));
    for (unsigned i = 0; i < count; i++)
        backends = capabilities_append(backends, describe_backend(&descriptions[i]));
    const int err = find_preferences(&preferences, scope->probe);
    json_t *order = capabilities_append(preferences.order, json_string("cpu"));
    const char *choice = preferences.choice ? preferences.choice : "cpu";
    json_t *auto_choice = scope->probe ? json_string(choice) : json_null();
    json_t *auto_device = preferences.choice ? json_integer(preferences.device) : json_null();
    if (json_object_set_new(document, "auto_order", order) ||
        json_object_set_new(document, "auto_choice", auto_choice) ||
        json_object_set_new(document, "auto_device", auto_device) ||
        json_object_set_new(document, "backends", backends) ||
        json_object_set_new(document, "coverage", coverage(descriptions, count)))
        return -ENOMEM;
    return err;
}

static json_t *search_path(void)
{
    json_t *list = json_array();
    for (const char *const *folder = backend_registry_search_path(); *folder; folder++)
        list = capabilities_append(list, path_string(*folder));
    return list;
}

/* Helper processes may take seconds: run them at the same time. */
static void probe_together(const CapabilitiesScope *scope, unsigned count)
{
    BackendEntry **entries = calloc(count + 1, sizeof(BackendEntry *));
    unsigned n = 0;
    for (unsigned i = 0; entries && i < count; i++) {
        BackendEntry *entry = backend_registry_entry(i);
        if (may_load(scope, backend_entry_name(entry)))
            entries[n++] = entry;
    }
    if (entries)
        backend_registry_probe(entries, n);
    free(entries);
}

int capabilities_add_backends(json_t *document, const CapabilitiesScope *scope)
{
    if (json_object_set_new(document, "plugin_search_path", search_path()) ||
        json_object_set_new(document, "plugin_abi",
                            json_pack("{s:i, s:i}", "major", VMAF_BACKEND_ABI_MAJOR, "minor",
                                      VMAF_BACKEND_ABI_MINOR)))
        return -ENOMEM;

    unsigned count = 0;
    while (backend_registry_entry(count))
        count++;
    Description *descriptions = calloc(count + 1, sizeof(*descriptions));
    if (!descriptions)
        return -ENOMEM;
    probe_together(scope, count);
    for (unsigned i = 0; i < count; i++) {
        descriptions[i].entry = backend_registry_entry(i);
        describe(&descriptions[i], scope);
    }
    qsort(descriptions, count, sizeof(*descriptions), by_preference);
    int err = add_lists(document, descriptions, count, scope);
    free(descriptions);
    return err;
}
