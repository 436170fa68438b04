/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A backend with one device and one feature, which only serves to be loaded and probed. The name of
 * its file says in what way of plugins.inc it is wrong. Definitions of loader.cmake change how it is
 * linked.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/backend.h"
#include "libvmaf/backend_records.h"
#include "misbehaviour.h"

static enum Misbehaviour in_constructor, in_entry, in_probe, in_open, in_close, in_destructor;
static enum Misbehaviour in_atexit;
static char own_name[16];
static bool returns_null;
static uint32_t n_features = 1, n_options = 1, n_outputs;
static const char *feature_name = "psnr", *record_name = VMAF_RECORD_PSNR;
static uint32_t record_version = VMAF_RECORD_PSNR_VERSION;
static uint32_t depth_min = 8, planes = VMAF_BACKEND_PLANE_Y, ref_before;
static uint32_t n_devices = 1, n_unusable, id_step = 1, id_modulus = UINT32_MAX;
static const char *device_id = "test:%u";
static const char *only_device; /* the only one that can be opened, if there is one */
static int32_t probe_result = VMAF_BACKEND_OK, open_result = VMAF_BACKEND_OK;
static const char *probe_reason = "", *open_reason = "the device is on fire";
/* Structures of which more is written than they have. */
static bool feature_overrun, option_overrun, probe_overrun, device_overrun, open_overrun;

#ifndef ENTRY
#define ENTRY vmaf_backend_entry
#endif

struct VmafBackendDevice {
    const VmafBackendHost *host;
};

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    if (index >= n_features)
        return VMAF_BACKEND_INVALID;
    feature->name = feature_name;
    feature->record_kind = VMAF_BACKEND_RECORD_SUMS;
    feature->record = record_name;
    feature->record_version = record_version;
    feature->pixel_formats = 1u << VMAF_BACKEND_PIXEL_420;
    feature->depth_min = depth_min;
    feature->depth_max = 16;
    feature->planes = planes;
    feature->ref_before = ref_before;
    feature->exactness = VMAF_BACKEND_EXACT;
    feature->n_options = n_options;
    feature->n_outputs = n_outputs;
    if (feature_overrun)
        memset((char *)feature + sizeof(*feature), 0, 8);
    return VMAF_BACKEND_OK;
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    if (index >= n_features || option >= n_options)
        return VMAF_BACKEND_INVALID;
    spec->name = "enable_chroma";
    spec->type = VMAF_BACKEND_TYPE_BOOL;
    spec->max = 1;
    if (option_overrun)
        memset((char *)spec + sizeof(*spec), 0, 4);
    return VMAF_BACKEND_OK;
}

static int32_t feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    (void)index;
    (void)output;
    (void)out;
    return VMAF_BACKEND_INVALID;
}

static int32_t probe(VmafBackendProbe *result)
{
    misbehave(in_probe);
    result->n_devices = n_devices;
    result->n_unusable = n_unusable;
    snprintf(result->driver, sizeof(result->driver), "1.2");
    snprintf(result->reason, sizeof(result->reason), "%s", probe_reason);
    if (probe_overrun)
        memset((char *)result + sizeof(*result), 0, 4);
    return probe_result;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (index >= n_devices + n_unusable)
        return VMAF_BACKEND_INVALID;
    if (index >= n_devices) {
        snprintf(info->name, sizeof(info->name), "old card %u", index - n_devices);
        snprintf(info->unusable, sizeof(info->unusable), "it needs driver 9\033 or later");
        return VMAF_BACKEND_OK;
    }
    info->compute_units = 12 + index;
    info->identities = VMAF_BACKEND_IDENTITY_UUID | VMAF_BACKEND_IDENTITY_LUID;
    memset(info->uuid, 0xab, sizeof(info->uuid));
    memset(info->luid, 0xcd, sizeof(info->luid));
    info->kind =
        index == 0 && n_devices == 2 ? VMAF_BACKEND_DEVICE_SOFTWARE : VMAF_BACKEND_DEVICE_DISCRETE;
    snprintf(info->id, sizeof(info->id), device_id, index * id_step % id_modulus);
    snprintf(info->name, sizeof(info->name), "device %u", index);
    if (device_overrun)
        memset((char *)info + sizeof(*info), 0, 4);
    return VMAF_BACKEND_OK;
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    misbehave(in_open);
    if (open_overrun)
        memset((char *)why + sizeof(*why), 0, 4);
    if (open_result != VMAF_BACKEND_OK) {
        snprintf(why->text, sizeof(why->text), "%s", open_reason);
        return open_result;
    }
    if (only_device && strcmp(params->id, only_device) != 0)
        return VMAF_BACKEND_FAILED;
    *device = malloc(sizeof(**device));
    if (!*device)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    (*device)->host = params->host;
    params->host->log(params->host->cookie, VMAF_BACKEND_LOG_DEBUG, "opened");
    return VMAF_BACKEND_OK;
}

