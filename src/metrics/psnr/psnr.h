/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_H
#define METRICS_PSNR_PSNR_H

#include <float.h>

#include "metrics/framework/option.h"

/* Options and limits of PSNR, which library and SDK share. */

enum { PSNR_PLANES = 3 };

typedef struct PsnrOptions {
    bool enable_chroma;
    bool enable_mse;
    bool enable_apsnr;
    bool reduced_hbd_peak;
    double min_sse;
} PsnrOptions;

/* Number of planes that are computed, for pictures with or without chroma: the first ones of Y, Cb,
 * Cr. */
static inline unsigned psnr_planes(const PsnrOptions *options, bool has_chroma)
{
    return options->enable_chroma && has_chroma ? PSNR_PLANES : 1;
}

static const OptionSpec psnr_option_specs[] = {
    {.name = "enable_chroma",
     .help = "also compute Cb and Cr, if the pictures have them",
     .type = OPTION_BOOL,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(PsnrOptions, enable_chroma),
     .default_value = true},
    {.name = "enable_mse",
     .help = "also write the mean squared error of each plane",
     .type = OPTION_BOOL,
     .offset = offsetof(PsnrOptions, enable_mse)},
    {.name = "enable_apsnr",
     .help = "also write the PSNR of the whole sequence",
     .type = OPTION_BOOL,
     .offset = offsetof(PsnrOptions, enable_apsnr)},
    {.name = "reduced_hbd_peak",
     .help = "at more than 8 bits, take 255 scaled to the bit depth as the peak",
     .type = OPTION_BOOL,
     .offset = offsetof(PsnrOptions, reduced_hbd_peak)},
    {.name = "min_sse",
     .help = "if not 0, limits PSNR to that of a plane with this sum of squared errors",
     .type = OPTION_DOUBLE,
     .offset = offsetof(PsnrOptions, min_sse),
     .min = 0,
     .max = DBL_MAX},
    {0},
};

#endif
