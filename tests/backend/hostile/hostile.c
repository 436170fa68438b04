/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A backend with one device and one feature, which only serves to be loaded and probed. Each
 * definition of loader.cmake makes it wrong in one way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/backend.h"
#include "libvmaf/backend_records.h"
#include "misbehaviour.h"

#ifndef IN_CONSTRUCTOR
#define IN_CONSTRUCTOR NOTHING
#endif
#ifndef IN_ENTRY
#define IN_ENTRY NOTHING
#endif
#ifndef IN_PROBE
#define IN_PROBE NOTHING
#endif
#ifndef IN_OPEN
#define IN_OPEN NOTHING
#endif
#ifndef IN_CLOSE
#define IN_CLOSE NOTHING
#endif
#ifndef IN_DESTRUCTOR
#define IN_DESTRUCTOR NOTHING
#endif
#ifndef IN_ATEXIT
#define IN_ATEXIT NOTHING
#endif
#ifndef CLAIMED_NAME
#define CLAIMED_NAME FILE_NAME
#endif
#ifndef ABI_MAJOR
#define ABI_MAJOR 1
#endif
#ifndef ABI_MINOR
#define ABI_MINOR VMAF_BACKEND_ABI_MINOR
#endif
#ifndef CLAIMED_SIZE
#define CLAIMED_SIZE sizeof(VmafBackend)
#endif
#ifndef BACKEND_CLASS
#define BACKEND_CLASS VMAF_BACKEND_CLASS_NATIVE
#endif
#ifndef DESCRIPTION
#define DESCRIPTION "a backend for tests"
#endif
#ifndef N_FEATURES
#define N_FEATURES 1
#endif
#ifndef FEATURE_NAME
#define FEATURE_NAME "psnr"
#endif
#ifndef RECORD_NAME
#define RECORD_NAME VMAF_RECORD_PSNR
#endif
#ifndef RECORD_VERSION
#define RECORD_VERSION VMAF_RECORD_PSNR_VERSION
#endif
#ifndef DEPTH_MIN
#define DEPTH_MIN 8
#endif
#ifndef N_OPTIONS
#define N_OPTIONS 1
#endif
#ifndef FEATURE_OVERRUN
#define FEATURE_OVERRUN 0
#endif
#ifndef PLANES
#define PLANES VMAF_BACKEND_PLANE_Y
#endif
#ifndef REF_BEFORE
#define REF_BEFORE 0
#endif
#ifndef PROBE_OVERRUN
#define PROBE_OVERRUN 0
#endif
#ifndef DEVICE_OVERRUN
#define DEVICE_OVERRUN 0
#endif
#ifndef OPEN_OVERRUN
#define OPEN_OVERRUN 0
#endif
#ifndef OPTION_OVERRUN
#define OPTION_OVERRUN 0
#endif
#ifndef SUBMIT
#define SUBMIT submit
#endif
#ifndef PROBE_RESULT
#define PROBE_RESULT VMAF_BACKEND_OK
#endif
#ifndef PROBE_REASON
#define PROBE_REASON ""
#endif
#ifndef N_DEVICES
#define N_DEVICES 1
#endif
#ifndef N_UNUSABLE
#define N_UNUSABLE 0
#endif
#ifndef DEVICE_ID
#define DEVICE_ID "test:%u"
#endif
#ifndef ID_STEP
#define ID_STEP 1
#endif
#ifndef OPEN_REASON
#define OPEN_REASON "the device is on fire"
#endif
#ifndef OPEN_RESULT
#define OPEN_RESULT VMAF_BACKEND_OK
#endif
#ifndef ENTRY
#define ENTRY vmaf_backend_entry
#endif

/* The only device; where there are more, only the last can be opened if OPEN_LAST is defined. */
struct VmafBackendDevice {
    const VmafBackendHost *host;
};

static void at_exit(void)
{
    misbehave(IN_ATEXIT);
}

__attribute__((constructor)) static void on_load(void)
{
    if (IN_ATEXIT != NOTHING && atexit(at_exit) != 0)
        abort();
    misbehave(IN_CONSTRUCTOR);
}

__attribute__((destructor)) static void on_unload(void)
{
    misbehave(IN_DESTRUCTOR);
}

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    if (index >= N_FEATURES)
        return VMAF_BACKEND_INVALID;
    feature->name = FEATURE_NAME;
    feature->record_kind = VMAF_BACKEND_RECORD_SUMS;
    feature->record = RECORD_NAME;
    feature->record_version = RECORD_VERSION;
    feature->pixel_formats = 1u << VMAF_BACKEND_PIXEL_420;
    feature->depth_min = DEPTH_MIN;
    feature->depth_max = 16;
    feature->planes = PLANES;
    feature->ref_before = REF_BEFORE;
    feature->exactness = VMAF_BACKEND_EXACT;
    feature->n_options = N_OPTIONS;
    if (FEATURE_OVERRUN)
        memset((char *)feature + sizeof(*feature), 0, 8);
    return VMAF_BACKEND_OK;
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    if (index >= N_FEATURES || option >= N_OPTIONS)
        return VMAF_BACKEND_INVALID;
    spec->name = "enable_chroma";
    spec->type = VMAF_BACKEND_TYPE_BOOL;
    spec->max = 1;
    if (OPTION_OVERRUN)
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
    misbehave(IN_PROBE);
    result->n_devices = N_DEVICES;
    result->n_unusable = N_UNUSABLE;
    snprintf(result->driver, sizeof(result->driver), "1.2");
    snprintf(result->reason, sizeof(result->reason), "%s", PROBE_REASON);
    if (PROBE_OVERRUN)
        memset((char *)result + sizeof(*result), 0, 4);
    return PROBE_RESULT;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (index >= N_DEVICES + N_UNUSABLE)
        return VMAF_BACKEND_INVALID;
    if (index >= N_DEVICES) {
        snprintf(info->name, sizeof(info->name), "old card %u", index - N_DEVICES);
        snprintf(info->unusable, sizeof(info->unusable), "it needs driver 9\033 or later");
        return VMAF_BACKEND_OK;
    }
    info->compute_units = 12 + index;
    info->identities = VMAF_BACKEND_IDENTITY_UUID | VMAF_BACKEND_IDENTITY_LUID;
    memset(info->uuid, 0xab, sizeof(info->uuid));
    memset(info->luid, 0xcd, sizeof(info->luid));
    info->kind =
        index == 0 && N_DEVICES == 2 ? VMAF_BACKEND_DEVICE_SOFTWARE : VMAF_BACKEND_DEVICE_DISCRETE;
    snprintf(info->id, sizeof(info->id), DEVICE_ID, index * ID_STEP);
    snprintf(info->name, sizeof(info->name), "device %u", index);
    if (DEVICE_OVERRUN)
        memset((char *)info + sizeof(*info), 0, 4);
    return VMAF_BACKEND_OK;
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    misbehave(IN_OPEN);
    if (OPEN_OVERRUN)
        memset((char *)why + sizeof(*why), 0, 4);
    if (OPEN_RESULT != VMAF_BACKEND_OK) {
        snprintf(why->text, sizeof(why->text), OPEN_REASON);
        return OPEN_RESULT;
    }
