/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_PYRAMID_H
#define METRICS_FLOAT_SSIM_SSIM_PYRAMID_H

#include "metrics/float_ssim/ssim_geometry.h"
#include "metrics/float_ssim/ssim_image.h"

/* Halves the size of images: a low-pass filter of 9x9 taps at every second column and row. */
typedef struct SsimPyramid SsimPyramid;

/* Memory for images up to a width. 0, -ENOMEM. */
int ssim_pyramid_create(SsimPyramid **pyramid, unsigned w);
void ssim_pyramid_destroy(SsimPyramid *pyramid); /* NULL allowed */

/* Writes the next scale of an image of at least 5x5 samples into a plane of binary32 samples, rows
 * of ssim_row_size. */
void ssim_pyramid_step(SsimPyramid *pyramid, const SsimKernels *kernels, const SsimImage *in,
                       float *out);

#endif
