/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The devices of a backend: probe and device_get of backend.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_glue.h"
#include "driver_guard.h"
#include "status.h"
#include "struct_size.h"

enum { DEVICES_MAX = 64 };

typedef struct DeviceList {
    VmafDeviceInfo infos[DEVICES_MAX]; /* usable ones first */
    uint32_t n_usable, n_unusable;
    char reason[VMAF_BACKEND_TEXT_SIZE];
} DeviceList;

/* Moves what cannot be used behind the others, in the same order. */
static int sort_out(DeviceList *list, uint32_t count)
{
    VmafDeviceInfo *unusable = calloc(DEVICES_MAX, sizeof(*unusable));
    if (!unusable)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        VmafDeviceInfo *info = &list->infos[i];
        const char *bad = vmaf_known_bad(vmaf_sdk_vendor.known_bad, info, NULL);
        if (bad && !info->unusable[0])
            snprintf(info->unusable, sizeof(info->unusable), "%s", bad);
        if (info->unusable[0])
            unusable[list->n_unusable++] = *info;
        else
            list->infos[list->n_usable++] = *info;
    }
    memcpy(list->infos + list->n_usable, unusable, list->n_unusable * sizeof(*unusable));
    free(unusable);
    return 0;
}

static int32_t enumerate(DeviceList *list)
{
    size_t count = 0;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    int err = vmaf_sdk_vendor.layer->enumerate(list->infos, DEVICES_MAX, &count, list->reason,
                                               sizeof(list->reason));
    vmaf_driver_guard_end(&guard);
    if (!err)
        err = sort_out(list, (uint32_t)(count < DEVICES_MAX ? count : DEVICES_MAX));
    if (err == -ENODEV || err == -ENOSYS)
        return VMAF_BACKEND_NO_DRIVER;
    return vmaf_sdk_status(err);
}

int32_t vmaf_sdk_probe(VmafBackendProbe *result)
{
    DeviceList *list = calloc(1, sizeof(*list));
    if (!list)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    VmafBackendProbe full = {.n_devices = 0};
    int32_t status = enumerate(list);
    if (status == VMAF_BACKEND_OK) {
        full.n_devices = list->n_usable;
        full.n_unusable = list->n_unusable;
    }
    if (full.n_devices || full.n_unusable)
        snprintf(full.driver, sizeof(full.driver), "%.*s", (int)sizeof(full.driver) - 1,
                 list->infos[0].driver);
    if (!full.n_devices && full.n_unusable && !list->reason[0])
        memcpy(list->reason, list->infos[0].unusable, sizeof(list->reason));
    memcpy(full.reason, list->reason, sizeof(full.reason));
    if (!vmaf_struct_fill(result, &full, sizeof(full),
                          VMAF_STRUCT_SIZE_BEFORE(VmafBackendProbe, n_unusable)))
        status = VMAF_BACKEND_INVALID;
    free(list);
    return status;
}

static uint32_t device_kind(enum VmafDeviceKind kind)
{
    switch (kind) {
    case VMAF_DEVICE_DISCRETE:
        return VMAF_BACKEND_DEVICE_DISCRETE;
    case VMAF_DEVICE_INTEGRATED:
        return VMAF_BACKEND_DEVICE_INTEGRATED;
    case VMAF_DEVICE_VIRTUAL:
        return VMAF_BACKEND_DEVICE_VIRTUAL;
    case VMAF_DEVICE_SOFTWARE:
        break;
    }
    return VMAF_BACKEND_DEVICE_SOFTWARE;
}

static uint32_t abilities(const VmafDeviceCaps *caps)
{
    return VMAF_BACKEND_ABILITY_INT64 | (caps->exact_float64 ? VMAF_BACKEND_ABILITY_FP64 : 0) |
           (caps->unified_memory ? VMAF_BACKEND_ABILITY_UNIFIED_MEMORY : 0) |
           (caps->exact_float32 ? VMAF_BACKEND_ABILITY_FP32_EXACT : 0) |
           (caps->exact_float32_division ? VMAF_BACKEND_ABILITY_FP32_DIVISION : 0) |
           (caps->atomics32 ? VMAF_BACKEND_ABILITY_ATOMIC32 : 0) |
           (caps->group_atomics32 ? VMAF_BACKEND_ABILITY_GROUP_ATOMIC32 : 0) |
           (caps->host_memory_alignment ? VMAF_BACKEND_ABILITY_HOST_MEMORY : 0);
}

static void describe(const VmafDeviceInfo *device, VmafBackendDeviceInfo *info)
{
    const VmafDeviceCaps *caps = &device->caps;
    *info = (VmafBackendDeviceInfo){
        .kind = device_kind(device->kind),
        .memory_bytes = caps->memory_size,
        .abilities = abilities(caps),
        .imports = vmaf_sdk_vendor.layer->image_import ? caps->imports : 0,
        .identities = device->identities,
        .buffers = vmaf_buffer_kinds(caps),
        .syncs = caps->syncs,
        .compute_units = caps->compute_units,
        .copy_engines = caps->copy_engines,
        .subgroup_size = caps->subgroup_size,
        .group_memory = caps->group_memory,
    };
    snprintf(info->id, sizeof(info->id), "%s", device->id);
    snprintf(info->vendor, sizeof(info->vendor), "%s", device->vendor);
    snprintf(info->driver, sizeof(info->driver), "%.*s", (int)sizeof(info->driver) - 1,
             device->driver);
    snprintf(info->name, sizeof(info->name), "%s", device->name);
    snprintf(info->pci, sizeof(info->pci), "%s", device->pci);
    snprintf(info->unusable, sizeof(info->unusable), "%s", device->unusable);
    memcpy(info->uuid, device->uuid, sizeof(info->uuid));
    memcpy(info->luid, device->luid, sizeof(info->luid));
}

int32_t vmaf_sdk_device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    DeviceList *list = calloc(1, sizeof(*list));
    if (!list)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    VmafBackendDeviceInfo full;
    int32_t status = enumerate(list);
    if (status == VMAF_BACKEND_OK && index >= list->n_usable + list->n_unusable)
        status = VMAF_BACKEND_INVALID;
    if (status == VMAF_BACKEND_OK) {
        describe(&list->infos[index], &full);
        if (!vmaf_struct_fill(info, &full, sizeof(full),
                              VMAF_STRUCT_SIZE_BEFORE(VmafBackendDeviceInfo, identities)))
            status = VMAF_BACKEND_INVALID;
    }
    free(list);
    return status;
}
