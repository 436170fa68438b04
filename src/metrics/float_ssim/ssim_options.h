/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_OPTIONS_H
#define METRICS_FLOAT_SSIM_SSIM_OPTIONS_H

#include "metrics/framework/option.h"

/* Options of float_ssim and float_ms_ssim. */

typedef struct FloatSsimOptions {
    bool enable_lcs;
    bool enable_db;
    bool clip_db;
    int scale; /* factor of reduction; 0: depends on the size of the pictures */
} FloatSsimOptions;

typedef struct FloatMsSsimOptions {
    bool enable_lcs;
    bool enable_db;
    bool clip_db;
} FloatMsSsimOptions;

/* Each ends with an empty entry. */
extern const OptionSpec float_ssim_option_specs[];
extern const OptionSpec float_ms_ssim_option_specs[];

#endif
