/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_BACKEND_GLUE_H
#define VMAF_SDK_BACKEND_GLUE_H

#include <libvmaf/backend.h>

#include "buffer.h"
#include "known_bad.h"
#include "session.h"

/*
 * A whole backend made from a device layer. A plugin consists of its layer and one file:
 *
 *   #include "backend_glue.h"
 *   const VmafSdkVendor vmaf_sdk_vendor = {.layer = &my_layer, .kernels = &vmaf_kernels_mine};
 *   VMAF_SDK_BACKEND("mine", VMAF_BACKEND_CLASS_NATIVE, "one line on it")
 */

/* The parts that differ between plugins. */
typedef struct VmafSdkVendor {
    const VmafDeviceLayer *layer;
    const VmafKernelSet *kernels;
    /* Optional: makes the layer's own structure of borrowed handles, for `external` of the open
     * parameters. Returns 0 or -ENOTSUP. NULL: no device can be borrowed. */
    int (*external)(const VmafBackendDeviceParams *params, const void **handles);
    /* The API's default queue (VMAF_BACKEND_SYNC_*, with handle 0), for which submissions that read
     * DEVICE buffers wait; NONE: the API has no such queue. */
    uint32_t default_queue;
    /* Optional: drivers not to use, ended by an entry without a device. */
    const VmafKnownBad *known_bad;
    /* Optional, for tests: changes how a device is opened, or injects errors. */
    void (*adjust)(VmafDeviceOpenParams *params);
} VmafSdkVendor;

/* Defined by the plugin. */
extern const VmafSdkVendor vmaf_sdk_vendor;

/* The functions of backend.h with the same names. */
int32_t vmaf_sdk_feature_get(uint32_t index, VmafBackendFeature *feature);
int32_t vmaf_sdk_feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec);
int32_t vmaf_sdk_feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out);
int32_t vmaf_sdk_probe(VmafBackendProbe *result);
int32_t vmaf_sdk_device_get(uint32_t index, VmafBackendDeviceInfo *info);
int32_t vmaf_sdk_device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                             VmafBackendReason *why);
void vmaf_sdk_device_close(VmafBackendDevice *device);
int32_t vmaf_sdk_plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                             VmafBackendPlan **plan, VmafBackendReason *why);
int32_t vmaf_sdk_buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                               VmafBackendBuffer **buffer);
int32_t vmaf_sdk_buffer_import(VmafBackendDevice *device, const VmafBackendImport *params,
                               VmafBackendBuffer **buffer);
int32_t vmaf_sdk_memory_register(VmafBackendDevice *device, void *address, uint64_t size,
                                 VmafBackendMemory **memory);
void vmaf_sdk_memory_unregister(VmafBackendDevice *device, VmafBackendMemory *memory);
const void *vmaf_sdk_get_extension(const char *name, uint32_t version);
void vmaf_sdk_last_error(uint32_t object_kind, const void *object, char *text, uint32_t size);

/* Defines the descriptor of the backend and vmaf_backend_entry, which returns it. */
#define VMAF_SDK_BACKEND(NAME, CLASS, DESCRIPTION)                                                 \
    static const VmafBackend vmaf_sdk_backend = {                                                  \
        .struct_size = sizeof(VmafBackend),                                                        \
        .abi_major = VMAF_BACKEND_ABI_MAJOR,                                                       \
        .abi_minor = VMAF_BACKEND_ABI_MINOR,                                                       \
        .backend_class = CLASS,                                                                    \
        .name = NAME,                                                                              \
        .version = VMAF_SDK_VERSION,                                                               \
        .description = DESCRIPTION,                                                                \
        .n_features = VMAF_N_METRICS,                                                              \
        .feature_get = vmaf_sdk_feature_get,                                                       \
        .feature_option = vmaf_sdk_feature_option,                                                 \
        .feature_output = vmaf_sdk_feature_output,                                                 \
        .probe = vmaf_sdk_probe,                                                                   \
        .device_get = vmaf_sdk_device_get,                                                         \
        .device_open = vmaf_sdk_device_open,                                                       \
        .device_close = vmaf_sdk_device_close,                                                     \
        .plan_create = vmaf_sdk_plan_create,                                                       \
        .plan_info = vmaf_plan_info,                                                               \
        .plan_answer = vmaf_plan_answer,                                                           \
        .plan_destroy = vmaf_plan_destroy,                                                         \
        .session_open = vmaf_session_open,                                                         \
        .session_close = vmaf_session_close,                                                       \
        .reset = vmaf_session_reset,                                                               \
        .submit = vmaf_session_submit,                                                             \
        .collect = vmaf_session_collect,                                                           \
        .flush = vmaf_session_flush,                                                               \
        .cancel = vmaf_session_cancel,                                                             \
        .last_error = vmaf_sdk_last_error,                                                         \
        .memory_register = vmaf_sdk_memory_register,                                               \
        .memory_unregister = vmaf_sdk_memory_unregister,                                           \
        .buffer_create = vmaf_sdk_buffer_create,                                                   \
        .buffer_import = vmaf_sdk_buffer_import,                                                   \
        .buffer_mark = vmaf_buffer_mark,                                                           \
        .buffer_marked = vmaf_buffer_marked,                                                       \
        .buffer_info = vmaf_buffer_info,                                                           \
        .buffer_download = vmaf_buffer_download,                                                   \
        .buffer_upload = vmaf_buffer_upload,                                                       \
        .buffer_release = vmaf_buffer_release,                                                     \
        .get_extension = vmaf_sdk_get_extension,                                                   \
    };                                                                                             \
    VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)                                \
    {                                                                                              \
        return &vmaf_sdk_backend;                                                                  \
    }

#endif
