/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_FLOAT_MS_SSIM_H
#define CORE_FEATURE_FLOAT_SSIM_FLOAT_MS_SSIM_H

#include "definition/float_ssim/ssim_options.h"
#include "feature/extractor.h"

/*
 * Structural similarity of luma over five scales. Z. Wang, E. Simoncelli, A. Bovik, "Multi-scale
 * structural similarity for image quality assessment", Asilomar Conference on Signals, Systems and
 * Computers, 2003.
 */
extern const FeatureExtractor float_ms_ssim_extractor;

#endif
