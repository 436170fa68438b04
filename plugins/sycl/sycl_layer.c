/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layer: errors, opening devices, memory, kernels. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sycl_internal.h"

static const char no_device[] = "there is no GPU with a driver for Level Zero";

/* -- errors -- */

int sycl_error_of(ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
        return 0;
    /* After these nothing works on the device any more. */
    case ZE_RESULT_ERROR_DEVICE_LOST:
    case ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET:
    case ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE:
    case ZE_RESULT_ERROR_UNINITIALIZED:
        return -ENODEV;
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
    case ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
        return -ENOMEM;
    case ZE_RESULT_ERROR_UNSUPPORTED_VERSION:
    case ZE_RESULT_ERROR_UNSUPPORTED_FEATURE:
    case ZE_RESULT_ERROR_UNSUPPORTED_SIZE:
    case ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT:
    case ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION:
    case ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT:
        return -ENOTSUP;
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
    case ZE_RESULT_ERROR_INVALID_NULL_HANDLE:
    case ZE_RESULT_ERROR_INVALID_NULL_POINTER:
    case ZE_RESULT_ERROR_INVALID_SIZE:
    case ZE_RESULT_ERROR_INVALID_ENUMERATION:
        return -EINVAL;
    default:
        return -EIO;
    }
}

void sycl_describe_result(ze_result_t result, char *text, size_t size)
{
#define NAMED(name)                                                                                \
    {                                                                                              \
        name, #name                                                                                \
    }
    static const struct {
        ze_result_t result;
        const char *name;
    } names[] = {
        NAMED(ZE_RESULT_ERROR_DEVICE_LOST),
        NAMED(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY),
        NAMED(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY),
        NAMED(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE),
        NAMED(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET),
        NAMED(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE),
        NAMED(ZE_RESULT_ERROR_UNINITIALIZED),
        NAMED(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE),
        NAMED(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        NAMED(ZE_RESULT_ERROR_INVALID_SIZE),
        NAMED(ZE_RESULT_ERROR_UNSUPPORTED_SIZE),
        NAMED(ZE_RESULT_ERROR_INVALID_KERNEL_NAME),
        NAMED(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE),
        NAMED(ZE_RESULT_ERROR_UNKNOWN),
    };
#undef NAMED
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].result == result) {
            snprintf(text, size, "%s", names[i].name);
            return;
        }
    }
    snprintf(text, size, "ze_result_t 0x%x", (unsigned)result);
}

int sycl_check(SyclDevice *device, ze_result_t result, const char *what)
{
    char text[64];
    if (result == ZE_RESULT_SUCCESS)
        return 0;
    sycl_describe_result(result, text, sizeof(text));
    return vmaf_layer_state_failed(&device->head.state, sycl_error_of(result), what, text);
}

/* -- devices -- */

static int sycl_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                          size_t reason_size)
{
    *count = 0;
    const int err = sycl_start(reason, reason_size);
    return err ? err
               : vmaf_stream_report(sycl_find_devices(), no_device, infos, capacity, count, reason,
                                    reason_size);
}

/* What the driver tells only as long as the device is well. */
static int prepare(SyclDevice *device, ze_driver_handle_t driver)
{
    device->compute = sycl_find_queues(device->device, false);
    device->copy = sycl_find_queues(device->device, true);
    if (!device->compute.n_queues)
        return vmaf_stream_fail(&device->head, -ENODEV, "the device was lost (its queues)");
    device->build_options = sycl_build_options(device->device);
    sycl_read_clock(device, driver);
    atomic_init(&device->n_streams, 0);
    vmaf_mutex_init(&device->event_lock);
    return 0;
}

static int open_own(SyclDevice *device, const char *id, VmafStreamCandidate *candidate)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    int err = vmaf_stream_choose(&device->head, sycl_find_devices(), id, no_device, candidate);
    if (err)
        return err;
    device->device = (ze_device_handle_t)(uintptr_t)candidate->handle;
    ze_driver_handle_t driver = sycl_driver_of(device->device);
    if (!driver)
        return vmaf_stream_fail(&device->head, -ENODEV, "the device has gone");
    err = sycl_check(device, zeContextCreate(driver, &desc, &device->context), "zeContextCreate");
    if (err)
        return err;
    err = prepare(device, driver);
    if (err)
        zeContextDestroy(device->context);
    return err;
}

