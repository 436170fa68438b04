/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_H

#include "metrics/adm/adm.h"
#include "metrics/adm/adm_kernel.h"

/* Options of float_adm; limits of pictures are those of ADM. */

typedef struct FloatAdmOptions {
    bool debug;
    double enhn_gain_limit;
    double norm_view_dist; /* in display heights */
    double noise_weight;
    double csf_scale, csf_diag_scale;
    int ref_display_height; /* in lines */
    int csf_mode;           /* 1 Barten, 2 Li et al., others Watson */
    int bypass_cm;          /* not 0: no masking */
    bool adm3_apply_hm;
    double p_norm;
    double dlm_weight;
    double min_val;
    /* Weights of bands h and v, and of band d; negative: the contrast sensitivity. */
    double hv_weight[ADM_SCALES], diagonal_weight[ADM_SCALES];
    int skip_aim_scale; /* -1: none */
    bool skip_scale0;
} FloatAdmOptions;

/* Ends with an empty entry. */
extern const OptionSpec float_adm_option_specs[];

/* Weights of bands h, v and d of a scale from 0 (finest): what the options say, or else the
 * contrast sensitivity. */
void float_adm_weights(const FloatAdmOptions *options, int scale, float weights[ADM_BANDS]);

#endif
