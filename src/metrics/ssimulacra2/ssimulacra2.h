/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_H

/*
 * SSIMULACRA 2: structural similarity and edge maps of three perceptual components (XYB) at six
 * scales, pooled by weights that were fitted to opinions about compressed photographs.
 *
 * J. Sneyers, "SSIMULACRA 2 - Structural SIMilarity Unveiling Local And Compression Related
 * Artifacts", Cloudinary, 2022; revision 2.1, 2023.
 */

#include "metrics/framework/extractor.h"
#include "metrics/ssimulacra2/ssimulacra2_options.h"

extern const FeatureExtractor ssimulacra2_extractor;

#endif
