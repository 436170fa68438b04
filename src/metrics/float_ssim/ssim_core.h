/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_CORE_H
#define METRICS_FLOAT_SSIM_SSIM_CORE_H

/*
 * The structural similarity index of two images. Z. Wang, A. Bovik, H. Sheikh, E. Simoncelli,
 * "Image quality assessment: from error visibility to structural similarity", IEEE Transactions on
 * Image Processing, 2004.
 */

#include <stdbool.h>

#include "metrics/float_ssim/ssim_image.h"

/* Means over all positions at which the window lies inside the images. */
typedef struct SsimMeans {
    float index; /* of luminance times contrast times structure */
    float luminance;
    float contrast;
    float structure;
} SsimMeans;

/* Memory for images up to a given width. */
typedef struct SsimCore SsimCore;

/* 0, -ENOMEM. The kernels are used until it is destroyed. */
int ssim_core_create(SsimCore **core, const SsimKernels *kernels, unsigned w);
void ssim_core_destroy(SsimCore *core); /* NULL allowed */

/*
 * Images of equal size, at least SSIM_TAPS each way. Without `with_luminance` the means that it
 * enters into, index and luminance, are 0.
 */
SsimMeans ssim_compare(SsimCore *core, const SsimImage *ref, const SsimImage *dist,
                       bool with_luminance);

#endif
