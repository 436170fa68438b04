/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_OPTIONS_H
#define METRICS_CAMBI_CAMBI_OPTIONS_H

#include "metrics/framework/option.h"

/* Options of CAMBI. */

typedef struct CambiOptions {
    double max_val;
    int enc_width, enc_height; /* 0: as the picture */
    int enc_bitdepth;          /* 0: as the picture */
    int src_width, src_height; /* 0: as the picture */
    int window_size;
    double topk, cambi_topk;
    double tvi_threshold;
    double vis_lum_threshold;
    int max_log_contrast;
    const char *heatmaps_path; /* NULL: none */
    bool full_ref;
    const char *eotf, *cambi_eotf;
    int high_res_speedup;
} CambiOptions;

/* The effective transfer function: `cambi_eotf`, or `eotf` if that has its default. */
const char *cambi_eotf_name(const CambiOptions *options);

/* True if dithering is smoothed away, in a video of that bit depth. */
static inline bool cambi_smooths(const CambiOptions *options, unsigned bpc)
{
    return (options->enc_bitdepth ? (unsigned)options->enc_bitdepth : bpc) < 10;
}

/* Ends with an empty entry. */
extern const OptionSpec cambi_option_specs[];

#endif
