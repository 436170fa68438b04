/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The emulated device: errors, pictures, memory, kernels; the layer. */
#include "emulator.h"

#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"
#include "platform/machine.h"

int emulator_fail(EmulatorDevice *device, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->error, sizeof(device->error), format, arguments);
    va_end(arguments);
    return status;
}

/* Pictures that exist elsewhere: in memory (CUDA_POINTER), or in images that only copies can read
 * (METAL_TEXTURE). */

static void emulator_image_destroy(VmafDevice *device, VmafDeviceImage *image)
{
    for (uint32_t p = 0; image && p < image->n_planes; p++)
        device->layer->buffer_destroy(device, image->buffers[p]);
    free(image);
}

static uint32_t rows_of(const VmafBackendImport *picture, uint32_t plane)
{
    const bool halved = plane > 0 && picture->pixel_format == VMAF_BACKEND_PIXEL_420;
    return halved ? picture->height / 2 : picture->height;
}

static uint64_t row_of(const VmafBackendImport *picture, uint32_t plane)
{
    const bool halved = plane > 0 && picture->pixel_format != VMAF_BACKEND_PIXEL_444;
    const uint64_t samples = halved ? picture->width / 2 : picture->width;
    const bool pairs = plane > 0 && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    return samples * (picture->depth > 8 ? 2 : 1) * (pairs ? 2 : 1);
}

static int wrap_plane(EmulatorImage *image, const VmafBackendImport *picture, uint32_t plane)
{
    const uint64_t stride = (uint64_t)picture->stride[plane];
    const uint64_t needed = stride * (rows_of(picture, plane) - 1) + row_of(picture, plane);
    image->head.stride[plane] = stride;
    if (picture->kind == VMAF_BACKEND_IMPORT_METAL_TEXTURE) {
        image->textures[plane] = (const EmulatorTexture *)(uintptr_t)picture->handles[plane];
        return image->textures[plane] ? 0 : -EINVAL;
    }
    EmulatorBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->head.memory = VMAF_MEMORY_DEVICE;
    buffer->head.size = picture->size ? picture->size : needed;
    buffer->head.address = picture->handles[plane];
    buffer->data = (void *)(uintptr_t)picture->handles[plane];
    image->head.buffers[plane] = &buffer->head;
    return buffer->data && buffer->head.size >= needed ? 0 : -EINVAL;
}

static int emulator_image_import(VmafDevice *base, VmafDeviceImage **imported,
                                 const VmafBackendImport *picture)
{
    *imported = NULL;
    EmulatorImage *image = calloc(1, sizeof(*image));
    if (!image)
        return -ENOMEM;
    const bool semiplanar = picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    int status = 0;
    for (uint32_t p = 0; p < (semiplanar ? 2u : 3u) && status == 0; p++) {
        if ((picture->planes >> p & 1) == 0)
            break;
        image->head.n_planes = p + 1;
        status = wrap_plane(image, picture, p);
    }
    if (status < 0) {
        emulator_image_destroy(base, &image->head);
        return status;
    }
    *imported = &image->head;
    return 0;
}

const unsigned char *emulator_copy_source(const VmafDeviceCopy *copy, uint64_t *stride)
{
    if (copy->image) {
        const EmulatorTexture *texture =
            ((const EmulatorImage *)copy->image)->textures[copy->image_plane];
        *stride = texture->stride;
        return texture->data;
    }
    *stride = copy->src_stride;
    return (const unsigned char *)((const EmulatorBuffer *)copy->src)->data + copy->src_offset;
}

static const VmafDeviceInfo emulator_info = {
    .id = "emulator",
    .name = "kernels as plain C",
    .vendor = "libvmaf",
    .driver = "emulator",
    .kind = VMAF_DEVICE_SOFTWARE,
    /* The smallest limits that device.h allows, so that nothing comes to rely on larger ones. */
    .caps =
        {
            .memory_size = UINT64_C(1) << 32,
            .max_buffer_size = UINT64_C(1) << 30,
            .max_binding_size = UINT64_C(1) << 27,
            .binding_alignment = 256,
            .host_memory_alignment = 4096,
            .copy_alignment = 4,
            .imports =
                1u << VMAF_BACKEND_IMPORT_CUDA_POINTER | 1u << VMAF_BACKEND_IMPORT_METAL_TEXTURE,
            .syncs = 1u << VMAF_BACKEND_SYNC_CUDA_STREAM | 1u << VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
            .group_memory = 32768,
            .unified_memory = true,
            .addresses = true,
            .native_int64 = true,
            .exact_float32 = FLT_EVAL_METHOD == 0,
            .exact_float32_division = FLT_EVAL_METHOD == 0,
            .exact_float64 = FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
            .timestamps = true,
        },
};

static int emulator_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                              size_t reason_size)
{
    (void)reason;
    (void)reason_size;
    if (capacity > 0)
        infos[0] = emulator_info;
    *count = 1;
    return 0;
}

static void emulator_close(VmafDevice *base)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    if (device) {
        emulator_stream_finish(base);
        vmaf_mutex_destroy(&device->lock);
        free(device->kernels);
        free(device);
    }
}

