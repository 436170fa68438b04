/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SPEED_SPEED_OPTIONS_H
#define CORE_FEATURE_SPEED_SPEED_OPTIONS_H

#include "feature/extractor.h"

typedef struct SpeedOptions {
    double speed_kernelscale;
    double speed_prescale;
    const char *speed_prescale_method;
    double speed_sigma_nn;
    double speed_nn_floor;
    double speed_max_val;
    int speed_weight_var_mode; /* of speed_chroma */
    bool speed_use_ref_diff;   /* of speed_temporal */
} SpeedOptions;

/* The beginning of both extractors' option tables. */
#define SPEED_COMMON_OPTION_SPECS                                                                  \
    {.name = "speed_kernelscale",                                                                  \
     .alias = "ks",                                                                                \
     .help = "factor on the size of both filters; one of a list, see the documentation",           \
     .type = VMAF_OPTION_TYPE_DOUBLE,                                                              \
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                    \
     .offset = offsetof(SpeedOptions, speed_kernelscale),                                          \
     .default_value = 1,                                                                           \
     .min = 0.1,                                                                                   \
     .max = 4},                                                                                    \
        {.name = "speed_prescale",                                                                 \
         .alias = "ps",                                                                            \
         .help = "factor by which the planes are resized first",                                   \
         .type = VMAF_OPTION_TYPE_DOUBLE,                                                          \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale),                                         \
         .default_value = 1,                                                                       \
         .min = 0.1,                                                                               \
         .max = 4},                                                                                \
        {.name = "speed_prescale_method",                                                          \
         .alias = "psm",                                                                           \
         .help = "how: nearest, bilinear, bicubic or lanczos4",                                    \
         .type = VMAF_OPTION_TYPE_STRING,                                                          \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_prescale_method),                                  \
         .default_string = "nearest"},                                                             \
        {.name = "speed_sigma_nn",                                                                 \
         .alias = "snn",                                                                           \
         .help = "variance of the neural noise",                                                   \
         .type = VMAF_OPTION_TYPE_DOUBLE,                                                          \
         .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                                \
         .offset = offsetof(SpeedOptions, speed_sigma_nn),                                         \
         .default_value = 0.29,                                                                    \
         .min = 0.1,                                                                               \
         .max = 2},                                                                                \
    {                                                                                              \
        .name = "speed_nn_floor", .alias = "nnf",                                                  \
        .help = "blocks with no more signal than this, relative to the noise, do not count",       \
        .type = VMAF_OPTION_TYPE_DOUBLE, .flags = OPTION_NAMED | OPTION_ACCUMULATE,                \
        .offset = offsetof(SpeedOptions, speed_nn_floor), .min = 0, .max = 1                       \
    }

/* Checks that the kernel scale and the method are known. */
int speed_check_options(const void *options, Reason *why);
/* Checks the depth, and the size of the analysed planes, which the message calls `what`. */
int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why);

#endif
