/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_REDUCE_H
#define METRICS_FLOAT_SSIM_SSIM_REDUCE_H

#include "metrics/float_ssim/ssim_geometry.h"
#include "metrics/float_ssim/ssim_image.h"

/* Reduces pictures by a factor: means of squares of samples. */
typedef struct SsimReducer SsimReducer;

/* Memory for pictures up to a width. 0, -ENOMEM. */
int ssim_reducer_create(SsimReducer **reducer, unsigned w);
void ssim_reducer_destroy(SsimReducer *reducer); /* NULL allowed */

/* Writes a picture of which width and height are at least the factor, reduced, into a plane of
 * binary32 samples, rows of ssim_row_size. */
void ssim_reduce(SsimReducer *reducer, const SsimKernels *kernels, const SsimImage *in,
                 unsigned factor, float *out);

#endif
