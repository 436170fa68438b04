/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_FORMAT_H
#define CORE_PICTURE_FORMAT_H

#include <stdbool.h>

#include "libvmaf/picture.h"

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

#endif
