/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_SSIM_H
#define METRICS_FLOAT_SSIM_FLOAT_SSIM_H

#include "metrics/float_ssim/ssim_options.h"
#include "metrics/framework/extractor.h"

/* Structural similarity of luma; large pictures are reduced first. */
extern const FeatureExtractor float_ssim_extractor;

#endif
