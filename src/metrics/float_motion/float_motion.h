/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_H

#include "metrics/motion/motion.h"

/* Options of float_motion, and the filter that they choose. */

enum { FLOAT_MOTION_PLANES = 3, FLOAT_MOTION_MAX_RADIUS = 2 };

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

/* Ends with an empty entry. */
extern const OptionSpec float_motion_option_specs[];

/* The low-pass filter: tap k, from -radius to radius, is taps[FLOAT_MOTION_MAX_RADIUS + k]; the
 * others are 0. */
typedef struct FloatMotionFilter {
    int radius;
    float taps[2 * FLOAT_MOTION_MAX_RADIUS + 1];
} FloatMotionFilter;

FloatMotionFilter float_motion_filter(const FloatMotionOptions *options);

#endif
