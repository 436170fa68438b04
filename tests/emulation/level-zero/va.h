/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_VA_H
#define TESTS_EMULATION_LEVEL_ZERO_VA_H

#include <stdint.h>

/*
 * A libva whose surfaces are files in memory. A program that loads it has the functions of VA-API
 * that export surfaces, and what makes surfaces for tests. What is written to one is seen after
 * vaSyncSurface only. All functions are thread-safe.
 */

/* As in va.h and va_drmcommon.h, interface version 1. */
typedef void *VADisplay;
typedef int VAStatus;
typedef unsigned int VASurfaceID;

enum {
    VA_STATUS_SUCCESS = 0,
    VA_STATUS_ERROR_OPERATION_FAILED = 1,
    VA_STATUS_ERROR_INVALID_DISPLAY = 3,
    VA_STATUS_ERROR_INVALID_SURFACE = 6,
    VA_STATUS_ERROR_INVALID_PARAMETER = 0x12,
    VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE = 0x24,
    VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 = 0x40000000,
    VA_EXPORT_SURFACE_READ_ONLY = 1,
    VA_EXPORT_SURFACE_WRITE_ONLY = 2,
    VA_EXPORT_SURFACE_SEPARATE_LAYERS = 4,
    VA_EXPORT_SURFACE_COMPOSED_LAYERS = 8,
    VA_FOURCC_NV12 = 0x3231564e,
    VA_FOURCC_P010 = 0x30313050,
};

typedef struct VADRMPRIMESurfaceDescriptor {
    uint32_t fourcc, width, height;
    uint32_t num_objects;
    struct {
        int fd; /* the caller's from now on */
        uint32_t size;
        uint64_t drm_format_modifier;
    } objects[4];
    uint32_t num_layers;
    struct {
        uint32_t drm_format; /* of one plane (R8, GR88, R16, GR1616), or of all */
        uint32_t num_planes;
        uint32_t object_index[4];
        uint32_t offset[4];
        uint32_t pitch[4];
    } layers[4];
} VADRMPRIMESurfaceDescriptor;

#define VA_EXPORTED __attribute__((visibility("default")))

VA_EXPORTED VAStatus vaSyncSurface(VADisplay display, VASurfaceID surface);
VA_EXPORTED VAStatus vaExportSurfaceHandle(VADisplay display, VASurfaceID surface,
                                           uint32_t memory_type, uint32_t flags, void *descriptor);

/* -- for tests; find them with dlsym -- */

/* The only display there is. */
VA_EXPORTED VADisplay emulated_va_display(void);
/*
 * A surface of NV12 or P010; modifier 0 is linear, and the memory of other ones is as that is. Luma
 * and chroma lie in one object, or in two. 0: it cannot be made.
 */
VA_EXPORTED VASurfaceID emulated_va_create(uint32_t fourcc, uint32_t width, uint32_t height,
                                           uint64_t modifier, unsigned n_objects);
/* Writes plane 0 or 1 from rows without gaps; as a decoder would, at some time before a
 * vaSyncSurface ends. */
VA_EXPORTED int emulated_va_write(VASurfaceID surface, unsigned plane, const void *data);
VA_EXPORTED void emulated_va_destroy(VASurfaceID surface);
/* What the next calls return: VA_STATUS_SUCCESS lets them work again. */
VA_EXPORTED void emulated_va_fail(VAStatus sync, VAStatus export_handle);

#endif
