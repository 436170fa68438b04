/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_H
#define CORE_PICTURE_PICTURE_H

/* Pictures: their formats, references to them, and where their samples are. */

#include <stdatomic.h>
#include <stdbool.h>

#include "libvmaf/picture.h"

/* ---- formats ---- */

/* The format that all pictures of a stream share. */
typedef struct PictureFormat {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;        /* bit depth */
    unsigned w[3], h[3]; /* plane sizes in samples; 0 for absent planes */
} PictureFormat;

/* Fills in the plane sizes: chroma rounds down. -EINVAL for an unknown format or depth. */
int picture_format_init(PictureFormat *format, enum VmafPixelFormat pix_fmt, unsigned bpc,
                        unsigned w, unsigned h);
PictureFormat picture_format_of(const VmafPicture *pic);
bool picture_format_equal(const PictureFormat *a, const PictureFormat *b);
/* Number of planes: 1 for 4:0:0, else 3. */
unsigned picture_format_planes(enum VmafPixelFormat pix_fmt);
/* "4:2:0" and so on, for messages. */
const char *picture_format_name(enum VmafPixelFormat pix_fmt);

/* ---- pictures, whose references are counted ---- */

/* Called when the last reference to a picture is dropped: once, on any thread. */
typedef void (*PictureRelease)(void *cookie);

/* Zeroed samples, one reference. -EINVAL, -ENOMEM. */
int picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                  unsigned h);
/* A picture of planes that someone else owns. -EINVAL for unreadable planes, -ENOMEM. */
int picture_wrap(VmafPicture *pic, const PictureFormat *format, void *const data[3],
                 const ptrdiff_t stride[3], PictureRelease release, void *cookie);
/* True if rows of a plane can lie so many bytes apart. */
bool picture_stride_fits(const PictureFormat *format, unsigned plane, ptrdiff_t stride);
/* A further reference. */
VmafPicture picture_ref(const VmafPicture *pic);
/* -EINVAL for NULL and for a picture without reference. */
int picture_unref(VmafPicture *pic);

/*
 * Never releases the picture, because a reader that cannot be stopped may still use it: takes a
 * reference that is never dropped. True if it was not kept before; false without a reference.
 */
bool picture_keep(const VmafPicture *pic);
/* Registers `kept`, to be called with the picture's cookie when it is kept: its memory is lost. */
void picture_on_keep(const VmafPicture *pic, void (*kept)(void *cookie));

/* ---- pictures whose samples are not in ordinary host memory ---- */

typedef enum PictureMemory {
    PICTURE_PINNED = 1, /* host memory that a device reads: ordinary memory to the host */
    PICTURE_DEVICE = 2, /* memory of a device: `data` are its addresses, or NULL */
} PictureMemory;

/* Where the samples are. Owned by the picture's creator, and lives as long as the picture. */
typedef struct PictureBacking {
    PictureMemory memory;
    const char *backend; /* that owns the memory */
    const void *device;  /* the same for pictures of the same device */
    unsigned planes;     /* that exist: bit 0 luma, bits 1 and 2 chroma */
    /* DEVICE: provides the samples in host memory, until the picture is released. Any thread. 1 if
     * it copied them, 0 if they were there, or a negative errno. */
    int (*to_host)(struct PictureBacking *backing, void *data[3], ptrdiff_t stride[3]);
    atomic_bool on_host; /* DEVICE: to_host has copied the samples that are wanted */
    atomic_uint wanted;  /* DEVICE: planes that somebody may read on the host; 0: not known */
} PictureBacking;

void picture_set_backing(const VmafPicture *pic, PictureBacking *backing);
/* NULL: ordinary memory of the host. */
PictureBacking *picture_backing(const VmafPicture *pic);
/* A view of the picture that the host can read; no reference of its own. 1 if the samples had to be
 * copied from a device, 0, or a negative errno. */
int picture_on_host(const VmafPicture *pic, VmafPicture *view);
/* Somebody may read these planes of it on the host: others are not copied there. */
void picture_want_planes(const VmafPicture *pic, unsigned planes);
/* True if it is one of a limited number, which its owner may wait for. */
bool picture_is_pooled(const VmafPicture *pic);
/* True if picture_alloc has made it: in memory of its own, which nobody else waits for. */
bool picture_is_plain(const VmafPicture *pic);
/* True if this is the only reference to it. */
bool picture_is_last(const VmafPicture *pic);
/* True if two structures hold the one reference that there is: the one is a copy of the other. */
bool picture_is_copy(const VmafPicture *a, const VmafPicture *b);

/*
 * True if two pairs of pictures of one format have the same samples in these planes: bit 0 luma,
 * bits 1 and 2 chroma. The host must be able to read them. Rows from all over the pictures come
 * first, so that a difference is found early wherever it is. Pictures in the same memory count as
 * different: it may have been overwritten.
 */
bool picture_pairs_equal(const VmafPicture a[2], const VmafPicture b[2], unsigned planes);

/* ---- memory of planes ---- */

/* Where picture_alloc puts the planes in a block, and its size. False if that does not fit. */
bool picture_planes_layout(const PictureFormat *format, size_t offset[3], ptrdiff_t stride[3],
                           size_t *size);
/*
 * Allocates all planes in one block as picture_alloc lays them out: rows of a multiple of 32
 * samples, plane after plane. Returns the block (for memory_free), NULL if memory runs out.
 */
void *picture_planes_alloc(const PictureFormat *format, void *data[3], ptrdiff_t stride[3]);

/* ---- what is attached to a picture ---- */

/* Something that goes along with a picture as long as somebody uses it, whatever that is: the first
 * member of a structure whose references are counted here. Any thread. */
typedef struct PictureAttachment {
    atomic_uint references;
    void (*destroy)(struct PictureAttachment *attachment);
} PictureAttachment;

/* NULL allowed in both. */
static inline PictureAttachment *picture_attachment_ref(PictureAttachment *attachment)
{
    if (attachment)
        atomic_fetch_add_explicit(&attachment->references, 1, memory_order_relaxed);
    return attachment;
}

static inline void picture_attachment_unref(PictureAttachment *attachment)
{
    if (attachment &&
        atomic_fetch_sub_explicit(&attachment->references, 1, memory_order_acq_rel) == 1)
        attachment->destroy(attachment);
}

#endif
