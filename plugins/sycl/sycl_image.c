/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Pictures of the application: by the addresses of their planes, or in memory that file descriptors
 * name, which is imported. Surfaces of VA-API are the dma-bufs that libva exports. The application
 * has loaded libva: its functions are looked up there, so that nothing of it is needed to build or
 * to install this.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_objects.h"
#include "image_planes.h"
#include "platform/file.h"
#include "platform/module.h"
#include "sycl_internal.h"

typedef struct SyclImage {
    VmafStreamImage head;
    void *imported[VMAF_BACKEND_MAX_OBJECTS]; /* memory to free with the image */
} SyclImage;

/* -- surfaces -- */

/* As in va.h and va_drmcommon.h, version 1. */
enum {
    VA_SUCCESS = 0,
    VA_INVALID_DISPLAY = 3,
    VA_INVALID_SURFACE = 6,
    VA_MEMORY_DRM_PRIME_2 = 0x40000000,
    VA_EXPORT_READ_ONLY = 1,
    VA_EXPORT_SEPARATE_LAYERS = 4,
    VA_OBJECTS = 4,
};

typedef struct VaDrmPrime2 {
    uint32_t fourcc, width, height;
    uint32_t n_objects;
    struct {
        int fd;
        uint32_t size;
        uint64_t modifier;
    } objects[VA_OBJECTS];
    uint32_t n_layers;
    struct {
        uint32_t format;
        uint32_t n_planes;
        uint32_t object[4], offset[4], pitch[4];
    } layers[4];
} VaDrmPrime2;

typedef int (*VaSyncSurface)(void *display, unsigned surface);
typedef int (*VaExportSurface)(void *display, unsigned surface, uint32_t memory_type,
                               uint32_t flags, void *descriptor);

typedef struct Va {
    VaSyncSurface sync;
    VaExportSurface export;
} Va;

static bool find_va(Va *va)
{
    VmafCodeAddress sync, export;
    if (vmaf_module_find_loaded("libva.so.2", "vaSyncSurface", &sync) ||
        vmaf_module_find_loaded("libva.so.2", "vaExportSurfaceHandle", &export))
        return false;
    va->sync = (VaSyncSurface)sync;
    va->export = (VaExportSurface) export;
    return true;
}

static int check_surface(SyclDevice *device, const VmafBackendImport *picture,
                         const VaDrmPrime2 *surface)
{
    if (picture->width > surface->width || picture->height > surface->height)
        return vmaf_stream_fail(&device->head, -EINVAL, "the surface is smaller than the picture");
    char reason[96];
    const int err = vmaf_image_check_fourcc(picture, surface->fourcc, reason, sizeof(reason));
    return err ? vmaf_stream_fail(&device->head, err, "%s", reason) : 0;
}

/* A layer for luma and one for chroma, of a plane each. */
static int read_layers(SyclDevice *device, const VaDrmPrime2 *surface, VmafImageObjects *objects)
{
    enum { LUMA, CHROMA, N_LAYERS };
    if (surface->n_layers != N_LAYERS)
        return vmaf_stream_fail(&device->head, -ENOTSUP, "a surface of %u layers",
                                surface->n_layers);
    for (uint32_t p = LUMA; p <= CHROMA; p++) {
        objects->object[p] = surface->layers[p].object[0];
        objects->offset[p] = surface->layers[p].offset[0];
        objects->stride[p] = surface->layers[p].pitch[0];
    }
    return 0;
}

static void read_surface(const VaDrmPrime2 *surface, VmafImageObjects *objects)
{
    *objects = (VmafImageObjects){.n_objects = surface->n_objects < VA_OBJECTS ? surface->n_objects
                                                                               : VA_OBJECTS};
    for (uint32_t i = 0; i < objects->n_objects; i++) {
        objects->fd[i] = surface->objects[i].fd;
        objects->size[i] = surface->objects[i].size;
        objects->modifier[i] = surface->objects[i].modifier;
    }
}

static int fail_va(SyclDevice *device, const char *function, int status, int otherwise)
{
    const bool invalid = status == VA_INVALID_DISPLAY || status == VA_INVALID_SURFACE;
    return vmaf_stream_fail(&device->head, invalid ? -EINVAL : otherwise,
                            "%s failed with VAStatus 0x%x", function, (unsigned)status);
}

