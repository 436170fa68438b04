/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_PICTURE_IMPORT_H
#define CORE_BACKEND_SESSION_PICTURE_IMPORT_H

/* Pictures that exist on a device: everything that hands one over comes through here. */

#include "backend/session/backend_buffer.h"
#include "picture/picture.h"
#include "support/reason.h"

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
 * 0; with a reason -ENOTSUP if the backend does not take such a picture, -EINVAL if it refuses this
 * one, -ENOMEM, -ENODEV, -EIO, -ETIMEDOUT. On failure `release` is not called.
 */
int picture_import(VmafPicture *pic, BackendDevice *device, const PictureImport *import,
                   Reason *why);

#endif
