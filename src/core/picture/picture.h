/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_H
#define CORE_PICTURE_PICTURE_H

/* Reference-counted pictures; the exported functions are thin wrappers of these. */

#include "picture/format.h"

/* What happens when the last reference to a picture is dropped: called once, from any thread. */
typedef void (*PictureRelease)(void *cookie);

/* Zeroed samples, one reference. -EINVAL, -ENOMEM. */
int picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                  unsigned h);
/* Planes of somebody else. -EINVAL for planes that cannot be read so, -ENOMEM. */
int picture_wrap(VmafPicture *pic, const PictureFormat *format, void *const data[3],
                 const ptrdiff_t stride[3], PictureRelease release, void *cookie);
/* A further reference. */
VmafPicture picture_ref(const VmafPicture *pic);
/* -EINVAL for NULL and for a picture without reference. */
int picture_unref(VmafPicture *pic);

/*
 * Samples of all planes in one block as picture_alloc lays them out: rows of a multiple of 32
 * samples, plane after plane. Returns the block (for memory_free), NULL for lack of memory.
 */
void *picture_planes_alloc(const PictureFormat *format, void *data[3], ptrdiff_t stride[3]);

#endif
