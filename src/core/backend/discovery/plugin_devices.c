/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/discovery/plugin.h"

typedef struct PciAddress {
    unsigned domain, bus, device, function;
} PciAddress;

/* Drivers write the domain with four digits or with eight. */
static bool parse_pci(const char *text, PciAddress *address)
{
    *address = (PciAddress){0};
    return sscanf(text, "%8x:%2x:%2x.%1x", &address->domain, &address->bus, &address->device,
                  &address->function) == 4;
}

/* Zeros are what drivers write that do not know. */
static bool same_pci(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    PciAddress x, y;
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_PCI) && parse_pci(a->pci, &x) &&
           parse_pci(b->pci, &y) && x.domain == y.domain && x.bus == y.bus &&
           x.device == y.device && x.function == y.function &&
           (x.domain || x.bus || x.device || x.function);
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    unsigned all = 0;
    for (size_t i = 0; i < size; i++)
        all |= a[i];
    return all && !memcmp(a, b, size);
}

static bool same_uuid(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_UUID) &&
           same_bytes(a->uuid, b->uuid, sizeof(a->uuid));
}

static bool same_luid(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return (a->identities & b->identities & VMAF_BACKEND_IDENTITY_LUID) &&
           same_bytes(a->luid, b->luid, sizeof(a->luid));
}

void device_description_mark_parts(BackendDeviceDescription devices[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        BackendDeviceDescription *a = &devices[i];
        for (unsigned k = 0; k < count && !a->is_part; k++) {
            const BackendDeviceDescription *b = &devices[k];
            a->is_part = k != i && same_pci(a, b) && !same_uuid(a, b) &&
                         !strncmp(a->driver, b->driver, sizeof(a->driver));
        }
    }
}

/* Vendors disagree on what a UUID is made from, so that one may differ where the address agrees. */
bool device_description_same(const BackendDeviceDescription *a, const BackendDeviceDescription *b)
{
    return same_uuid(a, b) || same_luid(a, b) || (!a->is_part && !b->is_part && same_pci(a, b));
}

static const char *result_text(int32_t result)
{
    switch (result) {
    case VMAF_BACKEND_DEVICE_LOST:
        return "device lost";
    case VMAF_BACKEND_OUT_OF_MEMORY:
        return "out of memory";
    case VMAF_BACKEND_INVALID:
        return "invalid argument";
    case VMAF_BACKEND_NOT_SUPPORTED:
        return "not supported";
    case VMAF_BACKEND_NO_DRIVER:
        return "the driver is missing";
    default:
        return "failed";
    }
}

/* The plugin's own words, or else the host's. */
static int judge_failure(BackendAvailability *availability, int32_t result, const char *what,
                         const char *words)
{
    BackendState state =
        result == VMAF_BACKEND_NO_DRIVER ? BACKEND_DRIVER_MISSING : BACKEND_INIT_FAILED;
    if (*words)
        return backend_availability_set(availability, state, plugin_error(result), "%s", words);
    return backend_availability_set(availability, state, plugin_error(result), "%s: %s (%d)", what,
                                    result_text(result), (int)result);
}

/* The texts and numbers that version 1.1 has added; zero if the plugin has written none. */
static void describe_more(const VmafBackendDeviceInfo *info, BackendDeviceDescription *device)
{
    foreign_text(device->pci, sizeof(device->pci), info->pci, sizeof(info->pci));
    foreign_text(device->unusable, sizeof(device->unusable), info->unusable,
                 sizeof(info->unusable));
    memcpy(device->uuid, info->uuid, sizeof(device->uuid));
    memcpy(device->luid, info->luid, sizeof(device->luid));
    device->identities = info->identities;
    device->buffers = info->buffers;
    device->syncs = info->syncs;
    device->compute_units = info->compute_units;
    device->copy_engines = info->copy_engines;
    device->subgroup_size = info->subgroup_size;
    device->group_memory = info->group_memory;
}

static int describe(const Plugin *plugin, unsigned index, BackendDeviceDescription *device,
                    bool usable, BackendAvailability *availability)
{
    GUARDED(VmafBackendDeviceInfo) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);

    PluginGuard enter = plugin_enter();
    int32_t result = plugin->api.device_get(index, &guarded.value);
    plugin_leave(&enter);

    const VmafBackendDeviceInfo *info = &guarded.value;
    if (!guard_holds(guarded.guard))
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                        "device_get writes beyond its result");
    if (result != VMAF_BACKEND_OK)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, plugin_error(result),
                                        "device_get(%u): %s (%d)", index, result_text(result),
                                        (int)result);
    foreign_text(device->vendor, sizeof(device->vendor), info->vendor, sizeof(info->vendor));
    foreign_text(device->driver, sizeof(device->driver), info->driver, sizeof(info->driver));
    foreign_text(device->name, sizeof(device->name), info->name, sizeof(info->name));
    foreign_text(device->id, sizeof(device->id), info->id, sizeof(info->id));
    device->kind = info->kind;
    device->memory_bytes = info->memory_bytes;
    describe_more(info, device);
    if (!usable)
        return 0;
    /* The id is passed to device_open, so copying must not have changed it. */
    if (!*device->id || strncmp(device->id, info->id, sizeof(info->id)) != 0)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                        "the id of device %u is empty or not text", index);
    device->abilities = info->abilities;
    device->imports = info->imports;
    return 0;
}

