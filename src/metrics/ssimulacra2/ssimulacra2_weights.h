/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_WEIGHTS_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_WEIGHTS_H

#include <stdbool.h>

/* Scales, and which norms of maps count how much. */

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

/* What is blurred: the means of both pictures, and their second moments. */
enum {
    SSIMULACRA2_REF,
    SSIMULACRA2_DIST,
    SSIMULACRA2_REF_REF,
    SSIMULACRA2_DIST_DIST,
    SSIMULACRA2_REF_DIST,
    SSIMULACRA2_MOMENTS,
};

/* Picture sizes of the scales that are large enough to be evaluated. */
typedef struct Ssimulacra2Sizes {
    unsigned n_scales;
    unsigned w[SSIMULACRA2_SCALES], h[SSIMULACRA2_SCALES];
} Ssimulacra2Sizes;

/* What the weights of a component at a scale ask for: the norms, as a set of 1 << norm, and what
 * they need. */
typedef struct Ssimulacra2Work {
    unsigned norms;
    bool ssim, edges;
} Ssimulacra2Work;

/* The sizes for pictures of this size. */
Ssimulacra2Sizes ssimulacra2_sizes(unsigned w, unsigned h);

/* Weights are at least 0. */
double ssimulacra2_weight(unsigned component, unsigned scale, unsigned norm);
static inline bool ssimulacra2_has_weight(unsigned component, unsigned scale, unsigned norm)
{
    return ssimulacra2_weight(component, scale, norm) > 0;
}

Ssimulacra2Work ssimulacra2_work(unsigned component, unsigned scale);

#endif
