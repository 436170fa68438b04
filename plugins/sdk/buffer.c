/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "driver_guard.h"
#include "status.h"

struct VmafBackendBuffer {
    VmafDevice *device;
    VmafGeometry geometry;
    uint32_t planes;
    VmafDeviceBuffer *memory;
    unsigned char *address[3]; /* NULL for absent planes */
};

static uint64_t plane_bytes(const VmafGeometry *geometry, uint32_t plane)
{
    return (uint64_t)geometry->stride[plane] * geometry->h[plane];
}

static size_t row_bytes(const struct VmafBackendBuffer *buffer, uint32_t plane)
{
    return (size_t)buffer->geometry.w[plane] * buffer->geometry.bytes_per_sample;
}

static int32_t allocate(struct VmafBackendBuffer *buffer)
{
    uint64_t size = 0;
    for (uint32_t p = 0; p < 3; p++)
        size += buffer->planes >> p & 1 ? plane_bytes(&buffer->geometry, p) : 0;
    if (size > buffer->device->info.caps.max_buffer_size)
        return VMAF_BACKEND_NOT_SUPPORTED;
    /* The processor caches download memory, so that the host can read pictures at full speed. */
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DOWNLOAD, .size = size ? size : 4};
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = buffer->device->layer->buffer_create(buffer->device, &buffer->memory, &params);
    vmaf_driver_guard_end(&guard);
    if (err)
        return vmaf_sdk_status(err);
    unsigned char *next = buffer->memory->mapped;
    for (uint32_t p = 0; p < 3; p++) {
        if (!(buffer->planes >> p & 1) || !buffer->geometry.h[p])
            continue;
        buffer->address[p] = next;
        next += plane_bytes(&buffer->geometry, p);
    }
    return VMAF_BACKEND_OK;
}

int32_t vmaf_buffer_create(VmafDevice *device, const VmafBackendBufferParams *params,
                           struct VmafBackendBuffer **created)
{
    *created = NULL;
    if (params->flags & ~VMAF_BACKEND_BUFFER_PACKED)
        return VMAF_BACKEND_INVALID;
    if (params->kind != VMAF_BACKEND_BUFFER_PINNED)
        return VMAF_BACKEND_NOT_SUPPORTED;
    struct VmafBackendBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    buffer->device = device;
    buffer->planes = params->planes;
    int32_t status = vmaf_geometry_init(&buffer->geometry, params->width, params->height,
                                        params->depth, params->pixel_format);
    for (uint32_t p = 0; p < 3 && (params->flags & VMAF_BACKEND_BUFFER_PACKED); p++)
        buffer->geometry.stride[p] = (uint32_t)row_bytes(buffer, p);
    if (status == VMAF_BACKEND_OK)
        status = allocate(buffer);
    if (status != VMAF_BACKEND_OK) {
        free(buffer);
        return status;
    }
    *created = buffer;
    return VMAF_BACKEND_OK;
}

int32_t vmaf_buffer_info(const struct VmafBackendBuffer *buffer, VmafBackendBufferInfo *info)
{
    if (info->struct_size < sizeof(*info))
        return VMAF_BACKEND_INVALID;
    info->kind = VMAF_BACKEND_BUFFER_PINNED;
    for (uint32_t p = 0; p < 3; p++) {
        info->address[p] = (uint64_t)(uintptr_t)buffer->address[p];
        info->stride[p] = buffer->address[p] ? buffer->geometry.stride[p] : 0;
    }
    return VMAF_BACKEND_OK;
}

static void copy_rows(unsigned char *to, int64_t to_stride, const unsigned char *from,
                      int64_t from_stride, size_t bytes, uint32_t rows)
{
    for (uint32_t y = 0; y < rows; y++) {
        memcpy(to, from, bytes);
        to += to_stride;
        from += from_stride;
    }
}

int32_t vmaf_buffer_download(struct VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3])
{
    for (uint32_t p = 0; p < 3; p++) {
        if (data[p] && buffer->address[p])
            copy_rows(data[p], stride[p], buffer->address[p], buffer->geometry.stride[p],
                      row_bytes(buffer, p), buffer->geometry.h[p]);
    }
    return VMAF_BACKEND_OK;
}

int32_t vmaf_buffer_upload(struct VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3])
{
    for (uint32_t p = 0; p < 3; p++) {
        if (data[p] && buffer->address[p])
            copy_rows(buffer->address[p], buffer->geometry.stride[p], data[p], stride[p],
                      row_bytes(buffer, p), buffer->geometry.h[p]);
    }
    return VMAF_BACKEND_OK;
}

void vmaf_buffer_release(struct VmafBackendBuffer *buffer)
{
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    buffer->device->layer->buffer_destroy(buffer->device, buffer->memory);
    vmaf_driver_guard_end(&guard);
    free(buffer);
}

bool vmaf_buffer_view(const struct VmafBackendBuffer *buffer, const struct VmafBackendPlan *plan,
                      VmafBackendPicture *picture)
{
    const VmafGeometry *a = &buffer->geometry, *b = &plan->geometry;
    if (buffer->device != plan->device || a->depth != b->depth ||
        a->pixel_format != b->pixel_format || a->w[0] != b->w[0] || a->h[0] != b->h[0])
        return false;
    *picture = (VmafBackendPicture){.struct_size = sizeof(*picture)};
    for (uint32_t p = 0; p < 3; p++) {
        picture->data[p] = buffer->address[p];
        picture->stride[p] = a->stride[p];
    }
    return true;
}
