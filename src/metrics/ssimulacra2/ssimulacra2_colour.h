/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_COLOUR_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_COLOUR_H

#include "metrics/ssimulacra2/ssimulacra2_constants.h"

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

#endif
