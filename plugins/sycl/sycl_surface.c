/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Surfaces of VA-API, as the dma-bufs that libva exports. The application has loaded libva: its
 * functions are looked up there, so that nothing of it is needed to build or to install this.
 */
#include <errno.h>
#include <string.h>

#include "platform/file.h"
#include "platform/module.h"
#include "sycl_internal.h"

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

static int check_surface(VmafStreamDevice *base, const VmafBackendImport *picture,
                         const VaDrmPrime2 *surface)
{
    if (picture->width > surface->width || picture->height > surface->height)
        return vmaf_stream_fail(base, -EINVAL, "the surface is smaller than the picture");
    char reason[96];
    const int err = vmaf_image_check_fourcc(picture, surface->fourcc, reason, sizeof(reason));
    return err ? vmaf_stream_fail(base, err, "%s", reason) : 0;
}

/* A layer for luma and one for chroma, of a plane each. */
static int read_layers(VmafStreamDevice *base, const VaDrmPrime2 *surface,
                       VmafImageObjects *objects)
{
    enum { LUMA, CHROMA, N_LAYERS };
    if (surface->n_layers != N_LAYERS)
        return vmaf_stream_fail(base, -ENOTSUP, "a surface of %u layers", surface->n_layers);
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

static int fail_va(VmafStreamDevice *base, const char *function, int status, int otherwise)
{
    const bool invalid = status == VA_INVALID_DISPLAY || status == VA_INVALID_SURFACE;
    return vmaf_stream_fail(base, invalid ? -EINVAL : otherwise, "%s failed with VAStatus 0x%x",
                            function, (unsigned)status);
}

int sycl_surface_export(VmafStreamDevice *base, const VmafBackendImport *picture,
                        VmafImageObjects *objects)
{
    enum { DISPLAY, SURFACE, N_HANDLES };
    VaDrmPrime2 surface = {.fourcc = 0};
    Va va;
    if (picture->n_handles < N_HANDLES || !picture->handles[DISPLAY])
        return vmaf_stream_fail(base, -EINVAL, "a handle of the surface is missing");
    if (!find_va(&va))
        return vmaf_stream_fail(base, -ENOTSUP, "the program has not loaded libva.so.2");
    void *display = (void *)(uintptr_t)picture->handles[DISPLAY];
    const unsigned id = (unsigned)picture->handles[SURFACE];
    int status = va.sync(display, id);
    if (status != VA_SUCCESS)
        return fail_va(base, "vaSyncSurface", status, -EIO);
    status = va.export(display, id, VA_MEMORY_DRM_PRIME_2,
                       VA_EXPORT_READ_ONLY | VA_EXPORT_SEPARATE_LAYERS, &surface);
    if (status != VA_SUCCESS)
        return fail_va(base, "vaExportSurfaceHandle", status, -ENOTSUP);
    read_surface(&surface, objects);
    int err = check_surface(base, picture, &surface);
    if (!err)
        err = read_layers(base, &surface, objects);
    if (err)
        sycl_surface_close(objects);
    return err;
}

void sycl_surface_close(VmafImageObjects *objects)
{
    for (uint32_t i = 0; i < objects->n_objects; i++) {
        VmafFile file = {objects->fd[i]};
        vmaf_file_close(&file);
    }
    objects->n_objects = 0;
}
