/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_FLOAT_SSIM_H
#define CORE_FEATURE_FLOAT_SSIM_FLOAT_SSIM_H

#include "feature/extractor.h"

/* Structural similarity of luma; large pictures are reduced first. */
extern const FeatureExtractor float_ssim_extractor;

typedef struct FloatSsimOptions {
    bool enable_lcs;
    bool enable_db;
    bool clip_db;
    int scale; /* factor of reduction; 0: depends on the size of the pictures */
} FloatSsimOptions;

/* The factor of reduction for a size. */
unsigned float_ssim_factor(const FloatSsimOptions *options, const PictureFormat *format);

#endif
