/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_SSIM_SSIM_DECIBELS_H
#define CORE_FEATURE_FLOAT_SSIM_SSIM_DECIBELS_H

#include <stdbool.h>

#include "definition/option.h"
#include "picture/format.h"

/* The options that both metrics share: rows of a table, for a struct with their members. */
#define SSIM_DECIBEL_OPTION_SPECS(Options)                                                         \
    {.name = "enable_db",                                                                          \
     .help = "write the index in decibels",                                                        \
     .type = OPTION_BOOL,                                                                          \
     .offset = offsetof(Options, enable_db)},                                                      \
    {                                                                                              \
        .name = "clip_db",                                                                         \
        .help = "limit decibels to a maximum that depends on size and bit depth",                  \
        .type = OPTION_BOOL, .offset = offsetof(Options, clip_db)                                  \
    }

/*
 * An index s in decibels, -10 log10(1 - s). Infinite for equal pictures, or, with `is_clipped`, the
 * value for a picture in which half a sample is off by one code value, rounded up.
 */
double ssim_decibels(double index, const PictureFormat *format, bool is_clipped);

#endif
