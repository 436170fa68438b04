/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_H
#define METRICS_PSNR_HVS_PSNR_HVS_H

#include "metrics/framework/extractor.h"

/* PSNR-HVS-M: errors of DCT coefficients, weighted by contrast sensitivity, less the part that
 * contrast around them masks. */
extern const FeatureExtractor psnr_hvs_extractor;

/* The accumulate half; see FeatureExtractor. */
int psnr_hvs_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags);
int psnr_hvs_scratch_create(void **scratch, const void *plan);
int psnr_hvs_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                        void *const records[]);

#endif