static void close_surface(VmafImageObjects *objects)
{
    for (uint32_t i = 0; i < objects->n_objects; i++) {
        VmafFile file = {objects->fd[i]};
        vmaf_file_close(&file);
    }
    objects->n_objects = 0;
}

/* Describes a VA surface. The descriptors are the caller's, who closes them. */
static int export_surface(SyclDevice *device, const VmafBackendImport *picture,
                          VmafImageObjects *objects)
{
    enum { DISPLAY, SURFACE, N_HANDLES };
    VaDrmPrime2 surface = {.fourcc = 0};
    Va va;
    if (picture->n_handles < N_HANDLES || !picture->handles[DISPLAY])
        return vmaf_stream_fail(&device->head, -EINVAL, "a handle of the surface is missing");
    if (!find_va(&va))
        return vmaf_stream_fail(&device->head, -ENOTSUP, "the program has not loaded libva.so.2");
    void *display = (void *)(uintptr_t)picture->handles[DISPLAY];
    const unsigned id = (unsigned)picture->handles[SURFACE];
    int status = va.sync(display, id);
    if (status != VA_SUCCESS)
        return fail_va(device, "vaSyncSurface", status, -EIO);
    status = va.export(display, id, VA_MEMORY_DRM_PRIME_2,
                       VA_EXPORT_READ_ONLY | VA_EXPORT_SEPARATE_LAYERS, &surface);
    if (status != VA_SUCCESS)
        return fail_va(device, "vaExportSurfaceHandle", status, -ENOTSUP);
    read_surface(&surface, objects);
    int err = check_surface(device, picture, &surface);
    if (!err)
        err = read_layers(device, &surface, objects);
    if (err)
        close_surface(objects);
    return err;
}

/* -- addresses -- */

/* 0 if the driver knows all of it: copies from other memory would lose the device. */
static int check_address(SyclDevice *device, const VmafStreamBuffer *buffer, uint32_t plane)
{
    const void *pointer = (const void *)(uintptr_t)buffer->address;
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *begin = NULL;
    size_t size = 0;
    ze_result_t result = zeMemGetAllocProperties(device->context, pointer, &properties, NULL);
    if (result == ZE_RESULT_SUCCESS && properties.type == ZE_MEMORY_TYPE_UNKNOWN)
        return vmaf_stream_fail(&device->head, -EINVAL,
                                "plane %u is not in memory that Level Zero knows", plane);
    if (result == ZE_RESULT_SUCCESS)
        result = zeMemGetAddressRange(device->context, pointer, &begin, &size);
    if (result != ZE_RESULT_SUCCESS)
        return sycl_check(device, result, "the memory of a plane");
    if (buffer->head.size > size - (buffer->address - (uintptr_t)begin))
        return vmaf_stream_fail(&device->head, -EINVAL, "plane %u is larger than its memory",
                                plane);
    return 0;
}

static int import_addresses(SyclDevice *device, SyclImage *image, const VmafBackendImport *picture)
{
    int err = vmaf_stream_import_addresses(&device->head, &image->head, picture);
    for (uint32_t p = 0; p < image->head.head.n_planes && !err; p++) {
        if (image->head.head.buffers[p])
            err = check_address(device, &image->head.planes[p], p);
    }
    return err;
}

/* -- objects -- */

/* Drivers map what there is, whatever they are asked for. */
static int check_size(SyclDevice *device, const void *imported, uint64_t needed)
{
    void *begin = NULL;
    size_t size = 0;
    const ze_result_t result = zeMemGetAddressRange(device->context, imported, &begin, &size);
    if (result == ZE_RESULT_SUCCESS && size < needed)
        return vmaf_stream_fail(&device->head, -EINVAL, "a dma-buf has %zu bytes, not %llu", size,
                                (unsigned long long)needed);
    return sycl_check(device, result, "the memory of a dma-buf");
}

