/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_descriptor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_copy.h"
#include "backend/foreign_text.h"
#include "platform/module.h"

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

static int refuse_plugin(BackendAvailability *availability, const char *why)
{
    return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC, "%s", why);
}

/* Only struct_size and abi_major may be read before this has succeeded. */
static int check_version(const VmafBackend *descriptor, BackendAvailability *availability)
{
    if (!descriptor)
        return refuse_plugin(availability, VMAF_BACKEND_ENTRY_SYMBOL " returned NULL");
    uint32_t size = descriptor->struct_size;
    if (size < offsetof(VmafBackend, abi_minor))
        return backend_availability_set(
            availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
            "the descriptor's struct_size is %u: too small for a version", size);
    if (descriptor->abi_major != VMAF_BACKEND_ABI_MAJOR)
        return backend_availability_set(availability, BACKEND_ABI_MISMATCH, -EPROTONOSUPPORT,
                                        "built for ABI %u, host has %u", descriptor->abi_major,
                                        VMAF_BACKEND_ABI_MAJOR);
    if (size < REQUIRED_SIZE)
        return backend_availability_set(
            availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
            "the descriptor's struct_size is %u, the required members take %u", size,
            (unsigned)REQUIRED_SIZE);
    if (size > SIZE_MAX_BELIEVED)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "the descriptor's struct_size is %u: not believed", size);
    return 0;
}

static int check_functions(const VmafBackend *api, BackendAvailability *availability)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        VmafCodeAddress address;
        memcpy(&address, (const char *)api + functions[i].offset, sizeof(address));
        if (!address && functions[i].required)
            return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                            "the required function %s is missing",
                                            functions[i].name);
        if (address && !vmaf_module_has_code(address))
            return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                            "%s does not point to code: is struct_size right?",
                                            functions[i].name);
    }
    bool all_buffers = api->buffer_info && api->buffer_release;
    if ((api->buffer_create || api->buffer_import) && !all_buffers)
        return refuse_plugin(availability,
                             "buffers can be made, but buffer_info or buffer_release is missing");
    if (!api->memory_register != !api->memory_unregister)
        return refuse_plugin(availability,
                             "of memory_register and memory_unregister there is only one");
    if (!api->buffer_mark != !api->buffer_marked)
        return refuse_plugin(availability, "of buffer_mark and buffer_marked there is only one");
    return 0;
}

static int check_identity(const VmafBackend *api, const char *name,
                          BackendAvailability *availability)
{
    size_t length = api->name ? strnlen(api->name, BACKEND_NAME_SIZE) : 0;
    if (!backend_name_is_valid(api->name ? api->name : "", length))
        return refuse_plugin(availability, "the name in the descriptor is not a legal name");
    if (strcmp(api->name, name) != 0)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "it calls itself '%s', its file '%s'", api->name, name);
    bool known_class = api->backend_class == VMAF_BACKEND_CLASS_NATIVE ||
                       api->backend_class == VMAF_BACKEND_CLASS_PORTABLE;
    if (!known_class && api->abi_minor <= VMAF_BACKEND_ABI_MINOR)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "backend_class is %u: neither native nor portable",
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
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");

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
        backend_availability_set(availability, BACKEND_INIT_FAILED, err, "out of memory");
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
