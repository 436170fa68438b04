/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_H
#define METRICS_ADM_ADM_H

/*
 * ADM in integer arithmetic: detail loss (DLM) and additive impairment (AIM).
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

#include "metrics/adm/adm_options.h"
#include "metrics/framework/extractor.h"

extern const FeatureExtractor adm_extractor;

#endif
