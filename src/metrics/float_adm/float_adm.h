/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_H

/*
 * ADM in binary32: the metric of feature/adm with more options and without the rounding of
 * fixed-point arithmetic. Geometry and most weights are the same.
 *
 * S. Li, F. Zhang, L. Ma, K. N. Ngan: "Image Quality Assessment by Separately Evaluating Detail
 * Losses and Additive Impairments", IEEE Trans. Multimedia 13(5), 2011.
 */

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm_geometry.h"
#include "metrics/float_adm/float_adm_options.h"
#include "metrics/framework/extractor.h"

extern const FeatureExtractor float_adm_extractor;

#endif
