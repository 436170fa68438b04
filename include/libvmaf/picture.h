/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_PICTURE_H
#define LIBVMAF_PICTURE_H

/*
 * Pictures: one frame of planar video in host memory, with a reference count.
 *
 * Samples of 8 bits are bytes; deeper ones are native-endian 16-bit words with the value in the
 * low bits. A sample above 2^bpc - 1 is the caller's error: reading it is memory-safe, but the
 * score is unspecified.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Planes of a picture and the size of chroma, at any bit depth. */
enum VmafPixelFormat {
    VMAF_PIX_FMT_UNKNOWN = 0,
    VMAF_PIX_FMT_YUV420P = 1, /* chroma of half the width and half the height */
    VMAF_PIX_FMT_YUV422P = 2, /* chroma of half the width */
    VMAF_PIX_FMT_YUV444P = 3, /* chroma of the size of luma */
    VMAF_PIX_FMT_YUV400P = 4, /* luma only */
};

/** Reference count of a picture; private. */
typedef struct VmafRef VmafRef;

/** A picture. A structure is used by one thread at a time. */
typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt; /* layout of the planes */
    unsigned bpc;                 /* bit depth, bits per component, 8 to 16 */
    unsigned w[3], h[3];          /* width in samples and height in rows of each plane */
    ptrdiff_t stride[3];          /* bytes from one row to the next, for each plane */
    void *data[3];                /* first sample of planes Y, Cb, Cr; NULL for absent planes */
    VmafRef *ref;                 /* private */
    void *priv;                   /* private */
} VmafPicture;

/**
 * Allocate a picture with one reference; its samples are zero.
 *
 * @param pic      filled in; any previous content is overwritten, not released
 * @param pix_fmt  layout of the planes; 4:0:0 has luma only
 * @param bpc      bit depth, 8 to 16
 * @param w,h      luma size in samples; chroma is w/2, h/2 rounded down where it is subsampled
 *
 * The planes lie in one block that is released with the last reference. Rows are aligned to at
 * least 32 bytes. Thread-safe.
 *
 * @return 0; -EINVAL for a NULL picture, an unknown format or a depth outside 8..16; -ENOMEM.
 */
int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                       unsigned h);

/**
 * Drop one reference and zero the structure. The last reference frees the memory, or returns a
 * pooled picture to its pool. Different threads may do this with different structures at once.
 *
 * @return 0; -EINVAL for NULL or for a picture that holds no reference (a second release).
 */
int vmaf_picture_unref(VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
