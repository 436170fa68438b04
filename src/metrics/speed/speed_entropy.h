/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_ENTROPY_H
#define METRICS_SPEED_SPEED_ENTROPY_H

#include "metrics/speed/speed_matrix.h"

/* The blocks of one plane under the model of a Gaussian scale mixture: every block is a Gaussian
 * vector of the covariance of the plane, times the root of a variance of its own. */
typedef struct SpeedAnalysis {
    bool is_singular; /* the covariance is, and variances are 0 */
    float eigenvalues[SPEED_BLOCK_SAMPLES];
    float *variance; /* of each block; a multiple of 16 numbers */
    float *entropy;  /* of each block, in bits */
} SpeedAnalysis;

typedef struct SpeedNoise {
    float variance; /* of the neural noise */
    float floor;    /* signal that is too weak to count, relative to it */
    int weighting;  /* speed_weight_var_mode */
} SpeedNoise;

/* Variances from the samples of the blocks, transposed as for speed_solve(), and the solution. */
void speed_variances(const float *blocks, const float *solution, size_t stride, float *variance);

void speed_entropies(SpeedAnalysis *analysis, unsigned n_blocks, const SpeedNoise *noise);

/* Mean difference of the entropies, weighted by the variances. */
float speed_difference(const SpeedAnalysis *ref, const SpeedAnalysis *dist, unsigned n_blocks,
                       const SpeedNoise *noise);

#endif
