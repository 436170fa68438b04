/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_options.h"

#include <string.h>

/* The beginning of both tables. */
#define COMMON_OPTION_SPECS                                                                        \
    {.name = "speed_kernelscale",                                                                  \
     .alias = "ks",                                                                                \
     .help = "factor on the size of both filters; one of a list, see the documentation",           \
     .type = OPTION_DOUBLE,                                                                        \
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                    \
     .offset = offsetof(SpeedOptions, speed_kernelscale),                                          \
     .default_value = 1,                                                                           \
     .min = 0.1,                                                                                   \
     .max = 4},                                                                                    \
        {.name = "speed_prescale",                                                                 \
         .alias = "ps",                                                                            \
         .help = "factor by which the planes are resized first",                                   \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale),                                         \
         .default_value = 1,                                                                       \
         .min = 0.1,                                                                               \
         .max = 4},                                                                                \
        {.name = "speed_prescale_method",                                                          \
         .alias = "psm",                                                                           \
         .help = "how: nearest, bilinear, bicubic or lanczos4",                                    \
         .type = OPTION_STRING,                                                                    \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale_method),                                  \
         .default_string = "nearest"},                                                             \
        {.name = "speed_sigma_nn",                                                                 \
         .alias = "snn",                                                                           \
         .help = "variance of the neural noise",                                                   \
         .type = OPTION_DOUBLE,                                                                    \
         .flags = OPTION_NAMED | OPTION_CONDENSE,                                                  \
         .offset = offsetof(SpeedOptions, speed_sigma_nn),                                         \
         .default_value = 0.29,                                                                    \
         .min = 0.1,                                                                               \
         .max = 2},                                                                                \
    {                                                                                              \
        .name = "speed_nn_floor", .alias = "nnf",                                                  \
        .help = "blocks with no more signal than this, relative to the noise, do not count",       \
        .type = OPTION_DOUBLE, .flags = OPTION_NAMED | OPTION_CONDENSE,                            \
        .offset = offsetof(SpeedOptions, speed_nn_floor), .min = 0, .max = 1                       \
    }

const OptionSpec speed_chroma_option_specs[] = {
    COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "largest score; greater ones are clipped",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_weight_var_mode",
     .alias = "wvm",
     .help = "which variances weigh the entropies of a block; see the documentation",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_CONDENSE,
     .offset = offsetof(SpeedOptions, speed_weight_var_mode),
     .min = 0,
     .max = 6},
    {0},
};

const OptionSpec speed_temporal_option_specs[] = {
    COMMON_OPTION_SPECS,
    {.name = "speed_max_val",
     .alias = "mxv",
     .help = "shows in the key, but has no effect on scores, as in libvmaf",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(SpeedOptions, speed_max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "speed_use_ref_diff",
     .alias = "urd",
     .help = "subtract the reference frame from the distorted one before it",
     .type = OPTION_BOOL,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(SpeedOptions, speed_use_ref_diff)},
    {0},
};

bool speed_record_shared(const SpeedOptions *a, const SpeedOptions *b)
{
    return a->speed_kernelscale == b->speed_kernelscale && a->speed_prescale == b->speed_prescale &&
           !strcmp(a->speed_prescale_method, b->speed_prescale_method) &&
           a->speed_use_ref_diff == b->speed_use_ref_diff;
}
