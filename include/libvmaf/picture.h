/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_PICTURE_H
#define LIBVMAF_PICTURE_H

/*
 * Pictures: one frame of planar video in host memory, reference counted.
 *
 * Samples of 8 bits are bytes; deeper ones are native-endian 16-bit words with the value in the
 * low bits. A sample above 2^bpc - 1 is the caller's error: memory-safe, but the score is
 * unspecified.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
    VMAF_PIX_FMT_UNKNOWN = 0,
    VMAF_PIX_FMT_YUV420P = 1,
    VMAF_PIX_FMT_YUV422P = 2,
    VMAF_PIX_FMT_YUV444P = 3,
    VMAF_PIX_FMT_YUV400P = 4,
};

/* Reference count of a picture; private. */
typedef struct VmafRef VmafRef;

typedef struct VmafPicture {
    enum VmafPixelFormat pix_fmt; /* layout of the planes */
    unsigned bpc;                 /* bit depth, bits per component, 8 to 16 */
    unsigned w[3], h[3];          /* size of each plane in samples and rows; chroma rounds down */
    ptrdiff_t stride[3];          /* bytes from one row to the next */
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
 * @param w,h      luma size in samples; chroma is w/2, h/2 rounded down where subsampled
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
 * pooled picture to its pool. Thread-safe for different structures.
 *
 * @return 0; -EINVAL for NULL or for a picture that holds no reference (a second release).
 */
int vmaf_picture_unref(VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
