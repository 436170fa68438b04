/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Life of buffers that this device allocates, and what all kinds have in common. */
#include "buffer.h"

#include <stdlib.h>

#include "device_state.h"
#include "driver_guard.h"
#include "status.h"
#include "struct_size.h"

enum { PLANE_ALIGNMENT = 256 };

uint32_t vmaf_buffer_kinds(const VmafDeviceCaps *caps)
{
    return 1u << VMAF_BACKEND_BUFFER_PINNED | 1u << VMAF_BACKEND_BUFFER_UPLOADED |
           (caps->addresses ? 1u << VMAF_BACKEND_BUFFER_DEVICE : 0u);
}

/* Places the planes in one piece of memory; returns its size. */
static uint64_t place_planes(struct VmafBackendBuffer *buffer)
{
    uint64_t size = 0;
    buffer->n_sources = 3;
    for (uint32_t p = 0; p < 3; p++) {
        if (!vmaf_buffer_has(buffer, p))
            continue;
        buffer->sources[p].offset = size;
        buffer->sources[p].stride = buffer->geometry.stride[p];
        size += (uint64_t)buffer->geometry.stride[p] * buffer->geometry.h[p];
        size = (size + PLANE_ALIGNMENT - 1) / PLANE_ALIGNMENT * PLANE_ALIGNMENT;
    }
    return size ? size : PLANE_ALIGNMENT;
}

static int32_t allocate(struct VmafBackendBuffer *buffer)
{
    VmafDevice *device = buffer->device;
    const bool pinned = buffer->kind == VMAF_BACKEND_BUFFER_PINNED;
    /* What the processor can write to needs no transfer. */
    const bool mapped = pinned || (buffer->kind == VMAF_BACKEND_BUFFER_UPLOADED &&
                                   device->info.caps.unified_memory);
    const VmafDeviceBufferParams params = {
        .memory = mapped ? VMAF_MEMORY_UPLOAD : VMAF_MEMORY_DEVICE,
        .size = place_planes(buffer),
        .read_by_host = pinned,
    };
    bool copies = vmaf_caps_allow(device->info.caps.max_buffer_size, params.size);
    for (uint32_t p = 0; p < 3; p++)
        copies &= buffer->geometry.stride[p] % device->info.caps.copy_alignment == 0;
    if (!copies)
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = device->layer->buffer_create(device, &buffer->memory, &params);
    vmaf_driver_guard_end(&guard);
    for (uint32_t p = 0; p < 3 && !err; p++) {
        if (vmaf_buffer_has(buffer, p))
            buffer->sources[p].buffer = buffer->memory;
    }
    return vmaf_sdk_status(err);
}

int32_t vmaf_buffer_create(VmafDevice *device, const VmafBackendBufferParams *params,
                           struct VmafBackendBuffer **created)
{
    *created = NULL;
    if (params->flags & ~VMAF_BACKEND_BUFFER_PACKED)
        return VMAF_BACKEND_INVALID;
    if (params->kind >= 32 || !(vmaf_buffer_kinds(&device->info.caps) >> params->kind & 1))
        return VMAF_BACKEND_NOT_SUPPORTED;
    struct VmafBackendBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    buffer->device = device;
    buffer->kind = params->kind;
    buffer->planes = params->planes;
    atomic_init(&buffer->references, 1);
    if (params->kind == VMAF_BACKEND_BUFFER_DEVICE && device->state)
        buffer->wait = device->state->default_queue;
    int32_t status = vmaf_geometry_init(&buffer->geometry, params->width, params->height,
                                        params->depth, params->pixel_format);
    for (uint32_t p = 0; p < 3 && (params->flags & VMAF_BACKEND_BUFFER_PACKED); p++)
        buffer->geometry.stride[p] = (uint32_t)vmaf_buffer_row(buffer, p);
    if (status == VMAF_BACKEND_OK)
        status = allocate(buffer);
    if (status != VMAF_BACKEND_OK) {
        free(buffer);
        return status;
    }
    *created = buffer;
    return VMAF_BACKEND_OK;
}

void vmaf_buffer_keep(struct VmafBackendBuffer *buffer)
{
    atomic_fetch_add(&buffer->references, 1);
}

void vmaf_buffer_release(struct VmafBackendBuffer *buffer)
{
    VmafDevice *device = buffer->device;
    if (atomic_fetch_sub(&buffer->references, 1) > 1)
        return;
    if (!atomic_load(&device->stuck)) {
        const VmafDriverGuard guard = vmaf_driver_guard_begin();
        if (buffer->image)
            device->layer->image_destroy(device, buffer->image);
        device->layer->buffer_destroy(device, buffer->memory);
        vmaf_driver_guard_end(&guard);
    }
    free(buffer);
}

int32_t vmaf_buffer_info(const struct VmafBackendBuffer *buffer, VmafBackendBufferInfo *info)
{
    VmafBackendBufferInfo full = {.kind = buffer->kind};
    for (uint32_t p = 0; p < buffer->n_sources; p++) {
        const VmafPlaneSource *source = &buffer->sources[p];
        if (!source->buffer)
            continue;
        full.stride[p] = (int64_t)source->stride;
        if (buffer->kind == VMAF_BACKEND_BUFFER_UPLOADED)
            continue;
        const unsigned char *mapped = source->buffer->mapped;
        const uint64_t base = mapped ? (uint64_t)(uintptr_t)mapped : source->buffer->address;
        full.address[p] = base ? base + source->offset : 0;
    }
    return vmaf_struct_fill(info, &full, sizeof(full), sizeof(full)) ? VMAF_BACKEND_OK
                                                                     : VMAF_BACKEND_INVALID;
}

bool vmaf_buffer_fits(const struct VmafBackendBuffer *buffer, const struct VmafBackendPlan *plan)
{
    const VmafGeometry *a = &buffer->geometry, *b = &plan->geometry;
    bool fits = buffer->device == plan->device && a->depth == b->depth &&
                a->pixel_format == b->pixel_format && a->w[0] == b->w[0] && a->h[0] == b->h[0];
    for (uint32_t p = 0; p < 3; p++) {
        if ((plan->program->planes >> p & 1) && b->w[p] && b->h[p])
            fits &= vmaf_buffer_has(buffer, p);
    }
    return fits;
}
