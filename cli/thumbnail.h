/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_THUMBNAIL_H
#define CLI_THUMBNAIL_H

#include "libvmaf/picture.h"

#include <stdint.h>

/* Pictures made small, as rows of RGB: limited range, BT.709. */

enum { DIFFERENCE_GAIN = 8 };

typedef struct ThumbnailSize {
    unsigned width, height;
} ThumbnailSize;

/* The thumbnail's size for pictures of this size: neither side is longer than `longest`, or than it
 * was. */
ThumbnailSize thumbnail_size(unsigned width, unsigned height, unsigned longest);

/* Means of areas. Without chroma the picture is grey. 0; -ENOMEM. */
int thumbnail_make(uint8_t *rgb, ThumbnailSize size, const VmafPicture *picture);

/* Mean difference of luma in each area, DIFFERENCE_GAIN times as large, from black to white through
 * red and yellow. Both pictures have one size and depth. 0; -ENOMEM. */
int thumbnail_of_difference(uint8_t *rgb, ThumbnailSize size, const VmafPicture *reference,
                            const VmafPicture *distorted);

#endif
