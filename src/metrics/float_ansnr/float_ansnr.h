/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ANSNR_FLOAT_ANSNR_H
#define METRICS_FLOAT_ANSNR_FLOAT_ANSNR_H

#include "metrics/framework/extractor.h"

/* "Anchored" signal-to-noise ratios of low-pass filtered luma. */
extern const FeatureExtractor float_ansnr_extractor;

/* The accumulate half; see FeatureExtractor. */
int ansnr_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags);
int ansnr_scratch_create(void **scratch, const void *plan);
int ansnr_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[]);

#endif
