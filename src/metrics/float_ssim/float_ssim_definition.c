/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/float_ssim.h"

/* The options that both metrics share: rows of a table, for a struct with their members. */
#define DECIBEL_OPTION_SPECS(Options)                                                              \
    {.name = "enable_db",                                                                          \
     .help = "write the index in decibels",                                                        \
     .type = OPTION_BOOL,                                                                          \
     .offset = offsetof(Options, enable_db)},                                                      \
    {                                                                                              \
        .name = "clip_db",                                                                         \
        .help = "limit decibels to a maximum that depends on size and bit depth",                  \
        .type = OPTION_BOOL, .offset = offsetof(Options, clip_db)                                  \
    }

const OptionSpec float_ssim_option_specs[] = {
    {.name = "enable_lcs",
     .help = "also write the means of luminance, contrast and structure",
     .type = OPTION_BOOL,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(FloatSsimOptions, enable_lcs)},
    DECIBEL_OPTION_SPECS(FloatSsimOptions),
    {.name = "scale",
     .help = "factor by which pictures are reduced first; 0 takes a 256th of the shorter side",
     .type = OPTION_INT,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(FloatSsimOptions, scale),
     .max = 10},
    {0},
};

const OptionSpec float_ms_ssim_option_specs[] = {
    {.name = "enable_lcs",
     .help = "also write the means of luminance, contrast and structure of each scale",
     .type = OPTION_BOOL,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(FloatMsSsimOptions, enable_lcs)},
    DECIBEL_OPTION_SPECS(FloatMsSsimOptions),
    {0},
};

unsigned float_ssim_factor(const FloatSsimOptions *options, unsigned w, unsigned h)
{
    if (options->scale > 0)
        return (unsigned)options->scale;
    const unsigned factor = ((w < h ? w : h) + 128) / 256;
    return factor ? factor : 1;
}
