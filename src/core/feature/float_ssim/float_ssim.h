/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_FLOAT_SSIM_H
#define CORE_FEATURE_FLOAT_SSIM_FLOAT_SSIM_H

#include "definition/float_ssim/ssim_options.h"
#include "feature/extractor.h"

/* Structural similarity of luma; large pictures are reduced first. */
extern const FeatureExtractor float_ssim_extractor;

#endif
