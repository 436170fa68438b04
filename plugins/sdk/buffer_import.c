/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that exist elsewhere. */
#include <stdlib.h>

#include "buffer.h"
#include "driver_guard.h"
#include "status.h"
#include "struct_size.h"

/* Copies what to wait for or to signal; false if the device does not know this kind. */
static bool read_sync(const VmafDevice *device, VmafBackendSync *sync, const VmafBackendSync *given)
{
    *sync = (VmafBackendSync){.kind = VMAF_BACKEND_SYNC_NONE};
    if (given)
        vmaf_struct_read(sync, sizeof(*sync), given);
    sync->struct_size = sizeof(*sync);
    return sync->kind == VMAF_BACKEND_SYNC_NONE ||
           (sync->kind < 32 && (device->info.caps.syncs >> sync->kind & 1));
}

static bool read_syncs(struct VmafBackendBuffer *buffer, const VmafBackendImport *params)
{
    enum { SEMAPHORE = 3, VALUE = 4 };
    VmafBackendSync semaphore = {.struct_size = sizeof(semaphore),
                                 .kind = VMAF_BACKEND_SYNC_VULKAN_TIMELINE};
    const VmafBackendSync *wait = params->wait;
    if (!wait && params->kind == VMAF_BACKEND_IMPORT_VULKAN_IMAGE && params->n_handles > VALUE &&
        params->handles[SEMAPHORE]) {
        semaphore.handle = params->handles[SEMAPHORE];
        semaphore.value = params->handles[VALUE];
        wait = &semaphore;
    }
    return read_sync(buffer->device, &buffer->wait, wait) &&
           read_sync(buffer->device, &buffer->signal, params->signal);
}

/* Takes over the planes that the layer has found. */
static int32_t use_image(struct VmafBackendBuffer *buffer)
{
    const VmafDeviceImage *image = buffer->image;
    const VmafDeviceCaps *caps = &buffer->device->info.caps;
    const bool semiplanar = buffer->packing.semiplanar;
    buffer->n_sources = image->n_planes;
    for (uint32_t p = 0; p < image->n_planes; p++) {
        const uint64_t row = vmaf_buffer_row(buffer, p) * (p && semiplanar ? 2 : 1);
        buffer->sources[p] = (VmafPlaneSource){
            .buffer = image->buffers[p],
            .offset = image->offset[p],
            .stride = image->stride[p],
            .image = image->buffers[p] ? NULL : image,
            .image_plane = p,
        };
        if (image->buffers[p] && image->stride[p] < row && buffer->geometry.h[p] > 1)
            return VMAF_BACKEND_INVALID;
        if (vmaf_is_packed(&buffer->packing, p) &&
            !vmaf_caps_allow(caps->max_binding_size, (row + 64) * buffer->geometry.h[p]))
            return VMAF_BACKEND_NOT_SUPPORTED;
    }
    for (uint32_t p = 0; p < 3; p++) {
        if (vmaf_buffer_has(buffer, p) && (p && semiplanar ? 1 : p) >= image->n_planes)
            return VMAF_BACKEND_INVALID;
    }
    return VMAF_BACKEND_OK;
}

static int32_t import(struct VmafBackendBuffer *buffer, const VmafBackendImport *params)
{
    VmafDevice *device = buffer->device;
    if (params->kind >= 32 || !(device->info.caps.imports >> params->kind & 1) ||
        params->layout > VMAF_BACKEND_LAYOUT_SEMIPLANAR)
        return VMAF_BACKEND_NOT_SUPPORTED;
    int32_t status = vmaf_geometry_init(&buffer->geometry, params->width, params->height,
                                        params->depth, params->pixel_format);
    if (status != VMAF_BACKEND_OK)
        return status;
    const uint32_t sample_bits = 8 * buffer->geometry.bytes_per_sample;
    if (params->shift + params->depth > sample_bits)
        return VMAF_BACKEND_INVALID;
    buffer->planes = params->planes;
    buffer->packing.semiplanar = params->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    buffer->packing.shift = params->shift;
    if (!read_syncs(buffer, params))
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    const int err = device->layer->image_import(device, &buffer->image, params);
    vmaf_driver_guard_end(&guard);
    return err ? vmaf_sdk_status(err) : use_image(buffer);
}

int32_t vmaf_buffer_import(VmafDevice *device, const VmafBackendImport *params,
                           struct VmafBackendBuffer **imported)
{
    VmafBackendImport known;
    *imported = NULL;
    if (!device->layer->image_import)
        return VMAF_BACKEND_NOT_SUPPORTED;
    struct VmafBackendBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    vmaf_struct_read(&known, sizeof(known), params);
    known.struct_size = sizeof(known);
    buffer->device = device;
    atomic_init(&buffer->references, 1);
    const int32_t status = import(buffer, &known);
    if (status != VMAF_BACKEND_OK)
        vmaf_buffer_release(buffer);
    else
        *imported = buffer;
    return status;
}
