/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef DEFINITION_MOTION_MOTION_OPTIONS_H
#define DEFINITION_MOTION_MOTION_OPTIONS_H

#include "definition/option.h"

/* What may be asked of motion. */

enum {
    MOTION_MIN_SIZE = 3, /* so that one reflection at the border stays inside the picture */
    MOTION_MIN_DEPTH = 8,
    MOTION_MAX_DEPTH = 16,
    MOTION_MAX_LAG = 2,
};

typedef struct MotionOptions {
    bool force_zero;
    double blend_factor;
    double blend_offset;
    double fps_weight;
    double max_val;
    bool five_frame_window;
    bool moving_average;
    bool debug;
} MotionOptions;

/* How many frames back the difference reaches. */
static inline unsigned motion_lag(const MotionOptions *options)
{
    return options->five_frame_window ? MOTION_MAX_LAG : 1;
}

/* Ends with an empty entry. */
extern const OptionSpec motion_option_specs[];

#endif
