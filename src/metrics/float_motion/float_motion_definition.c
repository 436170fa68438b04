/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

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

FloatMotionLayout float_motion_layout(const FloatMotionOptions *options,
                                      const unsigned w[FLOAT_MOTION_PLANES],
                                      const unsigned h[FLOAT_MOTION_PLANES])
{
    FloatMotionLayout layout = {.n_planes = options->motion_add_uv ? FLOAT_MOTION_PLANES : 1};
    if (options->force_zero)
        layout.n_planes = 0;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        for (int s = 0; s < (options->motion_add_scale1 ? 2 : 1); s++) {
            layout.w[p][s] = s ? (w[p] + 1) / 2 : w[p];
            layout.h[p][s] = s ? (h[p] + 1) / 2 : h[p];
            layout.offset[p][s] = layout.n_rows;
            layout.n_rows += layout.h[p][s];
        }
    }
    return layout;
}

FloatMotionPlace float_motion_place(unsigned i, unsigned n, unsigned n_reduced)
{
    const float ratio = (float)n / (float)n_reduced;
    const float at = (float)(((double)i + 0.5) * (double)ratio - 0.5);
    const float first = floorf(at);
    return (FloatMotionPlace){(unsigned)first, (unsigned)ceilf(at), at - first};
}
