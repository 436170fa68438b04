/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_H

#include "metrics/float_motion/float_motion_geometry.h"
#include "metrics/framework/extractor.h"

/* How much the low-pass filtered reference changes from frame to frame, in floating point. */
extern const FeatureExtractor float_motion_extractor;

/* The accumulate half; see FeatureExtractor. */
int float_motion_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags);
int float_motion_scratch_create(void **scratch, const void *plan);
int float_motion_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                            void *const records[]);

#endif
