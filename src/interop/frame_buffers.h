/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef INTEROP_FRAME_BUFFERS_H
#define INTEROP_FRAME_BUFFERS_H

/*
 * Pairs of luma planes on the device that the application fills in place, one after the other: rows
 * are packed, and the pixel format counts as 4:2:0.
 */

#include "interop_state.h"

/* Size and depth of a plane that an application hands over. */
typedef struct LumaFormat {
    unsigned w, h, bpc;
} LumaFormat;

/* 0; -EINVAL, -EBUSY, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int frame_buffers_set_up(VmafContext *context, const Vendor *vendor, LumaFormat format);
/* Addresses of the pair to fill; waits until one is free. */
int frame_buffers_current(VmafContext *context, const Vendor *vendor, void **ref, void **dist);
/* See vmaf_read_pictures; after a failure the pair remains the one to fill. */
int frame_buffers_read(VmafContext *context, const Vendor *vendor, unsigned index);
/* Copies luma into the pair to fill: from host memory, `pitch` bytes from row to row, or from a
 * picture on the device. -EINVAL unless the format is that of the pair. */
int frame_buffers_upload(InteropState *state, const Vendor *vendor, const void *luma, size_t pitch,
                         bool is_ref, LumaFormat format);
int frame_buffers_import(InteropState *state, const Vendor *vendor,
                         const VmafBackendImport *picture, bool is_ref, LumaFormat format);
void frame_buffers_clear(InteropState *state);

#endif
