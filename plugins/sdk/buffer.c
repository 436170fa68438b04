/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Buffers of backend.h: those that this device allocates, those that exist elsewhere, and copies
 * between them and the host. */
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "device_state.h"
#include "program.h"
#include "row_copy.h"

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
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = device->layer->buffer_create(device, &buffer->memory, &params);
    vmaf_driver_leave(&guard);
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

void vmaf_buffer_release(struct VmafBackendBuffer *buffer)
{
    VmafDevice *device = buffer->device;
    if (atomic_fetch_sub(&buffer->references, 1) > 1)
        return;
    if (!atomic_load(&device->stuck)) {
        const VmafDriverGuard guard = vmaf_driver_enter();
        if (buffer->image)
            device->layer->image_destroy(device, buffer->image);
        device->layer->buffer_destroy(device, buffer->memory);
        vmaf_driver_leave(&guard);
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

/* -- pictures that exist elsewhere -- */

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
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = device->layer->image_import(device, &buffer->image, params);
    vmaf_driver_leave(&guard);
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

/* -- copies between buffers and the host -- */

/* All of a picture, or the marks at the beginning of planes.
 */

enum { STAGING_ALIGNMENT = 256 };

/* A transfer in the making: copies, and where each plane as it lies is in the staging memory. */
typedef struct Transfer {
    VmafDeviceCopy copies[3];
    uint32_t count;
    uint64_t offset[3], stride[3], size;
} Transfer;

/* Bytes of a row of plane `source` as it lies. */
static uint64_t source_row(const struct VmafBackendBuffer *buffer, uint32_t source)
{
    return vmaf_buffer_row(buffer, source) * (source && buffer->packing.semiplanar ? 2 : 1);
}

static bool is_stored(const struct VmafBackendBuffer *buffer, uint32_t source)
{
    return source < buffer->n_sources &&
           (source && buffer->packing.semiplanar
                ? vmaf_buffer_has(buffer, 1) || vmaf_buffer_has(buffer, 2)
                : vmaf_buffer_has(buffer, source));
}

/* Plans copies of `row` bytes of the first `rows` rows of a plane as it lies. */
static void plan_copy(Transfer *transfer, const struct VmafBackendBuffer *buffer, uint32_t source,
                      uint64_t row, uint32_t rows)
{
    const VmafPlaneSource *from = &buffer->sources[source];
    transfer->offset[source] = transfer->size;
    transfer->stride[source] = round_up(row, STAGING_ALIGNMENT);
    transfer->size += transfer->stride[source] * rows;
    transfer->copies[transfer->count++] = (VmafDeviceCopy){
        .src = from->buffer,
        .src_offset = from->offset,
        .src_stride = from->stride,
        .image = from->image,
        .image_plane = from->image_plane,
        .dst_offset = transfer->offset[source],
        .dst_stride = transfer->stride[source],
        .row_size = round_up(row, buffer->device->info.caps.copy_alignment),
        .rows = rows,
    };
}

/* Turns planned copies round, so that they go into the buffer. */
static void reverse(Transfer *transfer, VmafDeviceBuffer *staging)
{
    for (uint32_t i = 0; i < transfer->count; i++) {
        VmafDeviceCopy *copy = &transfer->copies[i];
        const VmafDeviceCopy before = *copy;
        copy->dst = before.src;
        copy->dst_offset = before.src_offset;
        copy->dst_stride = before.src_stride;
        copy->src = staging;
        copy->src_offset = before.dst_offset;
        copy->src_stride = before.dst_stride;
    }
}

/* Fetches what was planned; what it waits for and signals is that of a submission. The transfer has
 * begun. */
static int fetch(const struct VmafBackendBuffer *buffer, Transfer *transfer, bool signal,
                 VmafDeviceBuffer **staging)
{
    int err = vmaf_transfer_staging(buffer->device, VMAF_MEMORY_DOWNLOAD, transfer->size, staging);
    for (uint32_t i = 0; i < transfer->count; i++)
        transfer->copies[i].dst = *staging;
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit),
        .copies = transfer->copies,
        .n_copies = transfer->count,
        .waits = &buffer->wait,
        .n_waits = buffer->wait.kind != VMAF_BACKEND_SYNC_NONE,
        .signals = &buffer->signal,
        .n_signals = signal && buffer->signal.kind != VMAF_BACKEND_SYNC_NONE,
    };
    return err ? err : vmaf_transfer_run(buffer->device, &submit);
}

static void copy_plane(const struct VmafBackendBuffer *buffer, uint32_t plane, void *to,
                       int64_t to_stride, const void *from, int64_t from_stride)
{
    const VmafRowCopy rows = {
        .to = to,
        .from = from,
        .to_stride = to_stride,
        .from_stride = from_stride,
        .bytes = vmaf_buffer_row(buffer, plane),
        .rows = buffer->geometry.h[plane],
    };
    vmaf_copy_rows(&rows);
}

