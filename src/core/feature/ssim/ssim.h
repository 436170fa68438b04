/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SSIM_SSIM_H
#define CORE_FEATURE_SSIM_SSIM_H

#include "feature/extractor.h"

/*
 * Structural similarity of luma from integer sums. Other than float_ssim it never reduces pictures,
 * and at the border it uses what part of the window lies inside.
 */
extern const FeatureExtractor ssim_extractor;

/* Similarities weighted with the part of the window that is inside, summed from left to right, row
 * after row, and the sum of the weights. */
typedef struct SsimRecord {
    double weighted_similarity;
    double weight;
} SsimRecord;

/* The accumulate half; see FeatureExtractor. */
int ssim_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                     unsigned n_variants, unsigned cpu_flags);
int ssim_scratch_create(void **scratch, const void *plan);
int ssim_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                    void *const records[]);

#endif
