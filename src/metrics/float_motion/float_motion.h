/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_H

#include "metrics/motion/motion.h"

#include <stddef.h>

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

/* For planes of w[p] x h[p] samples. */
FloatMotionLayout float_motion_layout(const FloatMotionOptions *options,
                                      const unsigned w[FLOAT_MOTION_PLANES],
                                      const unsigned h[FLOAT_MOTION_PLANES]);

/* Where a sample of the reduced picture lies among those of the full one: between two neighbours,
 * or on a sample, which both are then. */
typedef struct FloatMotionPlace {
    unsigned first, second;
    float fraction; /* of the way from the first to the second */
} FloatMotionPlace;

/* Sample i of a row or column of n_reduced samples, made of n. */
FloatMotionPlace float_motion_place(unsigned i, unsigned n, unsigned n_reduced);

#endif
