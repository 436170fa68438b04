/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_MS_SSIM_H
#define METRICS_FLOAT_SSIM_FLOAT_MS_SSIM_H

#include "metrics/float_ssim/ssim_options.h"
#include "metrics/framework/extractor.h"

/*
 * Structural similarity of luma over five scales. Z. Wang, E. Simoncelli, A. Bovik, "Multi-scale
 * structural similarity for image quality assessment", Asilomar Conference on Signals, Systems and
 * Computers, 2003.
 */
extern const FeatureExtractor float_ms_ssim_extractor;

#endif
