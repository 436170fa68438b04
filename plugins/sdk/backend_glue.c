/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_glue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_guard.h"
#include "status.h"
#include "stopwatch.h"

enum { DEVICES_MAX = 64 };

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
    if (!metric || feature->struct_size < sizeof(*feature))
        return VMAF_BACKEND_INVALID;
    const uint32_t size = feature->struct_size;
    *feature = (VmafBackendFeature){
        .struct_size = size,
        .name = metric->name,
        .record_kind = VMAF_BACKEND_RECORD_SUMS,
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
    return VMAF_BACKEND_OK;
}

int32_t vmaf_sdk_feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    const VmafMetric *metric = recipe_at(index);
    const OptionSpec *honoured = metric ? option_at(metric, option) : NULL;
    if (!honoured || !honoured->name || spec->struct_size < sizeof(*spec))
        return VMAF_BACKEND_INVALID;
    const uint32_t size = spec->struct_size;
    *spec = (VmafBackendOptionSpec){
        .struct_size = size,
        .type = honoured->type,
        .name = honoured->name,
    };
    return VMAF_BACKEND_OK;
}

int32_t vmaf_sdk_feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    (void)index;
    (void)output;
    (void)out;
    return VMAF_BACKEND_INVALID; /* records are sums: the host knows the outputs */
}

/* -- devices -- */

static int32_t enumerate(VmafDeviceInfo infos[DEVICES_MAX], size_t *count, char *reason,
                         size_t size)
{
    *count = 0;
    reason[0] = '\0';
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = layer()->enumerate(infos, DEVICES_MAX, count, reason, size);
    vmaf_driver_guard_end(&guard);
    if (*count > DEVICES_MAX)
        *count = DEVICES_MAX;
    if (err == -ENODEV || err == -ENOSYS)
        return VMAF_BACKEND_NO_DRIVER;
    return vmaf_sdk_status(err);
}

int32_t vmaf_sdk_probe(VmafBackendProbe *result)
{
    if (result->struct_size < sizeof(*result))
        return VMAF_BACKEND_INVALID;
    VmafDeviceInfo *infos = calloc(DEVICES_MAX, sizeof(*infos));
    if (!infos)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    size_t count;
    result->driver[0] = result->runtime[0] = '\0';
    const int32_t status = enumerate(infos, &count, result->reason, sizeof(result->reason));
    result->n_devices = status == VMAF_BACKEND_OK ? (uint32_t)count : 0;
    if (result->n_devices)
        snprintf(result->driver, sizeof(result->driver), "%.*s", (int)sizeof(result->driver) - 1,
                 infos[0].driver);
    free(infos);
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

int32_t vmaf_sdk_device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (info->struct_size < sizeof(*info))
        return VMAF_BACKEND_INVALID;
    VmafDeviceInfo *infos = calloc(DEVICES_MAX, sizeof(*infos));
    if (!infos)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    size_t count;
    char reason[VMAF_BACKEND_TEXT_SIZE];
    int32_t status = enumerate(infos, &count, reason, sizeof(reason));
    if (status == VMAF_BACKEND_OK && index >= count)
        status = VMAF_BACKEND_INVALID;
    if (status == VMAF_BACKEND_OK) {
        const VmafDeviceInfo *device = &infos[index];
        const uint32_t size = info->struct_size;
        *info = (VmafBackendDeviceInfo){
            .struct_size = size,
            .kind = device_kind(device->kind),
            .memory_bytes = device->caps.memory_size,
            .abilities = VMAF_BACKEND_ABILITY_INT64 |
                         (device->caps.exact_float64 ? VMAF_BACKEND_ABILITY_FP64 : 0) |
                         (device->caps.unified_memory ? VMAF_BACKEND_ABILITY_UNIFIED_MEMORY : 0),
        };
        snprintf(info->id, sizeof(info->id), "%s", device->id);
        snprintf(info->vendor, sizeof(info->vendor), "%s", device->vendor);
        snprintf(info->driver, sizeof(info->driver), "%.*s", (int)sizeof(info->driver) - 1,
                 device->driver);
        snprintf(info->name, sizeof(info->name), "%s", device->name);
    }
    free(infos);
    return status;
}

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

/* The folder of libvmaf's caches according to the XDG Base Directory Specification; NULL for
 * programs with the rights of another user. It need not exist. */
static const char *cache_directory(char path[PATH_MAX])
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    int length = -1;
    if (cache && cache[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/libvmaf", cache);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.cache/libvmaf", home);
    return length > 0 && length < PATH_MAX ? path : NULL;
}

int32_t vmaf_sdk_device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **opened,
                             VmafBackendReason *why)
{
    *opened = NULL;
    const uint32_t known = VMAF_BACKEND_DEVICE_FLAG_VALIDATION | VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    if (params->flags & ~known) {
        snprintf(why->text, sizeof(why->text), "unknown flags 0x%x", params->flags & ~known);
        return VMAF_BACKEND_INVALID;
    }
    VmafBackendDevice *device = calloc(1, sizeof(*device));
    if (!device)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    device->host = params->host;
    char directory[PATH_MAX];
    VmafDeviceOpenParams open = {
        .id = params->external == VMAF_BACKEND_EXTERNAL_NONE ? params->id : NULL,
        .kernels = vmaf_sdk_vendor.kernels,
        .debug = params->flags & VMAF_BACKEND_DEVICE_FLAG_VALIDATION,
        .cache_directory = cache_directory(directory),
        .log = params->host ? log_message : NULL,
        .cookie = device,
    };
    if (params->external != VMAF_BACKEND_EXTERNAL_NONE) {
        if (!vmaf_sdk_vendor.external || vmaf_sdk_vendor.external(params, &open.external)) {
            snprintf(why->text, sizeof(why->text), "devices of the application are not supported");
            free(device);
            return VMAF_BACKEND_NOT_SUPPORTED;
        }
    }
    if (vmaf_sdk_vendor.adjust)
        vmaf_sdk_vendor.adjust(&open);
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = layer()->open(&device->device, &open, why->text, sizeof(why->text));
    vmaf_driver_guard_end(&guard);
    if (err) {
        free(device);
        return err == -ENODEV ? VMAF_BACKEND_NO_DRIVER : vmaf_sdk_status(err);
    }
    device->device->profiling = params->flags & VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    *opened = device;
    return VMAF_BACKEND_OK;
}

void vmaf_sdk_device_close(VmafBackendDevice *device)
{
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    if (!atomic_load(&device->device->stuck)) {
        layer()->close(device->device);
        free(device);
    }
    vmaf_driver_guard_end(&guard);
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
