/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_H
#define CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_H

/*
 * ADM in binary32: the metric of feature/adm with more options and without the rounding of
 * fixed-point arithmetic. Geometry and most weights are the same.
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

#include <stdbool.h>

#include "definition/adm/adm_geometry.h"
#include "definition/adm/adm_options.h"
#include "feature/extractor.h"

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

/*
 * Sums over the evaluated window of weighted coefficients to the power of the p-norm: those of the
 * reference, of the restored signal where it is visible, and of the additive impairment where it
 * is. Each is a sum of row sums, added in order, so records do not merge.
 */
typedef struct FloatAdmRecord {
    float den[ADM_SCALES][ADM_BANDS];
    float num[ADM_SCALES][ADM_BANDS];
    float aim[ADM_SCALES][ADM_BANDS];
} FloatAdmRecord;

extern const FeatureExtractor float_adm_extractor;

#endif
