/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_H
#define METRICS_MOTION_MOTION_H

#include "metrics/framework/extractor.h"
#include "metrics/motion/motion_options.h"

/*
 * Motion: how much the reference changes from frame to frame, as the mean absolute value of the
 * low-pass filtered difference of luma. After Li, Aaron, Katsavounidis, Moorthy and Manohara,
 * "Toward a practical perceptual video quality metric", 2016.
 */
extern const FeatureExtractor motion_extractor;

enum MotionOutput {
    MOTION_OUTPUT_SAD,     /* difference from the earlier frame */
    MOTION_OUTPUT_MOTION,  /* the same, under the name for debugging */
    MOTION_OUTPUT_MOTION2, /* the smaller of the differences to both sides */
    MOTION_OUTPUT_MOTION3, /* motion2, flattened above an offset, perhaps averaged */
};

/* The accumulate half; see FeatureExtractor. */
int motion_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                       unsigned n_variants, unsigned cpu_flags);
int motion_scratch_create(void **scratch, const void *plan);
void motion_scratch_destroy(void *scratch);
int motion_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[]);

#endif
