/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_IMAGE_H
#define METRICS_FLOAT_SSIM_SSIM_IMAGE_H

#include <stddef.h>

#include "libvmaf/picture.h"
#include "metrics/float_ssim/ssim_kernels.h"

enum { SSIM_PICTURES = 2 }; /* reference, distorted */

/* Samples of either kind: luma of a picture, or binary32 numbers in the range of 8-bit video. */
typedef struct SsimImage {
    const void *data;
    ptrdiff_t stride; /* in bytes */
    unsigned w, h;
    unsigned bpc; /* 0: binary32 */
} SsimImage;

SsimImage ssim_image_of_picture(const VmafPicture *pic);

/* Samples between rows of binary32 planes of a given width, padding included. */
size_t ssim_row_size(unsigned w);
SsimImage ssim_image_of_plane(const float *plane, unsigned w, unsigned h);

/* Row y as binary32, in the image itself or in `buffer`. */
const float *ssim_image_row(const SsimImage *image, const SsimKernels *kernels, unsigned y,
                            float *buffer);

#endif