/* What cannot be opened is described for people: nothing fails for its sake. */
static void describe_unusable(const Plugin *plugin, PluginDevices *devices,
                              const VmafBackendProbe *probe)
{
    unsigned n = plugin->abi_minor < 1 ? 0 : probe->n_unusable;
    n = n < BACKEND_UNUSABLE_MAX ? n : BACKEND_UNUSABLE_MAX;
    for (unsigned i = 0; i < n && probe->n_devices <= BACKEND_DEVICES_MAX; i++) {
        BackendDeviceDescription *device = &devices->unusable[devices->n_unusable];
        BackendAvailability ignored;
        memset(device, 0, sizeof(*device));
        if (describe(plugin, probe->n_devices + i, device, false, &ignored) < 0)
            return;
        if (!*device->unusable)
            snprintf(device->unusable, sizeof(device->unusable), "it cannot be used");
        devices->n_unusable++;
    }
}

/* The driver may be there, and a device as well: then what is wrong with that is said, too. */
static int no_device(BackendAvailability *availability, const PluginDevices *devices,
                     const char *reason)
{
    if (!devices->n_unusable)
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "%s",
                                        *reason ? reason : "no device was found");
    const BackendDeviceDescription *first = &devices->unusable[0];
    if (strstr(reason, first->unusable)) /* it has been said */
        return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "%s", reason);
    return backend_availability_set(availability, BACKEND_NO_DEVICE, -ENODEV, "%.80s%s%.80s: %s",
                                    reason, *reason ? "; " : "", first->name, first->unusable);
}

static int enumerate(const Plugin *plugin, PluginDevices *devices, unsigned *count,
                     BackendAvailability *availability)
{
    GUARDED(VmafBackendProbe) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);

    PluginGuard enter = plugin_enter();
    int32_t result = plugin->api.probe(&guarded.value);
    plugin_leave(&enter);

    if (!guard_holds(guarded.guard))
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                        "probe writes beyond its result");
    const VmafBackendProbe *probe = &guarded.value;
    char reason[VMAF_BACKEND_TEXT_SIZE];
    foreign_text(devices->driver, sizeof(devices->driver), probe->driver, sizeof(probe->driver));
    foreign_text(devices->runtime, sizeof(devices->runtime), probe->runtime,
                 sizeof(probe->runtime));
    foreign_text(reason, sizeof(reason), probe->reason, sizeof(probe->reason));
    if (result != VMAF_BACKEND_OK)
        return judge_failure(availability, result, "probe", reason);
    describe_unusable(plugin, devices, probe);
    if (probe->n_devices == 0)
        return no_device(availability, devices, reason);
    *count = probe->n_devices < BACKEND_DEVICES_MAX ? probe->n_devices : BACKEND_DEVICES_MAX;
    return 0;
}

int plugin_enumerate(const Plugin *plugin, PluginDevices *devices,
                     BackendAvailability *availability)
{
    memset(devices, 0, sizeof(*devices));
    unsigned count = 0;
    int err = enumerate(plugin, devices, &count, availability);
    if (err < 0)
        return err;
    for (unsigned i = 0; i < count; i++) {
        err = describe(plugin, i, &devices->devices[i], true, availability);
        if (err < 0)
            return err;
        for (unsigned k = 0; k < i; k++)
            if (strcmp(devices->devices[k].id, devices->devices[i].id) == 0)
                return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                                "devices %u and %u have the same id", k, i);
        devices->n_devices = i + 1;
    }
    device_description_mark_parts(devices->devices, devices->n_devices);
    return 0;
}

int plugin_open_device(const Plugin *plugin, const VmafBackendDeviceParams *params,
                       VmafBackendDevice **device, BackendAvailability *availability)
{
    GUARDED(VmafBackendReason) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    *device = NULL;

    PluginGuard enter = plugin_enter();
    int32_t result = plugin->api.device_open(params, device, &guarded.value);
    plugin_leave(&enter);

    char reason[VMAF_BACKEND_TEXT_SIZE];
    foreign_text(reason, sizeof(reason), guarded.value.text, sizeof(guarded.value.text));
    if (!guard_holds(guarded.guard))
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                        "device_open writes beyond its result");
    if (result != VMAF_BACKEND_OK)
        return judge_failure(availability, result, "device_open", reason);
    if (!*device)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -EIO,
                                        "device_open succeeded without a device");
    return 0;
}
