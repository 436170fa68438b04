/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures of the application: by the addresses of their planes, or in memory that file descriptors
 * name, which is imported. */
#include <errno.h>

#include "image_planes.h"
#include "sycl_internal.h"

/* 0 if the driver knows all of it: copies from other memory would lose the device. */
static int check_address(VmafStreamDevice *base, const VmafStreamBuffer *buffer, uint32_t plane)
{
    const SyclDevice *device = sycl_device(base);
    const void *pointer = (const void *)(uintptr_t)buffer->address;
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *begin = NULL;
    size_t size = 0;
    ze_result_t result = zeMemGetAllocProperties(device->context, pointer, &properties, NULL);
    if (result == ZE_RESULT_SUCCESS && properties.type == ZE_MEMORY_TYPE_UNKNOWN)
        return vmaf_stream_fail(base, -EINVAL, "plane %u is not in memory that Level Zero knows",
                                plane);
    if (result == ZE_RESULT_SUCCESS)
        result = zeMemGetAddressRange(device->context, pointer, &begin, &size);
    if (result != ZE_RESULT_SUCCESS)
        return sycl_check(base, result, "the memory of a plane");
    if (buffer->head.size > size - (buffer->address - (uintptr_t)begin))
        return vmaf_stream_fail(base, -EINVAL, "plane %u is larger than its memory", plane);
    return 0;
}

static int import_addresses(VmafStreamDevice *base, SyclImage *image,
                            const VmafBackendImport *picture)
{
    int err = vmaf_stream_import_addresses(base, &image->head, picture);
    for (uint32_t p = 0; p < image->head.head.n_planes && !err; p++) {
        if (image->head.head.buffers[p])
            err = check_address(base, &image->head.planes[p], p);
    }
    return err;
}

/* -- objects -- */

/* Drivers map what there is, whatever they are asked for. */
static int check_size(VmafStreamDevice *base, const void *imported, uint64_t needed)
{
    void *begin = NULL;
    size_t size = 0;
    const ze_result_t result =
        zeMemGetAddressRange(sycl_device(base)->context, imported, &begin, &size);
    if (result == ZE_RESULT_SUCCESS && size < needed)
        return vmaf_stream_fail(base, -EINVAL, "a dma-buf has %zu bytes, not %llu", size,
                                (unsigned long long)needed);
    return sycl_check(base, result, "the memory of a dma-buf");
}

/* Makes the memory of a file descriptor, which stays its owner's, memory of the device. */
static int import_object(VmafStreamDevice *base, SyclImage *image, const VmafImageObjects *objects,
                         uint32_t object)
{
    const SyclDevice *device = sycl_device(base);
    const ze_external_memory_import_fd_t source = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
        .fd = objects->fd[object],
    };
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = &source};
    if (image->imported[object])
        return 0;
    if (source.fd < 0)
        return vmaf_stream_fail(base, -EINVAL, "descriptor %d of the picture", source.fd);
    if (objects->modifier[object] != VMAF_MODIFIER_LINEAR)
        return vmaf_stream_fail(base, -ENOTSUP, "the picture is tiled (modifier 0x%llx)",
                                (unsigned long long)objects->modifier[object]);
    const int err = sycl_check(base,
                               zeMemAllocDevice(device->context, &desc, objects->size[object], 0,
                                                device->device, &image->imported[object]),
                               "importing a dma-buf");
    return err ? err : check_size(base, image->imported[object], objects->size[object]);
}

/* The planes are those of a picture at addresses, once its objects have some. */
static int import_objects(VmafStreamDevice *base, SyclImage *image,
                          const VmafBackendImport *picture, const VmafImageObjects *objects)
{
    VmafBackendImport placed = *picture;
    placed.n_handles = image->head.head.n_planes;
    placed.size = 0;
    for (uint32_t p = 0; p < image->head.head.n_planes; p++) {
        const uint32_t object = objects->object[p];
        if (!vmaf_image_extent(picture, p).is_present)
            continue;
        if (object >= objects->n_objects || objects->offset[p] > objects->size[object])
            return vmaf_stream_fail(base, -EINVAL, "plane %u has no memory", p);
        const int err = import_object(base, image, objects, object);
        if (err)
            return err;
        placed.handles[p] = (uintptr_t)image->imported[object] + objects->offset[p];
        placed.stride[p] = objects->stride[p];
    }
    const int err = vmaf_stream_import_addresses(base, &image->head, &placed);
    for (uint32_t p = 0; p < image->head.head.n_planes && !err; p++) {
        if (image->head.head.buffers[p] &&
            image->head.head.buffers[p]->size >
                objects->size[objects->object[p]] - objects->offset[p])
            return vmaf_stream_fail(base, -EINVAL, "plane %u is larger than its memory", p);
    }
    return err;
}

static int import_dma_buf(VmafStreamDevice *base, SyclImage *image,
                          const VmafBackendImport *picture)
{
    VmafImageObjects objects;
    char reason[96];
    const int err = vmaf_image_objects(picture, &objects, reason, sizeof(reason));
    return err ? vmaf_stream_fail(base, err, "%s", reason)
               : import_objects(base, image, picture, &objects);
}

static int import_surface(VmafStreamDevice *base, SyclImage *image,
                          const VmafBackendImport *picture)
{
    VmafImageObjects objects;
    int err = sycl_surface_export(base, picture, &objects);
    if (err)
        return err;
    err = import_objects(base, image, picture, &objects);
    sycl_surface_close(&objects);
    return err;
}

int sycl_image_import(VmafStreamDevice *base, VmafStreamImage *imported,
                      const VmafBackendImport *picture)
{
    SyclImage *image = (SyclImage *)imported;
    int err;
    switch (picture->kind) {
    case VMAF_BACKEND_IMPORT_USM_POINTER:
        err = import_addresses(base, image, picture);
        break;
    case VMAF_BACKEND_IMPORT_DMABUF:
        err = import_dma_buf(base, image, picture);
        break;
    case VMAF_BACKEND_IMPORT_VA_SURFACE:
        err = import_surface(base, image, picture);
        break;
    default:
        return vmaf_stream_fail(base, -ENOTSUP, "pictures of kind %u are not Level Zero's",
                                picture->kind);
    }
    if (err)
        sycl_image_release(base, imported);
    return err;
}

void sycl_image_release(VmafStreamDevice *base, VmafStreamImage *released)
{
    SyclImage *image = (SyclImage *)released;
    for (uint32_t i = 0; i < VMAF_BACKEND_MAX_OBJECTS; i++) {
        if (image->imported[i])
            zeMemFree(sycl_device(base)->context, image->imported[i]);
        image->imported[i] = NULL;
    }
}
