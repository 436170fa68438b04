/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_BACKEND_BUFFER_H
#define CORE_BACKEND_SESSION_BACKEND_BUFFER_H

/*
 * Pictures in memory that belongs to a device, or that it reads directly. A buffer keeps its device
 * open. If a call does not return within the time limit, the plugin is dead (-ETIMEDOUT), and
 * memory that it could still access is never freed.
 */

#include <stddef.h>

#include "backend/backend_device.h"
#include "picture/format.h"

typedef struct BackendBuffer BackendBuffer;

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

VmafBackendBuffer *backend_buffer_handle(const BackendBuffer *buffer);
BackendDevice *backend_buffer_device(const BackendBuffer *buffer);
uint32_t backend_buffer_kind(const BackendBuffer *buffer);
unsigned backend_buffer_planes(const BackendBuffer *buffer);
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

#endif