static void device_close(VmafBackendDevice *device)
{
    misbehave(in_close);
    device->host->log(device->host->cookie, VMAF_BACKEND_LOG_DEBUG, "closed");
    free(device);
}

/* What vmaf-backend-check asks for before the process ends. */
static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    (void)device;
    (void)params;
    (void)plan;
    (void)why;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame);

int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    (void)session;
    (void)frame;
#ifdef UNDEFINED_SYMBOL
    extern int32_t vmaf_test_symbol_that_does_not_exist(void);
    return vmaf_test_symbol_that_does_not_exist();
#elif defined(VENDOR_LIBRARY)
    extern int32_t vmaf_test_vendor_function(void);
    return vmaf_test_vendor_function();
#else
    return VMAF_BACKEND_NOT_SUPPORTED;
#endif
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    (void)object_kind;
    (void)object;
    if (size)
        text[0] = '\0';
}

/* Nothing of the rest is called by these tests. */
static void not_called(void)
{
    abort();
}

/* With something behind the descriptor that is no code, for hosts that believe a wrong size. */
static struct {
    VmafBackend backend;
    char behind[256];
} descriptor = {
    .backend =
        {
            .struct_size = sizeof(VmafBackend),
            .abi_major = 1,
            .abi_minor = VMAF_BACKEND_ABI_MINOR,
            .backend_class = VMAF_BACKEND_CLASS_NATIVE,
            .name = own_name,
            .version = "1.0",
            .description = "a backend for tests",
            .n_features = 1,
            .feature_get = feature_get,
            .feature_option = feature_option,
            .feature_output = feature_output,
            .probe = probe,
            .device_get = device_get,
            .device_open = device_open,
            .device_close = device_close,
            .plan_create = plan_create,
            .submit = submit,
            .last_error = last_error,
        },
    .behind = "this is no code",
};

static void put_function(size_t place)
{
    void (*function)(void) = not_called;
    memcpy((char *)&descriptor.backend + place, &function, sizeof(function));
}

/* Where no code is. */
#define JUNK                                                                                       \
    (int32_t(*)(VmafBackendDevice *, void *, uint64_t, VmafBackendMemory **))(uintptr_t)0x12345678

/* Gives the descriptor the functions that have to be there. */
static void complete(void)
{
    static const size_t places[] = {
        offsetof(VmafBackend, plan_info),     offsetof(VmafBackend, plan_answer),
        offsetof(VmafBackend, plan_destroy),  offsetof(VmafBackend, session_open),
        offsetof(VmafBackend, session_close), offsetof(VmafBackend, collect),
        offsetof(VmafBackend, flush),         offsetof(VmafBackend, cancel),
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        put_function(places[i]);
}

static void become_wrong(const char *name)
{
#define PLUGIN(file, ways)                                                                         \
    if (!strcmp(name, file)) {                                                                     \
        ways;                                                                                      \
    }
#define EVERY_WAY(file, place)                                                                     \
    PLUGIN("crash" file, place = CRASH)                                                            \
    PLUGIN("abort" file, place = ABORT)                                                            \
    PLUGIN("exit" file, place = EXIT)                                                              \
    PLUGIN("loop" file, place = LOOP)                                                              \
    PLUGIN("allocate" file, place = ALLOCATE)
#include "plugins.inc"
    descriptor.backend.n_features = n_features;
}

static void at_exit(void)
{
    misbehave(in_atexit);
}

__attribute__((constructor)) static void on_load(void)
{
    Dl_info self;
    if (dladdr(&descriptor, &self) == 0)
        abort();
    const char *name = strstr(strrchr(self.dli_fname, '/'), "backend-");
    if (!name || sscanf(name, "backend-%15[a-z]", own_name) != 1)
        abort();
    complete();
    become_wrong(own_name);
    if (in_atexit != NOTHING && atexit(at_exit) != 0)
        abort();
    misbehave(in_constructor);
}

__attribute__((destructor)) static void on_unload(void)
{
    misbehave(in_destructor);
}

VMAF_BACKEND_EXPORT const VmafBackend *ENTRY(void);

const VmafBackend *ENTRY(void)
{
    misbehave(in_entry);
    return returns_null ? NULL : &descriptor.backend;
}
