/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_PSNR_HVS_PSNR_HVS_SENSITIVITY_H
#define CORE_FEATURE_PSNR_HVS_PSNR_HVS_SENSITIVITY_H

#include "feature/psnr_hvs/psnr_hvs.h"

/* Weights of the coefficients of one plane; first index: vertical frequency. */
typedef struct PsnrHvsWeights {
    float sensitivity[PSNR_HVS_BLOCK][PSNR_HVS_BLOCK]; /* to an error */
    float masking[PSNR_HVS_BLOCK][PSNR_HVS_BLOCK];     /* of a squared coefficient */
} PsnrHvsWeights;

/* Weights for plane 0, 1 or 2: Y, Cb or Cr. */
void psnr_hvs_weights_init(PsnrHvsWeights *weights, unsigned plane);

#endif
