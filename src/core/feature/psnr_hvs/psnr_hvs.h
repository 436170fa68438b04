/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_PSNR_HVS_PSNR_HVS_H
#define CORE_FEATURE_PSNR_HVS_PSNR_HVS_H

#include "feature/extractor.h"

/* PSNR-HVS-M: errors of DCT coefficients, weighted by contrast sensitivity, less the part that
 * contrast around them masks. */
extern const FeatureExtractor psnr_hvs_extractor;

enum {
    PSNR_HVS_PLANES = 3,
    PSNR_HVS_BLOCK = 8, /* side of a block */
    PSNR_HVS_STEP = 7,  /* from one block to the next: they overlap by a sample */
};

/* Sum of the weighted squared errors of each plane. One binary32 accumulator runs over all
 * coefficients of all blocks of a plane; its rounding errors are part of the metric. */
typedef struct PsnrHvsRecord {
    float error[PSNR_HVS_PLANES];
} PsnrHvsRecord;

/* Blocks along a side of `samples` samples, at least PSNR_HVS_BLOCK. */
static inline unsigned psnr_hvs_blocks(unsigned samples)
{
    return (samples - PSNR_HVS_BLOCK) / PSNR_HVS_STEP + 1;
}

/* The accumulate half; see FeatureExtractor. */
int psnr_hvs_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags);
int psnr_hvs_scratch_create(void **scratch, const void *plan);
int psnr_hvs_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                        void *const records[]);

#endif
