/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_ADM_ADM_H
#define CORE_FEATURE_ADM_ADM_H

/*
 * ADM in integer arithmetic: detail loss (DLM) and additive impairment (AIM).
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

#include <stdbool.h>

#include "feature/extractor.h"

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

extern const FeatureExtractor adm_extractor;

#endif
