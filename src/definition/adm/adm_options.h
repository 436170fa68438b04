/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef DEFINITION_ADM_ADM_OPTIONS_H
#define DEFINITION_ADM_ADM_OPTIONS_H

#include "definition/option.h"

/* What may be asked of ADM. */

enum {
    ADM_MIN_SIZE = 17, /* the coarsest scale needs two coefficients in each direction */
    ADM_MIN_DEPTH = 8,
    ADM_MAX_DEPTH = 16,
};

/* Viewing distance in display heights, times lines of the display: what is usual, and the least,
 * which is the same. */
#define ADM_USUAL_RESOLUTION (3.0 * 1080.0)
#define ADM_MIN_RESOLUTION   ADM_USUAL_RESOLUTION

typedef struct AdmOptions {
    bool debug;
    double csf_scale, csf_diag_scale;
    double dlm_weight;
    double enhn_gain_limit;
    double norm_view_dist;  /* in display heights */
    int ref_display_height; /* in lines */
    int csf_mode;           /* AdmCsfMode */
    double noise_weight;
    bool skip_aim, skip_scale0;
    double min_val;
} AdmOptions;

/* Ends with an empty entry. */
extern const OptionSpec adm_option_specs[];

#endif
