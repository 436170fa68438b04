/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_H
#define METRICS_SSIM_SSIM_H

#include "metrics/framework/extractor.h"

/*
 * Structural similarity of luma from integer sums. Unlike float_ssim it never reduces pictures, and
 * at the border it uses the part of the window that lies inside.
 */
extern const FeatureExtractor ssim_extractor;

/* The accumulate half; see FeatureExtractor. */
int ssim_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                     unsigned n_variants, unsigned cpu_flags);
int ssim_scratch_create(void **scratch, const void *plan);
int ssim_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                    void *const records[]);

#endif
