/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_BUFFERS_H
#define CORE_BACKEND_SESSION_BUFFERS_H

/*
 * Pictures in memory that belongs to a device, or that it reads directly: buffers of a plugin, the
 * pictures that are made of them, and imports of pictures that exist. A buffer keeps its device
 * open. If a call does not return within the time limit, the plugin is dead (-ETIMEDOUT), and
 * memory that it could still access is never freed.
 */

#include <stddef.h>

#include "backend/device.h"
#include "picture/picture.h"

typedef struct BackendBuffer {
    BackendDevice *device;
    VmafBackendBuffer *handle;
    uint32_t kind;
    unsigned planes; /* bits */
    VmafBackendBufferInfo info;
} BackendBuffer;

typedef struct BackendBufferParams {
    uint32_t kind; /* VMAF_BACKEND_BUFFER_DEVICE or _PINNED */
    PictureFormat format;
    unsigned planes; /* that the buffer has, bits */
    bool packed;     /* rows without gaps between them */
} BackendBufferParams;

/* 0; -ENOTSUP if the backend or the device does not offer it; -EINVAL, -ENOMEM, -ENODEV, -EIO,
 * -ETIMEDOUT. */
int backend_buffer_create(BackendBuffer **buffer, BackendDevice *device,
                          const BackendBufferParams *params);
/* A picture that exists: kind, handles, strides and so on as VmafBackendImport says, format and
 * what to wait for and to signal are filled in here (NULL: nothing). Errors as above. */
int backend_buffer_import(BackendBuffer **buffer, BackendDevice *device,
                          const PictureFormat *format, unsigned planes,
                          const VmafBackendImport *picture, const VmafBackendSync *wait,
                          const VmafBackendSync *signal);
/* NULL allowed. False if the backend does not answer, so that it may still use the memory. */
bool backend_buffer_release(BackendBuffer *buffer);

/* Addresses (NULL: there is none) and strides of the planes. */
void backend_buffer_place(const BackendBuffer *buffer, void *data[3], ptrdiff_t stride[3]);

/* Planes that are NULL are left out. After -ETIMEDOUT the target may still be written to. */
int backend_buffer_download(BackendBuffer *buffer, void *const data[3], const ptrdiff_t stride[3]);
/* Writes a mark into planes of a DEVICE buffer; the second leaves those planes in the set that
 * still begin with it. -ENOTSUP if the backend cannot; else as above. */
int backend_buffer_mark(BackendBuffer *buffer, unsigned planes,
                        const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
int backend_buffer_marked(BackendBuffer *buffer, unsigned *planes,
                          const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
/* Not limited in time, since the source is the caller's. */
int backend_buffer_upload(BackendBuffer *buffer, const void *const data[3],
                          const ptrdiff_t stride[3]);

/*
 * Buffers of a device as pictures. If the samples are needed in host memory, a copy is made once
 * and kept with the picture.
 */

/* The buffer behind a picture, if it is one of that device; else NULL. */
VmafBackendBuffer *buffer_of_picture(const VmafPicture *pic, const BackendDevice *device);
/* Fills the picture from host memory; planes that are NULL are left out. 0 or a negative errno. */
int buffer_picture_upload(const VmafPicture *pic, const void *const data[3],
                          const ptrdiff_t stride[3]);
/* Marks planes of a picture on a device, before the program receives it. 0, or the error of
 * backend_buffer_mark. */
int buffer_picture_mark(const VmafPicture *pic, unsigned planes,
                        const uint8_t mark[VMAF_BACKEND_MARK_SIZE]);
/* Leaves in the set those planes that were marked, and to which nothing was written since. Waits
 * for what the program has queued. 0, or the error of backend_buffer_marked. */
int buffer_picture_unwritten(const VmafPicture *pic, unsigned *planes);
/*
 * Copies the samples to host memory and releases the buffer, so that the owner of the memory behind
 * it can reuse it. No other thread may read the picture meanwhile. 0 or a negative errno.
 */
int buffer_picture_detach(const VmafPicture *pic);

/*
 * Pictures that are used again and again. The ring may be closed while pictures are in use: they
 * stay valid, and the memory goes with the last of them.
 */
typedef struct BufferRing BufferRing;

/* Begins with `count` pictures. 0, or the error of backend_buffer_create. */
int buffer_ring_create(BufferRing **ring, BackendDevice *device, const BackendBufferParams *params,
                       unsigned count);
/*
 * Takes a picture, whose samples are undefined. Creates further pictures while fewer than `limit`
 * are in use, else waits for one. 0; -ENODEV if the backend was given up; errors of
 * backend_buffer_create.
 */
int buffer_ring_fetch(BufferRing *ring, unsigned limit, VmafPicture *pic);
/* Enough pictures that were marked have come back written for marks to be pointless. */
bool buffer_ring_is_filled(const BufferRing *ring);
bool buffer_ring_owns(BufferRing *ring, const VmafPicture *pic);
void buffer_ring_close(BufferRing *ring); /* NULL allowed; no fetch may be waiting */

/* A picture that exists on a device: everything that brings one comes through here. */
typedef struct PictureImport {
    PictureFormat format;
    unsigned planes; /* that exist */
    /* Kind, handles, strides, and what version 1.1 has added, but for `wait` and `signal`; the rest
     * is filled in. */
    VmafBackendImport source;
    VmafBackendSync wait, signal; /* kind NONE: nothing */
    /* Called once nobody reads it any more and it was signalled; never for what a backend that
     * hangs may still read. Optional. */
    PictureRelease release;
    void *cookie;
} PictureImport;

/*
 * 0; with a reason -ENOTSUP if the backend does not take such a picture, -EINVAL if it rejects this
 * one, -ENOMEM, -ENODEV, -EIO, -ETIMEDOUT. On failure `release` is not called.
 */
int picture_import(VmafPicture *pic, BackendDevice *device, const PictureImport *import,
                   Reason *why);

#endif
