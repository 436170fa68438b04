/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_internal.h"

#include <math.h>
#include <string.h>

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

static float speed_difference(const SpeedAnalysis *ref, const SpeedAnalysis *dist,
                              unsigned n_blocks, const SpeedNoise *noise)
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

static void gather_blocks(const SpeedGeometry *g, const float *plane, float *blocks, size_t stride)
{
    for (unsigned i = 0; i < SPEED_BLOCK_SAMPLES; i++) {
        float *out = blocks + i * stride;
        for (unsigned b = 0; b < g->n_blocks; b++) {
            const unsigned y = b / g->blocks_across * SPEED_BLOCK + i / SPEED_BLOCK;
            const unsigned x = b % g->blocks_across * SPEED_BLOCK + i % SPEED_BLOCK;
            out[b] = plane[(size_t)y * g->blocks_w + x];
        }
        for (size_t b = g->n_blocks; b < stride; b++)
            out[b] = 0;
    }
}

static bool has_small_eigenvalue(const float eigenvalues[SPEED_BLOCK_SAMPLES])
{
    for (int i = 0; i < SPEED_BLOCK_SAMPLES; i++) {
        if ((double)eigenvalues[i] < SPEED_SINGULAR)
            return true;
    }
    return false;
}

/* The covariance is taken of rows that are followed by other numbers. */
static void load_plane(const SpeedGeometry *g, const float *plane, SpeedResidualScratch *residual)
{
    for (unsigned y = 0; y < g->blocks_h; y++)
        memcpy(residual->residual + y * residual->stride, plane + (size_t)y * g->blocks_w,
               g->blocks_w * sizeof(*plane));
}

/* Everything about a plane that does not depend on the noise. */
static void analyse(const SpeedPlan *plan, const SpeedGeometry *g, const float *plane,
                    SpeedScratch *scratch, SpeedAnalysis *analysis)
{
    const size_t stride = speed_block_stride(g);
    load_plane(g, plane, &scratch->residual);
    SpeedMatrix covariance;
    speed_covariance(&plan->kernels, g, scratch->residual.residual, scratch->residual.stride,
                     &covariance);
    speed_eigenvalues(&covariance, analysis->eigenvalues);
    analysis->is_singular = has_small_eigenvalue(analysis->eigenvalues);
    if (!analysis->is_singular) {
        gather_blocks(g, plane, scratch->blocks, stride);
        analysis->is_singular =
            !speed_solve(&covariance, scratch->blocks, scratch->solution, stride);
    }
    if (analysis->is_singular)
        memset(analysis->variance, 0, stride * sizeof(*analysis->variance));
    else
        speed_variances(scratch->blocks, scratch->solution, stride, analysis->variance);
}

static void compare(const SpeedPlan *plan, unsigned view, unsigned plane, SpeedScratch *scratch,
                    void *const records[])
{
    const unsigned n_blocks = plan->views[view].geometry.n_blocks;
    SpeedAnalysis *ref = &scratch->analyses[SPEED_REFERENCE];
    SpeedAnalysis *dist = &scratch->analyses[SPEED_DISTORTED];
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (!records[i] || plan->variants[i].view != view)
            continue;
        const SpeedNoise *noise = &plan->variants[i].noise;
        SpeedScores *scores = &scratch->scores[i];
        scores->degenerate[plane] = ref->is_singular || dist->is_singular;
        scores->score[plane] = 0;
        if (ref->is_singular != dist->is_singular)
            continue;
        speed_entropies(ref, n_blocks, noise);
        speed_entropies(dist, n_blocks, noise);
        scores->score[plane] = speed_difference(ref, dist, n_blocks, noise);
    }
}

void speed_condense(const void *opaque, void *opaque_scratch, void *const records[])
{
    const SpeedPlan *plan = opaque;
    SpeedScratch *scratch = opaque_scratch;
    for (unsigned v = 0; v < plan->n_views; v++) {
        const SpeedGeometry *g = &plan->views[v].geometry;
        const size_t n = speed_plane_samples(g);
        const float *planes = speed_record_of_view(plan, v, records);
        for (unsigned plane = 0; planes && plane < plan->n_planes; plane++) {
            for (int p = 0; p < SPEED_PICTURES; p++, planes += n)
                analyse(plan, g, planes, scratch, &scratch->analyses[p]);
            compare(plan, v, plane, scratch, records);
        }
    }
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (records[i])
            memcpy(records[i], &scratch->scores[i], sizeof(scratch->scores[i]));
    }
}
