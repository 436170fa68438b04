/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_entropy.h"

#include <math.h>

#include "metrics/common/math/math_functions.h"

#define LOG2_OF_2_PI_E 4.094191170361282

enum { N = SPEED_BLOCK_SAMPLES };

void speed_variances(const float *blocks, const float *solution, size_t stride,
                     float *restrict variance)
{
    for (size_t b = 0; b < stride; b++)
        variance[b] = solution[b] * blocks[b] / N;
    for (int i = 1; i < N; i++) {
        const float *x = solution + (size_t)i * stride, *y = blocks + (size_t)i * stride;
        for (size_t b = 0; b < stride; b++)
            variance[b] += x[b] * y[b] / N;
    }
}

/* Twice the entropy of a Gaussian variable, in bits: log2(2 pi e variance). */
static double gaussian_bits(float variance)
{
    return math_log2((double)variance) + LOG2_OF_2_PI_E;
}

void speed_entropies(SpeedAnalysis *analysis, unsigned n_blocks, const SpeedNoise *noise)
{
    for (unsigned b = 0; b < n_blocks; b++) {
        float entropy = 0;
        for (int i = 0; i < N; i++) {
            const float l = analysis->eigenvalues[i];
            const float eigenvalue = l < 0 ? 0 : l;
            const float variance = eigenvalue * analysis->variance[b] + noise->variance;
            entropy = (float)((double)entropy + gaussian_bits(variance));
        }
        analysis->entropy[b] = entropy;
    }
}

typedef struct Weights {
    double ref, dist;
} Weights;

static Weights block_weights(float ref, float dist, int weighting)
{
    const double of_ref = math_log2((double)(1 + ref));
    switch (weighting) {
    case 0:
        return (Weights){of_ref, math_log2((double)(1 + dist))};
    case 1:
        return (Weights){of_ref, of_ref};
    case 2: {
        const double of_dist = math_log2((double)(1 + dist));
        return (Weights){of_dist, of_dist};
    }
    case 3: {
        const double of_mean = math_log2(1.0 + (double)(ref + dist) / 2.0);
        return (Weights){of_mean, of_mean};
    }
    case 4:
        return (Weights){of_ref, math_log2(1.0 + (double)(ref + dist) / 2.0)};
    case 5:
        return (Weights){of_ref, math_log2(1.0 + (0.75 * (double)ref + 0.25 * (double)dist))};
    default:
        return (Weights){of_ref, math_log2(1.0 + (0.25 * (double)ref + 0.75 * (double)dist))};
    }
}

float speed_difference(const SpeedAnalysis *ref, const SpeedAnalysis *dist, unsigned n_blocks,
                       const SpeedNoise *noise)
{
    const float floor_bits = (float)(N * gaussian_bits((1 + noise->floor) * noise->variance));
    float sum = 0;
    for (unsigned b = 0; b < n_blocks; b++) {
        const float e_ref = ref->entropy[b], e_dist = dist->entropy[b];
        if (e_ref < floor_bits && e_dist < floor_bits)
            continue;
        const Weights w = block_weights(ref->variance[b], dist->variance[b], noise->weighting);
        const float weighted_ref = (float)((double)e_ref * w.ref);
        const float weighted_dist = (float)((double)e_dist * w.dist);
        sum += fabsf(weighted_ref - weighted_dist);
    }
    return sum / (float)n_blocks;
}
