/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef DEFINITION_PSNR_PSNR_OPTIONS_H
#define DEFINITION_PSNR_PSNR_OPTIONS_H

#include "definition/option.h"

/* What may be asked of PSNR. */

enum { PSNR_PLANES = 3 };

typedef struct PsnrOptions {
    bool enable_chroma;
    bool enable_mse;
    bool enable_apsnr;
    bool reduced_hbd_peak;
    double min_sse;
} PsnrOptions;

/* Number of planes that are computed, of pictures with chroma or without: the first so many of Y,
 * Cb, Cr. */
static inline unsigned psnr_planes(const PsnrOptions *options, bool has_chroma)
{
    return options->enable_chroma && has_chroma ? PSNR_PLANES : 1;
}

/* Ends with an empty entry. */
extern const OptionSpec psnr_option_specs[];

#endif
