/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_H
#define METRICS_VIF_VIF_H

/*
 * Visual information fidelity of luma in fixed-point arithmetic, at four scales: the pixel-domain
 * form of H. R. Sheikh and A. C. Bovik, "Image information and visual quality", IEEE Transactions
 * on Image Processing 15(2), 2006.
 */

#include "metrics/framework/extractor.h"
#include "metrics/vif/vif_options.h"

extern const FeatureExtractor vif_extractor;

#endif
