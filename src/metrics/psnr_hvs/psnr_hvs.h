/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_H
#define METRICS_PSNR_HVS_PSNR_HVS_H

#include "metrics/psnr_hvs/psnr_hvs_kernel.h"

/* Numbers of one plane. Coefficients are in rows of vertical frequency. Kernels read this as an
 * array, with the places below. */
typedef struct PsnrHvsWeights {
    float sensitivity[PSNR_HVS_COEFFICIENTS]; /* to an error */
    float masking[PSNR_HVS_COEFFICIENTS];     /* of a squared coefficient */
    /* From mean squares of a block and of a quadrant to variances: n / (n - 1), rounded as in
     * libvmaf. */
    float whole_scale, quadrant_scale;
} PsnrHvsWeights;

/* Weights for plane 0, 1 or 2: Y, Cb or Cr. */
void psnr_hvs_weights_init(PsnrHvsWeights *weights, unsigned plane);

/* Blocks along a side of `samples` samples, at least PSNR_HVS_BLOCK. */
static inline unsigned psnr_hvs_blocks(unsigned samples)
{
    return (samples - PSNR_HVS_BLOCK) / PSNR_HVS_STEP + 1;
}

#endif