#ifdef ONLY_DEVICE
    if (strcmp(params->id, ONLY_DEVICE) != 0)
        return VMAF_BACKEND_FAILED;
#endif
    *device = malloc(sizeof(**device));
    if (!*device)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    (*device)->host = params->host;
    params->host->log(params->host->cookie, VMAF_BACKEND_LOG_DEBUG, "opened");
    return VMAF_BACKEND_OK;
}

static void device_close(VmafBackendDevice *device)
{
    misbehave(IN_CLOSE);
    device->host->log(device->host->cookie, VMAF_BACKEND_LOG_DEBUG, "closed");
    free(device);
}

/* Nothing of the rest is called by these tests. */

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    (void)device;
    (void)params;
    (void)plan;
    (void)why;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    (void)plan;
    (void)info;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t request, VmafBackendAnswer *answer)
{
    (void)plan;
    (void)request;
    (void)answer;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

static void plan_destroy(VmafBackendPlan *plan)
{
    (void)plan;
}

static int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why)
{
    (void)plan;
    (void)session;
    (void)why;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

static void session_close(VmafBackendSession *session)
{
    (void)session;
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

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    (void)session;
    (void)timeout_ms;
    (void)result;
    return VMAF_BACKEND_NOTHING;
}

static int32_t flush(VmafBackendSession *session)
{
    (void)session;
    return VMAF_BACKEND_OK;
}

static void cancel(VmafBackendSession *session)
{
    (void)session;
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    (void)object_kind;
    (void)object;
    if (size)
        text[0] = '\0';
}

#ifdef BUFFERS_WITHOUT_INFO
static int32_t buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                             VmafBackendBuffer **buffer)
{
    (void)device;
    (void)params;
    (void)buffer;
    return VMAF_BACKEND_NOT_SUPPORTED;
}
#endif

#ifdef UNREGISTER_ALONE
static void memory_unregister(VmafBackendDevice *device, VmafBackendMemory *memory)
{
    (void)device;
    (void)memory;
}
#endif

#ifdef MARK_ALONE
static int32_t buffer_mark(VmafBackendBuffer *buffer, uint32_t planes,
                           const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    (void)buffer;
    (void)planes;
    (void)mark;
    return VMAF_BACKEND_NOT_SUPPORTED;
}
#endif

/* With something behind the descriptor that is no code, for hosts that believe a wrong size. */
static const struct {
    VmafBackend backend;
    char behind[256];
} descriptor = {
    .backend =
        {
            .struct_size = (uint32_t)(CLAIMED_SIZE),
            .abi_major = ABI_MAJOR,
            .abi_minor = ABI_MINOR,
            .backend_class = BACKEND_CLASS,
            .name = CLAIMED_NAME,
            .version = "1.0",
            .description = DESCRIPTION,
            .n_features = N_FEATURES,
            .feature_get = feature_get,
            .feature_option = feature_option,
            .feature_output = feature_output,
            .probe = probe,
            .device_get = device_get,
            .device_open = device_open,
            .device_close = device_close,
            .plan_create = plan_create,
            .plan_info = plan_info,
            .plan_answer = plan_answer,
            .plan_destroy = plan_destroy,
            .session_open = session_open,
            .session_close = session_close,
            .submit = SUBMIT,
            .collect = collect,
            .flush = flush,
            .cancel = cancel,
            .last_error = last_error,
#ifdef BUFFERS_WITHOUT_INFO
            .buffer_create = buffer_create,
#endif
#ifdef UNREGISTER_ALONE
            .memory_unregister = memory_unregister,
#endif
#ifdef MARK_ALONE
            .buffer_mark = buffer_mark,
#endif
#ifdef JUNK_BEHIND_REQUIRED
            .memory_register = (int32_t(*)(VmafBackendDevice *, void *, uint64_t,
                                           VmafBackendMemory **))(uintptr_t)0x12345678,
#endif
        },
    .behind = "this is no code",
};

VMAF_BACKEND_EXPORT const VmafBackend *ENTRY(void);

const VmafBackend *ENTRY(void)
{
    misbehave(IN_ENTRY);
#ifdef RETURN_NULL
    return NULL;
#else
    return &descriptor.backend;
#endif
}
