/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_H
#define METRICS_PSNR_PSNR_H

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

/* Ends with an empty entry. */
extern const OptionSpec psnr_option_specs[];

#endif