/* What the kernel picture/unpack does. */
static void unpack_row(unsigned char *to, const unsigned char *from, uint32_t width,
                       uint32_t bytes_per_sample, uint32_t step, uint32_t shift)
{
    for (uint32_t x = 0; x < width; x++) {
        uint16_t sample = 0;
        if (bytes_per_sample == 1) {
            to[x] = (unsigned char)(from[(size_t)x * step] >> shift);
            continue;
        }
        memcpy(&sample, from + 2 * (size_t)x * step, sizeof(sample));
        sample = (uint16_t)(sample >> shift);
        memcpy(to + 2 * (size_t)x, &sample, sizeof(sample));
    }
}

static void deliver(const struct VmafBackendBuffer *buffer, const Transfer *transfer,
                    const unsigned char *staging, uint32_t plane, unsigned char *to, int64_t stride)
{
    const VmafGeometry *geometry = &buffer->geometry;
    const bool interleaved = plane && buffer->packing.semiplanar;
    const uint32_t source = interleaved ? 1 : plane;
    const unsigned char *from = staging + transfer->offset[source];
    if (!vmaf_is_packed(&buffer->packing, plane)) {
        copy_plane(buffer, plane, to, stride, from, (int64_t)transfer->stride[source]);
        return;
    }
    from += interleaved ? (plane - 1) * geometry->bytes_per_sample : 0;
    for (uint32_t y = 0; y < geometry->h[plane]; y++)
        unpack_row(to + (int64_t)y * stride, from + y * transfer->stride[source],
                   geometry->w[plane], geometry->bytes_per_sample, interleaved ? 2 : 1,
                   buffer->packing.shift);
}

/* The processor reads and writes it. */
static bool is_mapped(const struct VmafBackendBuffer *buffer)
{
    return buffer->memory && buffer->memory->mapped && buffer->kind != VMAF_BACKEND_BUFFER_DEVICE;
}

static int download(struct VmafBackendBuffer *buffer, void *const data[3], const int64_t stride[3])
{
    Transfer transfer = {.count = 0};
    VmafDeviceBuffer *staging;
    for (uint32_t s = 0; s < buffer->n_sources; s++) {
        if (is_stored(buffer, s))
            plan_copy(&transfer, buffer, s, source_row(buffer, s), buffer->geometry.h[s]);
    }
    int err = vmaf_transfer_begin(buffer->device);
    if (err)
        return err;
    err = fetch(buffer, &transfer, true, &staging);
    for (uint32_t p = 0; p < 3 && !err; p++) {
        if (data[p] && vmaf_buffer_has(buffer, p))
            deliver(buffer, &transfer, staging->mapped, p, data[p], stride[p]);
    }
    vmaf_transfer_end(buffer->device);
    return err;
}

int32_t vmaf_buffer_download(struct VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3])
{
    if (!is_mapped(buffer)) {
        const VmafDriverGuard guard = vmaf_driver_enter();
        const int err = download(buffer, data, stride);
        vmaf_driver_leave(&guard);
        return vmaf_sdk_status(err);
    }
    for (uint32_t p = 0; p < 3; p++) {
        if (data[p] && vmaf_buffer_has(buffer, p))
            copy_plane(buffer, p, data[p], stride[p], vmaf_buffer_address(buffer, p),
                       buffer->geometry.stride[p]);
    }
    return VMAF_BACKEND_OK;
}

/* Lets the device fetch a plane from registered memory, where that is possible. */
static bool fetch_registered(const struct VmafBackendBuffer *buffer, VmafDeviceCopy *copy,
                             const void *data, int64_t stride)
{
    VmafDevice *device = buffer->device;
    const uint32_t alignment = device->info.caps.copy_alignment;
    if (stride < (int64_t)copy->row_size)
        return false;
    uint64_t offset;
    const uint64_t size = (uint64_t)stride * (copy->rows - 1) + copy->row_size;
    VmafDeviceBuffer *memory = vmaf_host_memory_find(device, data, size, &offset);
    if (!memory || (offset | (uint64_t)stride | copy->row_size) % alignment != 0)
        return false;
    copy->src = memory;
    copy->src_offset = offset;
    copy->src_stride = (uint64_t)stride;
    return true;
}

/* Through staging memory, which the transfer has to itself, where the device cannot read `data`. */
static int run_upload(const struct VmafBackendBuffer *buffer, Transfer *transfer,
                      const uint32_t planes[3], const void *const data[3], const int64_t stride[3])
{
    VmafDeviceBuffer *staging;
    int err = vmaf_transfer_staging(buffer->device, VMAF_MEMORY_UPLOAD, transfer->size, &staging);
    if (err)
        return err;
    reverse(transfer, staging);
    for (uint32_t i = 0; i < transfer->count; i++) {
        const uint32_t p = planes[i];
        if (!fetch_registered(buffer, &transfer->copies[i], data[p], stride[p]))
            copy_plane(buffer, p, (unsigned char *)staging->mapped + transfer->offset[p],
                       (int64_t)transfer->stride[p], data[p], stride[p]);
    }
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit), .copies = transfer->copies, .n_copies = transfer->count};
    return vmaf_transfer_run(buffer->device, &submit);
}