static int borrow(SyclDevice *device, const SyclExternal *external, VmafStreamCandidate *candidate)
{
    device->context = (ze_context_handle_t)(uintptr_t)external->context;
    device->device = (ze_device_handle_t)(uintptr_t)external->device;
    ze_driver_handle_t driver = sycl_driver_of(device->device);
    if (!device->context || !driver)
        return vmaf_stream_fail(&device->head, -EINVAL,
                                "a handle of the device is missing or unknown");
    if (!sycl_describe_device(driver, device->device, candidate))
        return vmaf_stream_fail(&device->head, -ENOTSUP, "the device is not a GPU");
    candidate->info.caps.syncs = 1u << VMAF_BACKEND_SYNC_ZE_EVENT;
    return prepare(device, driver);
}

static int set_up(SyclDevice *device, const VmafDeviceOpenParams *params)
{
    char reason[192];
    VmafStreamCandidate candidate = {.handle = 0};
    int err = sycl_start(reason, sizeof(reason));
    if (err)
        return vmaf_stream_fail(&device->head, err, "%s", reason);
    device->head.borrowed = params->external != NULL;
    err = params->external ? borrow(device, params->external, &candidate)
                           : open_own(device, params->id, &candidate);
    device->head.is_open = err == 0;
    if (err || !params->external)
        return err;
    vmaf_stream_identify(&candidate.info, 0);
    return vmaf_stream_adopt(&device->head, &candidate);
}

static void sycl_close(VmafDevice *base)
{
    SyclDevice *device = (SyclDevice *)base;
    SyclKernel *kernel;
    size_t next = 0;
    if (device->head.is_open) {
        while ((kernel = (SyclKernel *)vmaf_stream_next_loaded(&device->head, &next)))
            zeModuleDestroy(kernel->module);
        sycl_events_close(device);
        vmaf_mutex_destroy(&device->event_lock);
        if (!device->head.borrowed)
            zeContextDestroy(device->context);
    }
    vmaf_stream_device_free(&device->head);
}

static int sycl_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                     size_t reason_size)
{
    SyclDevice *device =
        vmaf_stream_device_new(&vmaf_sycl_layer, sizeof(*device), sizeof(SyclKernel), params);
    const int err = device ? set_up(device, params) : -ENOMEM;
    return vmaf_stream_opened((VmafStreamDevice *)device, err, opened, reason, reason_size);
}

/* -- memory -- */

/* Memory of the device, and of the host for copies; where memory is unified, kernels use the
 * latter, too. The host's own memory cannot be wrapped: Level Zero has no way to say so. */

enum { ALIGNMENT = 256 };

static int allocate(SyclDevice *device, VmafStreamBuffer *buffer)
{
    const bool on_device = buffer->head.memory == VMAF_MEMORY_DEVICE;
    const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                        ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    const ze_result_t result =
        on_device
            ? zeMemAllocDevice(device->context, &device_desc, buffer->head.size, ALIGNMENT,
                               device->device, &memory)
            : zeMemAllocHost(device->context, &host_desc, buffer->head.size, ALIGNMENT, &memory);
    if (result != ZE_RESULT_SUCCESS)
        return sycl_check(device, result, on_device ? "zeMemAllocDevice" : "zeMemAllocHost");
    buffer->address = (uint64_t)(uintptr_t)memory;
    if (on_device)
        buffer->head.address = buffer->address;
    else
        buffer->head.mapped = memory;
    return 0;
}

static int sycl_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                              const VmafDeviceBufferParams *params)
{
    SyclDevice *device = (SyclDevice *)base;
    VmafStreamBuffer *buffer;
    *created = NULL;
    int err = vmaf_stream_buffer_new(&device->head, params, &buffer);
    if (err)
        return err;
    err = allocate(device, buffer);
    if (!err) {
        *created = &buffer->head;
        return 0;
    }
    free(buffer);
    return err == -ENOMEM ? vmaf_stream_no_memory(&device->head, params) : err;
}

static void sycl_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *buffer)
{
    if (buffer)
        zeMemFree(((SyclDevice *)base)->context, (void *)(uintptr_t)vmaf_stream_address(buffer, 0));
    free(buffer);
}

/* -- kernels -- */

/*
 * Kernels are SPIR-V, which the driver compiles on first use and keeps in a cache of its own.
 * Arguments live in Level Zero's kernel objects, so each recorded dispatch has one.
 */

/* One line of what the compiler says, cut to `size`. */
static void read_log(ze_module_build_log_handle_t log, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    if (!log || zeModuleBuildLogGetString(log, &length, NULL) != ZE_RESULT_SUCCESS || !length)
        return;
    char *lines = calloc(1, length + 1);
    if (lines && zeModuleBuildLogGetString(log, &length, lines) == ZE_RESULT_SUCCESS)
        snprintf(text, size, ": %.150s", lines);
    free(lines);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ')
            *c = ' ';
    }
}

