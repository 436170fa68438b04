/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The functions of backend.h for a device layer: devices, features, and what belongs to a device.
 */
#include "backend_glue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "device_state.h"
#include "gpu_timer.h"
#include "platform/path.h"

/* -- the list of devices -- */

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
    const VmafDriverGuard guard = vmaf_driver_enter();
    int err = vmaf_sdk_vendor.layer->enumerate(list->infos, DEVICES_MAX, &count, list->reason,
                                               sizeof(list->reason));
    vmaf_driver_leave(&guard);
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

struct VmafBackendDevice {
    VmafDevice *device;
    const VmafBackendHost *host;
};

static const VmafDeviceLayer *layer(void)
{
    return vmaf_sdk_vendor.layer;
}

/* -- features -- */

static const VmafMetric *recipe_at(uint32_t index)
{
    return index < VMAF_N_METRICS ? vmaf_metrics[index] : NULL;
}

/* The honoured option number `number`; beyond the last, one whose name is NULL. */
static const OptionSpec *option_at(const VmafMetric *metric, uint32_t number)
{
    const OptionSpec *spec = metric->options;
    for (; spec->name; spec++) {
        if (vmaf_metric_honours(spec) && number-- == 0)
            break;
    }
    return spec;
}

static uint32_t count_options(const VmafMetric *metric)
{
    uint32_t count = 0;
    while (option_at(metric, count)->name)
        count++;
    return count;
}

int32_t vmaf_sdk_feature_get(uint32_t index, VmafBackendFeature *feature)
{
    const VmafMetric *metric = recipe_at(index);
    if (!metric)
        return VMAF_BACKEND_INVALID;
    const VmafBackendFeature full = {
        .name = metric->name,
        .record_kind = vmaf_metric_record_kind(metric),
        .record_version = metric->record_version,
        .record = metric->record,
        .pixel_formats = metric->pixel_formats,
        .depth_min = metric->depth_min,
        .depth_max = metric->depth_max,
        .width_min = metric->width_min,
        .height_min = metric->height_min,
        .width_max = metric->width_max,
        .height_max = metric->height_max,
        .planes = metric->planes,
        .ref_before = metric->ref_before,
        .dist_before = metric->dist_before,
        .exactness = VMAF_BACKEND_EXACT,
        .n_options = count_options(metric),
    };
    return vmaf_struct_fill(feature, &full, sizeof(full), sizeof(full)) ? VMAF_BACKEND_OK
                                                                        : VMAF_BACKEND_INVALID;
}

int32_t vmaf_sdk_feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    const VmafMetric *metric = recipe_at(index);
    const OptionSpec *honoured = metric ? option_at(metric, option) : NULL;
    if (!honoured || !honoured->name)
        return VMAF_BACKEND_INVALID;
    const VmafBackendOptionSpec full = {.type = honoured->type, .name = honoured->name};
    return vmaf_struct_fill(spec, &full, sizeof(full), sizeof(full)) ? VMAF_BACKEND_OK
                                                                     : VMAF_BACKEND_INVALID;
}

int32_t vmaf_sdk_feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    (void)index;
    (void)output;
    (void)out;
    return VMAF_BACKEND_INVALID; /* the host knows the outputs of its own records */
}

/* -- devices -- */

/* Passes what the checks of the vendor's API find to the host's log. */
static void log_message(void *cookie, const char *text)
{
    const VmafBackendDevice *device = cookie;
    char line[1024];
    snprintf(line, sizeof(line), "%s", text);
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < ' ')
            *c = ' ';
    }
    device->host->log(device->host->cookie, VMAF_BACKEND_LOG_ERROR, line);
}

/* The folder of libvmaf's caches; NULL for programs with the rights of another user. It need not
 * exist. */
static const char *cache_directory(char path[PATH_MAX])
{
    char *cache = vmaf_user_cache_path("libvmaf");
    const int length = cache ? snprintf(path, PATH_MAX, "%s", cache) : -1;
    free(cache);
    return length > 0 && length < PATH_MAX ? path : NULL;
}

/* The parameters of the layer; 0 or a status of backend.h, with the reason. */
static int32_t open_params(const VmafBackendDeviceParams *params, VmafBackendDevice *device,
                           VmafDeviceOpenParams *open, char directory[PATH_MAX],
                           VmafBackendReason *why)
{
    *open = (VmafDeviceOpenParams){
        .id = params->external == VMAF_BACKEND_EXTERNAL_NONE ? params->id : NULL,
        .kernels = vmaf_sdk_vendor.kernels,
        .debug = params->flags & VMAF_BACKEND_DEVICE_FLAG_VALIDATION,
        .cache_directory = cache_directory(directory),
        .log = params->host ? log_message : NULL,
        .cookie = device,
    };
    if (params->external != VMAF_BACKEND_EXTERNAL_NONE &&
        (!vmaf_sdk_vendor.external || vmaf_sdk_vendor.external(params, &open->external))) {
        snprintf(why->text, sizeof(why->text), "devices of the application are not supported");
        return VMAF_BACKEND_NOT_SUPPORTED;
    }
    if (vmaf_sdk_vendor.adjust)
        vmaf_sdk_vendor.adjust(open);
    return VMAF_BACKEND_OK;
}

