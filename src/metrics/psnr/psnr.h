/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_H
#define METRICS_PSNR_PSNR_H

#include "metrics/framework/extractor.h"
#include "metrics/psnr/psnr_options.h"

/* Peak signal-to-noise ratio of each plane, per frame and over the sequence, in decibels. */
extern const FeatureExtractor psnr_extractor;

/* Planes follow each other; output of plane p: PSNR_OUTPUT_PSNR + 2 p, PSNR_OUTPUT_MSE + 2 p. */
enum PsnrOutput {
    PSNR_OUTPUT_PSNR,
    PSNR_OUTPUT_MSE,
    PSNR_OUTPUTS_PER_PLANE,
};

/* The accumulate half; see FeatureExtractor. */
int psnr_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                     unsigned n_variants, unsigned cpu_flags);
int psnr_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                    void *const records[]);

#endif
