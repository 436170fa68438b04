/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_BACKEND_BUFFER_PICTURE_H
#define CORE_BACKEND_SESSION_BACKEND_BUFFER_PICTURE_H

/*
 * Buffers of a device as pictures. If the samples are needed in host memory, a copy is made once
 * and kept with the picture.
 */

#include "backend/session/backend_buffer.h"
#include "picture/picture.h"

/*
 * Takes ownership of the buffer, which is released with the last reference; then `release` is
 * called, unless it is NULL or the backend may still use the memory. 0, -ENOMEM.
 */
int buffer_picture_wrap(VmafPicture *pic, BackendBuffer *buffer, const PictureFormat *format,
                        PictureRelease release, void *cookie);
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

#endif
