/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_H
#define CORE_PICTURE_PICTURE_H

/* Reference-counted pictures; the exported functions are thin wrappers of these. */

#include <stdatomic.h>

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
 * Never releases the picture, because somebody who cannot be stopped may still read it: takes a
 * reference that is never given back. True if it was not kept before; false without a reference.
 */
bool picture_keep(const VmafPicture *pic);
/* Has `kept` called with the picture's cookie when it is kept: whose memory it is must do without.
 */
void picture_on_keep(const VmafPicture *pic, void (*kept)(void *cookie));

/* ---- Pictures whose samples are not simply in memory of the host ---- */

typedef enum PictureMemory {
    PICTURE_PINNED = 1, /* memory of the host that a device reads: like any other for the host */
    PICTURE_DEVICE = 2, /* memory of a device: `data` are its addresses, or NULL */
} PictureMemory;

/* Where the samples are. Belongs to who made the picture, and lives as long as the picture. */
typedef struct PictureBacking {
    PictureMemory memory;
    const char *backend; /* whose memory it is */
    const void *device;  /* the same for pictures of the same device */
    unsigned planes;     /* that there are: bit 0 luma, bits 1 and 2 chroma */
    /* DEVICE: where the same samples are in memory of the host, until the picture is released. Any
     * thread. 0 or a negative errno. */
    int (*to_host)(struct PictureBacking *backing, void *data[3], ptrdiff_t stride[3]);
    atomic_bool on_host; /* DEVICE: to_host has the samples already */
} PictureBacking;

void picture_set_backing(const VmafPicture *pic, PictureBacking *backing);
/* NULL: ordinary memory of the host. */
PictureBacking *picture_backing(const VmafPicture *pic);
/* A view of the picture that the host can read; no reference of its own. 0 or a negative errno. */
int picture_on_host(const VmafPicture *pic, VmafPicture *view);
/* That would have to copy the samples from a device first. */
bool picture_needs_download(const VmafPicture *pic);
/* It is one of a limited number, which its owner waits for. */
bool picture_is_pooled(const VmafPicture *pic);
/* Nobody else has a reference to it. */
bool picture_is_last(const VmafPicture *pic);

/*
 * Samples of all planes in one block as picture_alloc lays them out: rows of a multiple of 32
 * samples, plane after plane. Returns the block (for memory_free), NULL for lack of memory.
 */
void *picture_planes_alloc(const PictureFormat *format, void *data[3], ptrdiff_t stride[3]);

#endif
