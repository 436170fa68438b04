/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SSIMULACRA2_POOL_H
#define CORE_FEATURE_SSIMULACRA2_POOL_H

/* From sums over pixels to the score: norms, their weights, and the final curve. */

#include "picture/format.h"

enum { SSIMULACRA2_SCALES = 6 };

/* Opponent colours of the XYB space: red against green, luminance, blue. */
enum { SSIMULACRA2_X, SSIMULACRA2_Y, SSIMULACRA2_B, SSIMULACRA2_COMPONENTS };

/* Errors are pooled over the pixels of a map by their mean and by their 4-norm. Maps: structural
 * dissimilarity; added edges (ringing, blocking); lost edges (blur). */
enum {
    SSIMULACRA2_SSIM1,
    SSIMULACRA2_RING1,
    SSIMULACRA2_BLUR1,
    SSIMULACRA2_SSIM4,
    SSIMULACRA2_RING4,
    SSIMULACRA2_BLUR4,
    SSIMULACRA2_NORMS,
};

/* What a frame is reduced to: sums of a map, or of its fourth powers, in raster order. They depend
 * on that order and so do not merge. Sums that have no weight may be anything. */
typedef struct Ssimulacra2Record {
    double sum[SSIMULACRA2_COMPONENTS][SSIMULACRA2_SCALES][SSIMULACRA2_NORMS];
} Ssimulacra2Record;

/* Picture sizes of the scales that are large enough to be evaluated. */
typedef struct Ssimulacra2Sizes {
    unsigned n_scales;
    unsigned w[SSIMULACRA2_SCALES], h[SSIMULACRA2_SCALES];
} Ssimulacra2Sizes;

Ssimulacra2Sizes ssimulacra2_sizes(const PictureFormat *format);

bool ssimulacra2_has_weight(unsigned component, unsigned scale, unsigned norm);

/* Not finite if a sum with a weight is not. */
double ssimulacra2_weighted_norms(const Ssimulacra2Record *record, const Ssimulacra2Sizes *sizes);

/* 100 for no error; not bounded below. */
double ssimulacra2_score(double weighted_norms);

#endif