/* Makes the memory of a file descriptor, which stays its owner's, memory of the device. */
static int import_object(SyclDevice *device, SyclImage *image, const VmafImageObjects *objects,
                         uint32_t object)
{
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
        return vmaf_stream_fail(&device->head, -EINVAL, "descriptor %d of the picture", source.fd);
    if (objects->modifier[object] != VMAF_MODIFIER_LINEAR)
        return vmaf_stream_fail(&device->head, -ENOTSUP, "the picture is tiled (modifier 0x%llx)",
                                (unsigned long long)objects->modifier[object]);
    const int err = sycl_check(device,
                               zeMemAllocDevice(device->context, &desc, objects->size[object], 0,
                                                device->device, &image->imported[object]),
                               "importing a dma-buf");
    return err ? err : check_size(device, image->imported[object], objects->size[object]);
}

/* The planes are those of a picture at addresses, once its objects have some. */
static int import_objects(SyclDevice *device, SyclImage *image, const VmafBackendImport *picture,
                          const VmafImageObjects *objects)
{
    VmafBackendImport placed = *picture;
    placed.n_handles = image->head.head.n_planes;
    placed.size = 0;
    for (uint32_t p = 0; p < image->head.head.n_planes; p++) {
        const uint32_t object = objects->object[p];
        if (!vmaf_image_extent(picture, p).is_present)
            continue;
        if (object >= objects->n_objects || objects->offset[p] > objects->size[object])
            return vmaf_stream_fail(&device->head, -EINVAL, "plane %u has no memory", p);
        const int err = import_object(device, image, objects, object);
        if (err)
            return err;
        placed.handles[p] = (uintptr_t)image->imported[object] + objects->offset[p];
        placed.stride[p] = objects->stride[p];
    }
    const int err = vmaf_stream_import_addresses(&device->head, &image->head, &placed);
    for (uint32_t p = 0; p < image->head.head.n_planes && !err; p++) {
        if (image->head.head.buffers[p] &&
            image->head.head.buffers[p]->size >
                objects->size[objects->object[p]] - objects->offset[p])
            return vmaf_stream_fail(&device->head, -EINVAL, "plane %u is larger than its memory",
                                    p);
    }
    return err;
}

static int import_dma_buf(SyclDevice *device, SyclImage *image, const VmafBackendImport *picture)
{
    VmafImageObjects objects;
    char reason[96];
    const int err = vmaf_image_objects(picture, &objects, reason, sizeof(reason));
    return err ? vmaf_stream_fail(&device->head, err, "%s", reason)
               : import_objects(device, image, picture, &objects);
}

static int import_surface(SyclDevice *device, SyclImage *image, const VmafBackendImport *picture)
{
    VmafImageObjects objects = {.n_objects = 0};
    int err = export_surface(device, picture, &objects);
    if (err)
        return err;
    err = import_objects(device, image, picture, &objects);
    close_surface(&objects);
    return err;
}

static int import(SyclDevice *device, SyclImage *image, const VmafBackendImport *picture)
{
    switch (picture->kind) {
    case VMAF_BACKEND_IMPORT_USM_POINTER:
        return import_addresses(device, image, picture);
    case VMAF_BACKEND_IMPORT_DMABUF:
        return import_dma_buf(device, image, picture);
    case VMAF_BACKEND_IMPORT_VA_SURFACE:
        return import_surface(device, image, picture);
    default:
        return vmaf_stream_fail(&device->head, -ENOTSUP, "pictures of kind %u are not Level Zero's",
                                picture->kind);
    }
}

int sycl_image_import(VmafDevice *base, VmafDeviceImage **imported,
                      const VmafBackendImport *picture)
{
    SyclDevice *device = (SyclDevice *)base;
    VmafStreamImage *image;
    *imported = NULL;
    int err = vmaf_stream_image_new(&device->head, picture, sizeof(SyclImage), &image);
    if (err)
        return err;
    err = import(device, (SyclImage *)image, picture);
    if (err)
        sycl_image_destroy(base, &image->head);
    else
        *imported = &image->head;
    return err;
}

void sycl_image_destroy(VmafDevice *base, VmafDeviceImage *destroyed)
{
    SyclImage *image = (SyclImage *)destroyed;
    for (uint32_t i = 0; image && i < VMAF_BACKEND_MAX_OBJECTS; i++) {
        if (image->imported[i])
            zeMemFree(((SyclDevice *)base)->context, image->imported[i]);
    }
    free(image);
}
