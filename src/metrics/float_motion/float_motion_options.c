/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion.h"

const OptionSpec float_motion_option_specs[] = {
    MOTION_COMMON_OPTION_SPECS(FloatMotionOptions),
    {.name = "debug",
     .help = "also write the score of each frame before the minimum of two is taken",
     .type = OPTION_BOOL,
     .offset = offsetof(FloatMotionOptions, debug),
     .default_value = true},
    {.name = "motion_add_scale1",
     .alias = "mdc",
     .help = "add the score of the picture reduced to half its size",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatMotionOptions, motion_add_scale1)},
    {.name = "motion_filter_size",
     .alias = "mfs",
     .help = "taps of the low-pass filter: 1 for none, 3, any other number for 5",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatMotionOptions, motion_filter_size),
     .default_value = 5,
     .min = 0,
     .max = 9},
    {.name = "motion_add_uv",
     .alias = "mau",
     .help = "add the scores of Cb and Cr",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(FloatMotionOptions, motion_add_uv)},
    {0},
};

enum { FILTER_NONE = 1, FILTER_THREE = 3 };

FloatMotionFilter float_motion_filter(const FloatMotionOptions *options)
{
    static const FloatMotionFilter none = {0, {0, 0, 1, 0, 0}};
    static const FloatMotionFilter three = {1, {0, 0.166378498f, 0.667243004f, 0.166378498f, 0}};
    static const FloatMotionFilter five = {
        2, {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f}};
    if (options->motion_filter_size == FILTER_NONE)
        return none;
    return options->motion_filter_size == FILTER_THREE ? three : five;
}