static void apply_options(VmafDeviceCaps *caps, const EmulatorOptions *options)
{
    caps->unified_memory = !options->no_unified_memory;
    if (options->no_exact_float32)
        caps->exact_float32 = caps->exact_float32_division = false;
    if (options->no_host_memory)
        caps->host_memory_alignment = 0;
    if (options->copy_alignment)
        caps->copy_alignment = options->copy_alignment;
}

static int emulator_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                         size_t reason_size)
{
    if (params->id && strcmp(params->id, emulator_info.id) != 0) {
        snprintf(reason, reason_size, "no device %s", params->id);
        return -ENODEV;
    }
    EmulatorDevice *device = calloc(1, sizeof(*device));
    if (!device) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    device->head.layer = &vmaf_emulator_layer;
    device->head.info = emulator_info;
    device->head.kernels = params->kernels;
    if (params->external)
        device->options = *(const EmulatorOptions *)params->external;
    apply_options(&device->head.info.caps, &device->options);
    if (params->faults)
        device->faults = *params->faults;
    device->random = device->options.seed ? device->options.seed : 1;
    device->kernels = calloc(params->kernels->count, sizeof(*device->kernels));
    if (!device->kernels || vmaf_mutex_init(&device->lock) != 0) {
        free(device->kernels);
        free(device);
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    for (size_t i = 0; i < params->kernels->count; i++)
        device->kernels[i].kernel = &params->kernels->kernels[i];
    *opened = &device->head;
    return 0;
}

static int emulator_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                                  const VmafDeviceBufferParams *params)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const uint64_t limit = device->faults.no_memory_from_buffer;
    const bool fails = ++device->buffers_created >= limit && limit;
    const uint32_t noise = device->random + (uint32_t)device->buffers_created;
    int status = device->lost ? -ENODEV : 0;
    if (status == 0 && (fails || params->size > emulator_info.caps.max_buffer_size)) {
        status = emulator_fail(device, -ENOMEM, "no memory for a buffer of %llu bytes",
                               (unsigned long long)params->size);
    }
    vmaf_mutex_unlock(&device->lock);
    if (status < 0)
        return status;
    const uint64_t alignment = base->info.caps.host_memory_alignment;
    if (params->host_memory &&
        (alignment == 0 || ((uintptr_t)params->host_memory | params->size) % alignment != 0))
        return -ENOTSUP;
    EmulatorBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->owned = !params->host_memory;
    buffer->data = params->host_memory;
    if (buffer->owned) {
        /* aligned like bindings and no larger than asked for, so that tools notice accesses beyond
         * it */
        buffer->data = vmaf_aligned_alloc(emulator_info.caps.binding_alignment, params->size);
        if (!buffer->data) {
            free(buffer);
            return -ENOMEM;
        }
        emulator_fill_noise(buffer->data, params->size, noise);
    }
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    buffer->head.mapped = params->memory == VMAF_MEMORY_DEVICE ? NULL : buffer->data;
    if (params->memory == VMAF_MEMORY_DEVICE)
        buffer->head.address = (uint64_t)(uintptr_t)buffer->data;
    *created = &buffer->head;
    return 0;
}

static void emulator_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *destroyed)
{
    EmulatorBuffer *buffer = (EmulatorBuffer *)destroyed;
    (void)base;
    if (buffer) {
        if (buffer->owned)
            vmaf_aligned_free(buffer->data);
        free(buffer);
    }
}

static int emulator_kernel_find(VmafDevice *base, const VmafDeviceKernel **kernel, const char *name)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    const VmafKernel *found = vmaf_kernel_set_find(base->kernels, name);
    int status = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        status = -ENODEV;
    } else if (!found) {
        status = emulator_fail(device, -ENOENT, "no kernel %s", name);
    } else {
        *kernel = &device->kernels[found - base->kernels->kernels];
    }
    vmaf_mutex_unlock(&device->lock);
    return status;
}

static void emulator_last_error(VmafDevice *base, char *text, size_t size)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    snprintf(text, size, "%s", device->error);
    vmaf_mutex_unlock(&device->lock);
}

const VmafDeviceLayer vmaf_emulator_layer = {
    .name = "emulator",
    .enumerate = emulator_enumerate,
    .open = emulator_open,
    .close = emulator_close,
    .buffer_create = emulator_buffer_create,
    .buffer_destroy = emulator_buffer_destroy,
    .image_import = emulator_image_import,
    .image_destroy = emulator_image_destroy,
    .kernel_find = emulator_kernel_find,
    .command_list_begin = emulator_command_list_begin,
    .cmd_copy = emulator_cmd_copy,
    .cmd_dispatch = emulator_cmd_dispatch,
    .cmd_barrier = emulator_cmd_barrier,
    .cmd_timestamp = emulator_cmd_timestamp,
    .command_list_end = emulator_command_list_end,
    .command_list_destroy = emulator_command_list_destroy,
    .queue_create = emulator_queue_create,
    .queue_destroy = emulator_queue_destroy,
    .submit = emulator_submit,
    .wait = emulator_wait,
    .timestamps = emulator_timestamps,
    .copy_times = emulator_copy_times,
    .last_error = emulator_last_error,
};
