/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion.h"

const OptionSpec motion_option_specs[] = {
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
