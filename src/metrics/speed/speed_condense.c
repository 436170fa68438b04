/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/speed/speed_plan.h"

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