static int build(SyclDevice *device, SyclKernel *kernel, const VmafKernel *source,
                 const VmafKernelCode *code)
{
    const ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = code->size,
        .pInputModule = (const uint8_t *)code->code,
        .pBuildFlags = device->build_options,
    };
    ze_module_build_log_handle_t log = NULL;
    const ze_result_t result =
        zeModuleCreate(device->context, device->device, &desc, &kernel->module, &log);
    int err = sycl_check(device, result, source->name);
    char name[64], said[160];
    sycl_describe_result(result, name, sizeof(name));
    read_log(log, said, sizeof(said));
    if (err && err != -ENODEV && err != -ENOMEM)
        err = vmaf_stream_fail(&device->head, err, "%s failed with %s%s", source->name, name, said);
    if (log)
        zeModuleBuildLogDestroy(log);
    return err;
}

static int load(SyclDevice *device, SyclKernel *kernel)
{
    const VmafKernel *source = kernel->head.head.kernel;
    for (size_t i = 0; i < source->n_codes; i++) {
        if (!source->codes[i].architecture[0])
            return build(device, kernel, source, &source->codes[i]);
    }
    return vmaf_stream_fail(&device->head, -ENOTSUP, "there is no SPIR-V of kernel %s",
                            source->name);
}

static int sycl_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    SyclDevice *device = (SyclDevice *)base;
    VmafStreamKernel *kernel;
    bool loads;
    int err = vmaf_stream_kernel_find(&device->head, name, &kernel, &loads);
    if (!err && loads) {
        err = load(device, (SyclKernel *)kernel);
        vmaf_stream_kernel_loaded(&device->head, kernel, err);
    }
    if (!err)
        *found = &kernel->head;
    return err;
}

static ze_result_t set_arguments(ze_kernel_handle_t object, const VmafStreamDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    ze_result_t result = zeKernelSetGroupSize(object, kernel->lanes[0], kernel->lanes[1], 1);
    for (uint32_t slot = 0; slot < kernel->n_buffers && result == ZE_RESULT_SUCCESS; slot++) {
        const void *address = (const void *)(uintptr_t)vmaf_stream_address(
            dispatch->bindings[slot].buffer, dispatch->bindings[slot].offset);
        result = zeKernelSetArgumentValue(object, slot, sizeof(address), &address);
    }
    if (result == ZE_RESULT_SUCCESS)
        result =
            zeKernelSetArgumentValue(object, kernel->n_buffers, kernel->args_size, dispatch->args);
    return result;
}

static int sycl_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    SyclDevice *device = (SyclDevice *)base->device;
    const SyclKernel *kernel = (const SyclKernel *)dispatch->kernel;
    const char *name = kernel->head.head.kernel->name;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t object = NULL;
    const int err = vmaf_stream_cmd_dispatch(base, dispatch);
    if (err)
        return err;
    VmafStreamDispatch *added = &list->commands[list->n_commands - 1].dispatch;
    ze_result_t result = zeKernelCreate(kernel->module, &desc, &object);
    if (result == ZE_RESULT_SUCCESS) {
        added->prepared = object;
        result = set_arguments(object, added);
        if (result != ZE_RESULT_SUCCESS)
            zeKernelDestroy(object);
    }
    if (result != ZE_RESULT_SUCCESS)
        list->n_commands--;
    return sycl_check(device, result, name);
}

const VmafDeviceLayer vmaf_sycl_layer = {
    .name = "sycl",
    .enumerate = sycl_enumerate,
    .open = sycl_open,
    .close = sycl_close,
    .buffer_create = sycl_buffer_create,
    .buffer_destroy = sycl_buffer_destroy,
    .image_import = sycl_image_import,
    .image_destroy = sycl_image_destroy,
    .kernel_find = sycl_kernel_find,
    .command_list_begin = sycl_command_list_begin,
    .cmd_copy = vmaf_stream_cmd_copy,
    .cmd_dispatch = sycl_cmd_dispatch,
    .cmd_barrier = vmaf_stream_cmd_barrier,
    .cmd_timestamp = vmaf_stream_cmd_timestamp,
    .command_list_end = sycl_command_list_end,
    .command_list_destroy = sycl_command_list_destroy,
    .queue_create = sycl_queue_create,
    .queue_destroy = sycl_queue_destroy,
    .submit = sycl_submit,
    .wait = sycl_wait,
    .timestamps = sycl_timestamps,
    .copy_times = sycl_copy_times,
    .last_error = vmaf_stream_last_error,
};
