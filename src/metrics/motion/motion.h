/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_H
#define METRICS_MOTION_MOTION_H

#include "metrics/framework/option.h"

/* Options and limits of motion. */

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

/* The options that motion shares with float_motion: rows of a table, for a struct with their
 * members. */
#define MOTION_COMMON_OPTION_SPECS(Options)                                                        \
    {.name = "motion_force_zero",                                                                  \
     .alias = "force_0",                                                                           \
     .help = "all scores are 0 and no pixels are read",                                            \
     .type = OPTION_BOOL,                                                                          \
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                    \
     .offset = offsetof(Options, force_zero)},                                                     \
        {.name = "motion_blend_factor",                                                            \
         .alias = "mbf",                                                                           \
         .help = "slope of motion3 above motion_blend_offset",                                     \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED,                                                                    \
         .offset = offsetof(Options, blend_factor),                                                \
         .default_value = 1,                                                                       \
         .min = 0,                                                                                 \
         .max = 1},                                                                                \
        {.name = "motion_blend_offset",                                                            \
         .alias = "mbo",                                                                           \
         .help = "value of motion2 above which motion3 rises more slowly",                         \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED,                                                                    \
         .offset = offsetof(Options, blend_offset),                                                \
         .default_value = 40,                                                                      \
         .min = 0,                                                                                 \
         .max = 1000},                                                                             \
        {.name = "motion_fps_weight",                                                              \
         .alias = "mfw",                                                                           \
         .help = "factor on every score, to account for the frame rate",                           \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED,                                                                    \
         .offset = offsetof(Options, fps_weight),                                                  \
         .default_value = 1,                                                                       \
         .min = 0,                                                                                 \
         .max = 5},                                                                                \
    {                                                                                              \
        .name = "motion_max_val", .alias = "mmxv",                                                 \
        .help = "largest score; greater ones are clipped", .type = OPTION_DOUBLE,                  \
        .flags = OPTION_NAMED, .offset = offsetof(Options, max_val), .default_value = 10000,       \
        .min = 0, .max = 10000                                                                     \
    }

/* How many frames back the difference reaches. */
static inline unsigned motion_lag(const MotionOptions *options)
{
    return options->five_frame_window ? MOTION_MAX_LAG : 1;
}

static const OptionSpec motion_option_specs[] = {
    MOTION_COMMON_OPTION_SPECS(MotionOptions),
    {.name = "motion_five_frame_window",
     .alias = "mffw",
     .help = "compare with the frame two back instead of one",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(MotionOptions, five_frame_window)},
    {.name = "motion_moving_average",
     .alias = "mma",
     .help = "average motion3 with the frame before",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED,
     .offset = offsetof(MotionOptions, moving_average)},
    {.name = "debug",
     .help = "also write integer_motion",
     .type = OPTION_BOOL,
     .offset = offsetof(MotionOptions, debug)},
    {0},
};

#endif