static int upload(struct VmafBackendBuffer *buffer, const void *const data[3],
                  const int64_t stride[3])
{
    Transfer transfer = {.count = 0};
    uint32_t planes[3];
    for (uint32_t p = 0; p < 3; p++) {
        if (!data[p] || !vmaf_buffer_has(buffer, p))
            continue;
        planes[transfer.count] = p;
        plan_copy(&transfer, buffer, p, vmaf_buffer_row(buffer, p), buffer->geometry.h[p]);
    }
    int err = transfer.count ? vmaf_transfer_begin(buffer->device) : 0;
    if (err || !transfer.count)
        return err;
    err = run_upload(buffer, &transfer, planes, data, stride);
    vmaf_transfer_end(buffer->device);
    return err;
}

int32_t vmaf_buffer_upload(struct VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3])
{
    if (buffer->kind == 0)
        return VMAF_BACKEND_NOT_SUPPORTED; /* the picture is another's */
    if (!is_mapped(buffer)) {
        const VmafDriverGuard guard = vmaf_driver_enter();
        const int err = upload(buffer, data, stride);
        vmaf_driver_leave(&guard);
        return vmaf_sdk_status(err);
    }
    for (uint32_t p = 0; p < 3; p++) {
        if (data[p] && vmaf_buffer_has(buffer, p))
            copy_plane(buffer, p, vmaf_buffer_address(buffer, p), buffer->geometry.stride[p],
                       data[p], stride[p]);
    }
    return VMAF_BACKEND_OK;
}

/* -- marks -- */

/* Plans a copy of the mark of each of these planes, as far as they have room for one. */
static Transfer plan_marks(const struct VmafBackendBuffer *buffer, uint32_t *planes)
{
    Transfer transfer = {.count = 0};
    for (uint32_t p = 0; p < 3; p++) {
        const uint64_t size = (uint64_t)buffer->geometry.stride[p] * buffer->geometry.h[p];
        if (!vmaf_buffer_has(buffer, p) || size < VMAF_BACKEND_MARK_SIZE)
            *planes &= ~(1u << p);
        if (*planes >> p & 1)
            plan_copy(&transfer, buffer, p, VMAF_BACKEND_MARK_SIZE, 1);
    }
    return transfer;
}

static int write_marks(struct VmafBackendBuffer *buffer, uint32_t planes, const uint8_t *mark)
{
    Transfer transfer = plan_marks(buffer, &planes);
    VmafDeviceBuffer *staging;
    int err = transfer.count ? vmaf_transfer_begin(buffer->device) : 0;
    if (err || !transfer.count)
        return err;
    err = vmaf_transfer_staging(buffer->device, VMAF_MEMORY_UPLOAD, transfer.size, &staging);
    for (uint32_t p = 0; p < 3 && !err; p++) {
        if (planes >> p & 1)
            memcpy((unsigned char *)staging->mapped + transfer.offset[p], mark,
                   VMAF_BACKEND_MARK_SIZE);
    }
    reverse(&transfer, staging);
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit), .copies = transfer.copies, .n_copies = transfer.count};
    if (!err)
        err = vmaf_transfer_run(buffer->device, &submit);
    vmaf_transfer_end(buffer->device);
    return err;
}

int32_t vmaf_buffer_mark(struct VmafBackendBuffer *buffer, uint32_t planes,
                         const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    if (buffer->kind != VMAF_BACKEND_BUFFER_DEVICE)
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = write_marks(buffer, planes, mark);
    vmaf_driver_leave(&guard);
    return vmaf_sdk_status(err);
}

static int read_marks(const struct VmafBackendBuffer *buffer, uint32_t *planes, const uint8_t *mark)
{
    Transfer transfer = plan_marks(buffer, planes);
    VmafDeviceBuffer *staging;
    int err = transfer.count ? vmaf_transfer_begin(buffer->device) : 0;
    if (err || !transfer.count)
        return err;
    err = fetch(buffer, &transfer, false, &staging);
    for (uint32_t p = 0; p < 3 && !err; p++) {
        if ((*planes >> p & 1) && memcmp((unsigned char *)staging->mapped + transfer.offset[p],
                                         mark, VMAF_BACKEND_MARK_SIZE) != 0)
            *planes &= ~(1u << p);
    }
    vmaf_transfer_end(buffer->device);
    return err;
}

int32_t vmaf_buffer_marked(struct VmafBackendBuffer *buffer, uint32_t *planes,
                           const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    if (buffer->kind != VMAF_BACKEND_BUFFER_DEVICE)
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = read_marks(buffer, planes, mark);
    vmaf_driver_leave(&guard);
    return vmaf_sdk_status(err);
}
