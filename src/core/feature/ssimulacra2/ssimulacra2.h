/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SSIMULACRA2_SSIMULACRA2_H
#define CORE_FEATURE_SSIMULACRA2_SSIMULACRA2_H

/*
 * SSIMULACRA 2: structural similarity and edge maps of three perceptual components (XYB) at six
 * scales, pooled by weights that were fitted to opinions about compressed photographs.
 *
 * J. Sneyers, "SSIMULACRA 2 - Structural SIMilarity Unveiling Local And Compression Related
 * Artifacts", Cloudinary, 2022; revision 2.1, 2023.
 */

#include "feature/extractor.h"

typedef struct Ssimulacra2Options {
    int yuv_matrix; /* Ssimulacra2Matrix */
} Ssimulacra2Options;

/* How samples encode colour. */
enum Ssimulacra2Matrix {
    SSIMULACRA2_BT709_LIMITED,
    SSIMULACRA2_BT601_LIMITED,
    SSIMULACRA2_BT709_FULL,
    SSIMULACRA2_BT601_FULL,
};

extern const FeatureExtractor ssimulacra2_extractor;

#endif
