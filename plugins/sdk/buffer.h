/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_BUFFER_H
#define VMAF_SDK_BUFFER_H

#include <stdatomic.h>

#include "plan.h"
#include "unpack.h"

/*
 * The buffers of backend.h: pictures in host memory that the driver provides (PINNED), in memory of
 * the device (DEVICE, UPLOADED), or pictures that exist elsewhere (imported). Sessions copy from
 * all of them directly.
 */

/* A plane as the source of copies: a place in a buffer, or plane `image_plane` of an image. */
typedef struct VmafPlaneSource {
    VmafDeviceBuffer *buffer;     /* NULL: the source is the image */
    uint64_t offset, stride;      /* bytes */
    const VmafDeviceImage *image; /* NULL: the source is the buffer */
    uint32_t image_plane;
} VmafPlaneSource;

struct VmafBackendBuffer {
    VmafDevice *device;
    uint32_t kind; /* VMAF_BACKEND_BUFFER_*; 0: imported */
    VmafGeometry geometry;
    uint32_t planes;            /* set of VMAF_BACKEND_PLANE_* */
    uint32_t n_sources;         /* number of planes in memory: two if chroma is interleaved */
    VmafPlaneSource sources[3]; /* by plane in memory */
    VmafPacking packing;
    VmafDeviceBuffer *memory; /* PINNED, DEVICE, UPLOADED */
    VmafDeviceImage *image;   /* imported */
    VmafBackendSync wait;     /* waited for before the picture is read; kind NONE: nothing */
    VmafBackendSync signal;   /* signalled once the picture has been read */
    /* Held by the host, and by submissions that read the buffer; vmaf_buffer_release drops one, and
     * the memory stays until the last one. */
    atomic_uint references;
};

/* The functions of backend.h with the same names. */
int32_t vmaf_buffer_create(VmafDevice *device, const VmafBackendBufferParams *params,
                           struct VmafBackendBuffer **buffer);
int32_t vmaf_buffer_import(VmafDevice *device, const VmafBackendImport *params,
                           struct VmafBackendBuffer **buffer);
int32_t vmaf_buffer_info(const struct VmafBackendBuffer *buffer, VmafBackendBufferInfo *info);
int32_t vmaf_buffer_download(struct VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3]);
int32_t vmaf_buffer_upload(struct VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3]);
int32_t vmaf_buffer_mark(struct VmafBackendBuffer *buffer, uint32_t planes,
                         const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
int32_t vmaf_buffer_marked(struct VmafBackendBuffer *buffer, uint32_t *planes,
                           const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
void vmaf_buffer_release(struct VmafBackendBuffer *buffer);

/* True if its picture has the geometry of the plan, and all planes that the plan reads. */
bool vmaf_buffer_fits(const struct VmafBackendBuffer *buffer, const struct VmafBackendPlan *plan);

/* The kinds of buffer_create that the device offers, as a set of 1u << VMAF_BACKEND_BUFFER_*. */
uint32_t vmaf_buffer_kinds(const VmafDeviceCaps *caps);

/* Host address of a plane that is mapped (PINNED, and UPLOADED in unified memory), or NULL. */
static inline unsigned char *vmaf_buffer_address(const struct VmafBackendBuffer *buffer,
                                                 uint32_t plane)
{
    const VmafPlaneSource *source = &buffer->sources[plane];
    return source->buffer && source->buffer->mapped
               ? (unsigned char *)source->buffer->mapped + source->offset
               : NULL;
}

/* Bytes of samples in a row of a plane. */
static inline size_t vmaf_buffer_row(const struct VmafBackendBuffer *buffer, uint32_t plane)
{
    return (size_t)buffer->geometry.w[plane] * buffer->geometry.bytes_per_sample;
}

/* True if the buffer has the plane, and it is not empty. */
static inline bool vmaf_buffer_has(const struct VmafBackendBuffer *buffer, uint32_t plane)
{
    return (buffer->planes >> plane & 1) && buffer->geometry.w[plane] && buffer->geometry.h[plane];
}

#endif
