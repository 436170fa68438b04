/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Buffers, and imported pictures of the application. */
#include <errno.h>
#include <stdlib.h>

#include "image_planes.h"
#include "stream_internal.h"

static bool can_wrap(const VmafDeviceCaps *caps, const VmafDeviceBufferParams *params)
{
    const uint32_t alignment = caps->host_memory_alignment;
    return params->memory == VMAF_MEMORY_UPLOAD && alignment &&
           (uintptr_t)params->host_memory % alignment == 0 && params->size % alignment == 0;
}

static int create(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                  const VmafDeviceBufferParams *params)
{
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->memory_create(device, buffer, params);
    vmaf_stream_leave(device);
    if (err == -ENOMEM)
        return vmaf_stream_fail(device, err, "out of memory: no %llu bytes of %s memory",
                                (unsigned long long)params->size,
                                params->memory == VMAF_MEMORY_DEVICE ? "device" : "pinned host");
    return err;
}

int vmaf_stream_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                              const VmafDeviceBufferParams *params)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    *created = NULL;
    int err = vmaf_layer_state_count_buffer(&device->state);
    if (err)
        return err;
    if (params->host_memory && !can_wrap(&base->info.caps, params))
        return vmaf_stream_fail(device, -ENOTSUP, "this memory of the host cannot be wrapped");
    VmafStreamBuffer *buffer = calloc(1, device->api->buffer_size);
    if (!buffer)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a buffer)");
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    buffer->wraps = params->host_memory != NULL;
    err = create(device, buffer, params);
    if (err) {
        free(buffer);
        return err;
    }
    *created = &buffer->head;
    return 0;
}

void vmaf_stream_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *destroyed)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    VmafStreamBuffer *buffer = (VmafStreamBuffer *)destroyed;
    if (!buffer)
        return;
    if (vmaf_stream_enter(device) == 0) {
        device->api->memory_destroy(device, buffer);
        vmaf_stream_leave(device);
    }
    free(buffer);
}

int vmaf_stream_import_addresses(VmafStreamDevice *device, VmafStreamImage *image,
                                 const VmafBackendImport *picture)
{
    char reason[96];
    for (uint32_t p = 0; p < image->head.n_planes; p++) {
        const uint64_t address = p < picture->n_handles ? picture->handles[p] : 0;
        VmafImagePlane plane;
        const int err = vmaf_image_plane(picture, p, &plane, reason, sizeof(reason));
        if (err)
            return vmaf_stream_fail(device, err, "%s", reason);
        if (!plane.is_present)
            continue;
        if (!address)
            return vmaf_stream_fail(device, -EINVAL, "plane %u has no address", p);
        image->planes[p].address = address;
        image->planes[p].head = (VmafDeviceBuffer){
            .memory = VMAF_MEMORY_DEVICE,
            .size = picture->size ? picture->size : plane.needed,
            .address = address,
        };
        image->head.buffers[p] = &image->planes[p].head;
        image->head.stride[p] = plane.stride;
    }
    return 0;
}

static int import(VmafStreamDevice *device, VmafStreamImage *image,
                  const VmafBackendImport *picture)
{
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    err = device->api->image_import(device, image, picture);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_image_import(VmafDevice *base, VmafDeviceImage **imported,
                             const VmafBackendImport *picture)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    *imported = NULL;
    if (vmaf_stream_check(device))
        return -ENODEV;
    if (!device->api->image_import || picture->kind >= 32 ||
        !(base->info.caps.imports & 1u << picture->kind))
        return vmaf_stream_fail(device, -ENOTSUP, "pictures of kind %u cannot be read",
                                picture->kind);
    VmafStreamImage *image = calloc(1, device->api->image_size);
    if (!image)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a picture)");
    image->head.n_planes = vmaf_image_planes(picture);
    const int err = import(device, image, picture);
    if (err) {
        free(image);
        return err;
    }
    *imported = &image->head;
    return 0;
}

void vmaf_stream_image_destroy(VmafDevice *base, VmafDeviceImage *image)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    if (image && device->api->image_release && vmaf_stream_enter(device) == 0) {
        device->api->image_release(device, (VmafStreamImage *)image);
        vmaf_stream_leave(device);
    }
    free(image);
}
