/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: what this library contains, and the backends that it finds. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "api/api.h"
#include "backend/names.h"
#include "backend/registry.h"
#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/extractor.h"
#include "model/model.h"
#include "report/report.h"

VMAF_API int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info)
{
    if (!info)
        return -EINVAL;
    const FeatureExtractor *extractor = registry_get(index);
    if (!extractor)
        return -ERANGE;
    VmafExtractorInfo all = {.name = extractor->name, .summary = extractor->summary};
    while (extractor->options[all.n_options].name)
        all.n_options++;
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_extractor_option_info(const char *extractor_name, unsigned index,
                                        VmafOptionInfo *info)
{
    if (!extractor_name || !info)
        return -EINVAL;
    const FeatureExtractor *extractor = registry_find(extractor_name);
    if (!extractor)
        return -EINVAL;
    const OptionSpec *spec = extractor->options;
    for (unsigned i = 0; i < index && spec->name; i++)
        spec++;
    if (!spec->name)
        return -ERANGE;
    VmafOptionInfo all = {
        .name = spec->name,
        .alias = spec->flags & OPTION_NAMED ? (spec->alias ? spec->alias : spec->name) : NULL,
        .help = spec->help,
        .type = spec->type,
        .default_value = spec->default_value,
        .default_string = spec->default_string,
        .min = spec->min,
        .max = spec->max,
        .names_files = (spec->flags & OPTION_FILES) != 0,
    };
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info)
{
    if (!info)
        return -EINVAL;
    VmafBuiltinModelInfo all = {0};
    all.name = builtin_model_name(index, &all.is_collection);
    if (!all.name)
        return -ERANGE;
    return deliver(info, info->struct_size, &all, sizeof(all));
}

/* ---- backends ---- */

/* The core's availabilities and the public ones have the same values. */
_Static_assert((int)BACKEND_USABLE == (int)VMAF_AVAILABILITY_USABLE &&
                   (int)BACKEND_PLUGIN_NOT_FOUND == (int)VMAF_AVAILABILITY_PLUGIN_NOT_FOUND &&
                   (int)BACKEND_UNSUPPORTED_OS == (int)VMAF_AVAILABILITY_UNSUPPORTED_OS,
               "availability");

VMAF_API const char *vmaf_backend_known(unsigned index, const char **title)
{
    if (index >= BACKENDS_KNOWN)
        return NULL;
    if (title)
        *title = backend_known_titles[index];
    return backend_known_names[index];
}

/* Describes what a probe found, or why there was none. */
static void describe_entry(BackendEntry *entry, bool probe, VmafBackendInfo *info)
{
    info->name = backend_entry_name(entry);
    info->path = backend_entry_path(entry);
    info->availability = VMAF_AVAILABILITY_NOT_ASKED;
    if (!probe)
        return;
    const BackendAvailability *availability;
    BackendDeviceList result;
    const Plugin *plugin = backend_entry_describe(entry, &result, &availability);
    info->availability = (enum VmafAvailability)availability->state;
    info->error = availability->error;
    info->reason = availability->why.text[0] ? availability->why.text : NULL;
    info->n_devices = result.n_devices;
    info->n_unusable_devices = result.n_unusable;
    if (plugin) {
        info->version = plugin->version;
        info->description = plugin->description;
    }
}

VMAF_API int vmaf_backend_info(unsigned index, int probe, VmafBackendInfo *info)
{
    if (!info)
        return -EINVAL;
    VmafBackendInfo all = {.name = "cpu", .description = "the processor", .n_devices = 0};
    if (index > 0) {
        BackendEntry *entry = backend_registry_entry(index - 1);
        if (!entry)
            return backend_registry_exists() ? -ERANGE : -ENOMEM;
        all = (VmafBackendInfo){0};
        describe_entry(entry, probe != 0, &all);
    }
    return deliver(info, info->struct_size, &all, sizeof(all));
}

static VmafComputeDevice describe_device(const BackendEntry *entry,
                                         const BackendDeviceDescription *device)
{
    VmafComputeDevice all = {
        .id = device->id,
        .name = device->name,
        .vendor = device->vendor,
        .driver = device->driver,
        .kind = (enum VmafComputeDeviceKind)device->kind,
        .memory_bytes = device->memory_bytes,
        .unusable = device->unusable[0] ? device->unusable : NULL,
        .compute_units = device->compute_units,
        .copy_engines = device->copy_engines,
        .subgroup_size = device->subgroup_size,
        .group_memory = device->group_memory,
        .pci = device->identities & VMAF_BACKEND_IDENTITY_PCI ? device->pci : NULL,
        .has_uuid = (device->identities & VMAF_BACKEND_IDENTITY_UUID) != 0,
        .has_luid = (device->identities & VMAF_BACKEND_IDENTITY_LUID) != 0,
    };
    memcpy(all.uuid, device->uuid, sizeof(all.uuid));
    memcpy(all.luid, device->luid, sizeof(all.luid));
    const BackendEntry *twin = backend_entry_same_device(entry, device, &all.same_as_index);
    all.same_as = twin ? backend_entry_name(twin) : NULL;
    return all;
}

VMAF_API int vmaf_backend_device_info(const char *backend, unsigned index, VmafComputeDevice *info)
{
    if (!backend || !*backend || !info)
        return -EINVAL;
    BackendEntry *entry = backend_registry_find(backend);
    if (!entry)
        return -ENODEV;
    BackendAvailability availability;
    BackendDeviceList result = {0};
    const int err = backend_entry_enumerate(entry, &result, &availability);
    const bool knows_unusable = info->struct_size > offsetof(VmafComputeDevice, unusable);
    const unsigned n_unusable = knows_unusable ? result.n_unusable : 0;
    if (err && (index < result.n_devices || !n_unusable))
        return -ENODEV;
    if (index >= result.n_devices + n_unusable)
        return -ERANGE;
    const BackendDeviceDescription *device = index < result.n_devices
                                                 ? &result.devices[index]
                                                 : &result.unusable[index - result.n_devices];
    VmafComputeDevice all = describe_device(entry, device);
    if (index < result.n_devices && !(backend_entry_opened_devices(entry) >> index & 1))
        all.unusable = "it could not be opened";
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_backend_feature_info(const char *backend, unsigned index,
                                       VmafBackendFeatureInfo *info)
{
    if (!backend || !*backend || !info)
        return -EINVAL;
    BackendEntry *entry = backend_registry_find(backend);
    BackendAvailability availability;
    const Plugin *plugin = entry ? backend_entry_load(entry, &availability) : NULL;
    if (!plugin)
        return -ENODEV;
    if (index >= plugin->n_features)
        return -ERANGE;
    const VmafBackendFeature *spec = &plugin->features[index].spec;
    const VmafBackendFeatureInfo all = {
        .name = spec->name,
        .help = spec->help,
        .is_own = (spec->flags & VMAF_BACKEND_FEATURE_OWN) != 0,
    };
    return deliver(info, info->struct_size, &all, sizeof(all));
}

VMAF_API int vmaf_capabilities_json(char **out, unsigned flags)
{
    return vmaf_capabilities_json_of(out, flags, NULL, NULL);
}

VMAF_API int vmaf_capabilities_json_of(char **out, unsigned flags, const char *only,
                                       const char *const excluded[])
{
    if (!out || (flags & ~(unsigned)VMAF_CAPABILITIES_NO_PROBE))
        return -EINVAL;
    *out = NULL;
    const CapabilitiesScope scope = {
        .probe = !(flags & VMAF_CAPABILITIES_NO_PROBE), .only = only, .excluded = excluded};
    return capabilities_write(out, &scope);
}