/* What follows once the layer has opened it. */
static int32_t complete_device(VmafBackendDevice *device, const VmafBackendDeviceParams *params,
                               VmafBackendReason *why)
{
    const VmafSdkVendor *vendor = &vmaf_sdk_vendor;
    const char *bad = vmaf_known_bad(vendor->known_bad, &device->device->info, NULL);
    if (bad) {
        snprintf(why->text, sizeof(why->text), "%s", bad);
        return VMAF_BACKEND_NOT_SUPPORTED;
    }
    device->device->profiling = params->flags & VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    const VmafBackendSync default_queue = {.struct_size = sizeof(default_queue),
                                           .kind = vendor->default_queue};
    return vmaf_sdk_status(
        vmaf_device_state_create(device->device, &default_queue, vendor->known_bad));
}

static int32_t open_device(VmafBackendDevice *device, const VmafBackendDeviceParams *params,
                           VmafBackendReason *why)
{
    char directory[PATH_MAX];
    VmafDeviceOpenParams open;
    int32_t status = open_params(params, device, &open, directory, why);
    if (status != VMAF_BACKEND_OK)
        return status;
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = layer()->open(&device->device, &open, why->text, sizeof(why->text));
    if (!err)
        status = complete_device(device, params, why);
    if (!err && status != VMAF_BACKEND_OK)
        layer()->close(device->device);
    vmaf_driver_leave(&guard);
    return err == -ENODEV ? VMAF_BACKEND_NO_DRIVER : err ? vmaf_sdk_status(err) : status;
}

int32_t vmaf_sdk_device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **opened,
                             VmafBackendReason *why)
{
    *opened = NULL;
    const uint32_t flags = VMAF_BACKEND_DEVICE_FLAG_VALIDATION | VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    VmafBackendDeviceParams known;
    vmaf_struct_read(&known, sizeof(known), params);
    if (known.flags & ~flags) {
        snprintf(why->text, sizeof(why->text), "unknown flags 0x%x", known.flags & ~flags);
        return VMAF_BACKEND_INVALID;
    }
    VmafBackendDevice *device = calloc(1, sizeof(*device));
    if (!device)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    device->host = known.host;
    const int32_t status = open_device(device, &known, why);
    if (status == VMAF_BACKEND_OK)
        *opened = device;
    else
        free(device);
    return status;
}

void vmaf_sdk_device_close(VmafBackendDevice *device)
{
    const VmafDriverGuard guard = vmaf_driver_enter();
    if (!atomic_load(&device->device->stuck)) {
        vmaf_device_state_destroy(device->device);
        layer()->close(device->device);
        free(device);
    }
    vmaf_driver_leave(&guard);
}

static int32_t measure_copy(VmafBackendDevice *device, uint32_t copy, double *bytes_per_second)
{
    return vmaf_measure_copy(device->device, copy, bytes_per_second);
}

const void *vmaf_sdk_get_extension(const char *name, uint32_t version)
{
    static const VmafSdkProfile profile = {
        .struct_size = sizeof(profile),
        .entry = vmaf_session_profile,
        .bandwidth = measure_copy,
    };
    const bool known =
        !strcmp(name, VMAF_SDK_PROFILE_EXTENSION) && version == VMAF_SDK_PROFILE_VERSION;
    return known ? &profile : NULL;
}

void vmaf_sdk_last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    VmafDevice *device = object_kind == VMAF_BACKEND_OBJECT_DEVICE
                             ? ((const VmafBackendDevice *)object)->device
                             : vmaf_session_device(object);
    layer()->last_error(device, text, size);
}

int32_t vmaf_sdk_plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                             VmafBackendPlan **plan, VmafBackendReason *why)
{
    return vmaf_plan_create(device->device, params, plan, why);
}

int32_t vmaf_sdk_buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                               VmafBackendBuffer **buffer)
{
    return vmaf_buffer_create(device->device, params, buffer);
}

int32_t vmaf_sdk_buffer_import(VmafBackendDevice *device, const VmafBackendImport *params,
                               VmafBackendBuffer **buffer)
{
    return vmaf_buffer_import(device->device, params, buffer);
}

int32_t vmaf_sdk_memory_register(VmafBackendDevice *device, void *address, uint64_t size,
                                 VmafBackendMemory **memory)
{
    return vmaf_host_memory_register(device->device, address, size, memory);
}

void vmaf_sdk_memory_unregister(VmafBackendDevice *device, VmafBackendMemory *memory)
{
    vmaf_host_memory_unregister(device->device, memory);
}
