/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_MOTION_FLOAT_MOTION_H
#define CORE_FEATURE_FLOAT_MOTION_FLOAT_MOTION_H

#include "definition/motion/motion_options.h"
#include "feature/extractor.h"

/* How much the low-pass filtered reference changes from frame to frame, in floating point. */
extern const FeatureExtractor float_motion_extractor;

enum { FLOAT_MOTION_PLANES = 3 };

typedef struct FloatMotionOptions {
    bool debug;
    bool force_zero;
    double fps_weight;
    double blend_factor;
    double blend_offset;
    bool motion_add_scale1;
    int motion_filter_size;
    bool motion_add_uv;
    double max_val;
} FloatMotionOptions;

/*
 * The record is one sum of absolute differences for each row of each plane, and, with
 * motion_add_scale1, of each reduced plane: the order in which they are added is part of the
 * metric.
 */
typedef struct FloatMotionLayout {
    unsigned n_planes;
    unsigned w[FLOAT_MOTION_PLANES][2], h[FLOAT_MOTION_PLANES][2]; /* full and reduced size */
    size_t offset[FLOAT_MOTION_PLANES][2];                         /* of the first row */
    size_t n_rows;
} FloatMotionLayout;

FloatMotionLayout float_motion_layout(const FloatMotionOptions *options,
                                      const PictureFormat *format);

/* The accumulate half; see FeatureExtractor. */
int float_motion_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags);
int float_motion_scratch_create(void **scratch, const void *plan);
int float_motion_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                            void *const records[]);

#endif
