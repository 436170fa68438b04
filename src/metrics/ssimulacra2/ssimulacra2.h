/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_H

#include <stdbool.h>

#include "metrics/framework/option.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

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

/* Ends with an empty entry. */
extern const OptionSpec ssimulacra2_option_specs[];

/* From samples to linear RGB. */

/* From samples to gamma-encoded R, G, B in 0 to 1. */
typedef struct Ssimulacra2Conversion {
    float unit; /* 1 / largest sample */
    float luma_offset, luma_scale, chroma_scale;
    float r_of_v, g_of_u, g_of_v, b_of_u;
} Ssimulacra2Conversion;

/* The transfer function between two of its samples. */
typedef struct Ssimulacra2Segment {
    float value, slope;
} Ssimulacra2Segment;

/* `matrix` is one of Ssimulacra2Matrix. */
Ssimulacra2Conversion ssimulacra2_conversion(int matrix, unsigned bpc);
/* The last segment begins at 1, with slope 0. */
void ssimulacra2_transfer_init(Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE]);

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
