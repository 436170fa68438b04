/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/encode_grid.h"
#include "tune/engine/choice.h"

#include <math.h>

#define AT(member) .target = offsetof(GridOptions, member)

static const TuneOption rows[] = {
    {.name = "encoder",
     .other_name = "codec",
     .argument = "NAMES",
     .type = TUNE_NAMES,
     AT(encoders),
     .help = "FFmpeg's names of encoders (libx264)"},
    {.name = "preset",
     .argument = "NAMES",
     .type = TUNE_NAMES,
     AT(presets),
     .help = "as in x264, whatever the encoder (medium)"},
    {.name = "crf",
     .argument = "LIST",
     .type = TUNE_INTEGERS,
     AT(qualities),
     .lowest = 0,
     .highest = 255,
     .help = "values of the quality knob"},
    {.name = "coarse-to-fine",
     .type = TUNE_FLAG,
     AT(coarse_to_fine),
     .help = "a coarse grid instead, and then the values around the best one"},
    {.name = "coarse-step",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(coarse_step),
     .lowest = 1,
     .highest = 255,
     .help = "between the values of the coarse grid (10)"},
    {.name = "fine-radius",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(fine_radius),
     .lowest = 0,
     .highest = 255,
     .help = "how far the fine grid goes to either side (5)"},
    {.name = "fine-step",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(fine_step),
     .lowest = 1,
     .highest = 255,
     .help = "between the values of the fine grid (1)"},
    {.name = "encoder-stats",
     .type = TUNE_FLAG,
     AT(encoder_stats),
     .help = "keep what x264 and x265 tell of their frames (enc_internal_...)"},
};

GridOptions grid_options(void)
{
    return (GridOptions){
        .coarse_step = COARSE_DEFAULT_STEP,
        .fine_radius = FINE_DEFAULT_RADIUS,
        .fine_step = FINE_DEFAULT_STEP,
        .target = NAN,
        .kbps = NAN,
    };
}

OptionGroup grid_option_group(GridOptions *options)
{
    return (OptionGroup){"Grid", rows, sizeof rows / sizeof *rows, options};
}
