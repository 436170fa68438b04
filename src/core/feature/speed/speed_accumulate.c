/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "feature/speed/speed.h"
#include "feature/speed/speed_entropy.h"
#include "feature/speed/speed_residual.h"
#include "support/memory.h"

enum { REFERENCE, DISTORTED, PICTURES };

typedef struct SpeedVariant {
    unsigned view;
    SpeedNoise noise;
} SpeedVariant;

typedef struct SpeedPlan {
    SpeedKernels kernels;
    bool is_temporal;
    unsigned first_plane, n_planes;
    unsigned bpc;
    unsigned n_views, n_variants;
    SpeedView *views;
    SpeedVariant variants[];
} SpeedPlan;

typedef struct SpeedScratch {
    SpeedResidualScratch residual;
    float *memory;
    float *blocks, *solution; /* transposed: a row for each sample of a block */
    SpeedAnalysis analyses[PICTURES];
} SpeedScratch;

/* Blocks are worked on in groups of 16. */
static size_t block_stride(unsigned n_blocks)
{
    return size_round_up(n_blocks, 16);
}

static int find_view(SpeedPlan *plan, const SpeedOptions *const variants[], unsigned i, unsigned w,
                     unsigned h)
{
    for (unsigned earlier = 0; earlier < i; earlier++) {
        if (speed_view_shared(variants[earlier], variants[i])) {
            plan->variants[i].view = plan->variants[earlier].view;
            return 0;
        }
    }
    plan->variants[i].view = plan->n_views++;
    return speed_view_init(&plan->views[plan->variants[i].view], variants[i], w, h);
}

static int plan_create(void **out, const PictureFormat *format, const void *const variants[],
                       unsigned n_variants, unsigned cpu_flags, bool is_temporal)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(SpeedVariant), &size) ||
        !size_add(size, sizeof(SpeedPlan), &size))
        return -ENOMEM;
    SpeedPlan *plan = memory_alloc(1, size);
    if (!plan)
        return -ENOMEM;
    *plan = (SpeedPlan){
        .is_temporal = is_temporal,
        .first_plane = is_temporal ? 0 : 1,
        .n_planes = is_temporal ? 1 : 2,
        .bpc = format->bpc,
        .n_variants = n_variants,
        .views = memory_alloc_zeroed(n_variants, sizeof(*plan->views)),
    };
    if (!plan->views)
        goto fail;
    speed_kernels_init(&plan->kernels, cpu_flags);
    for (unsigned i = 0; i < n_variants; i++) {
        const SpeedOptions *options = variants[i];
        plan->variants[i].noise = (SpeedNoise){
            .variance = (float)options->speed_sigma_nn,
            .floor = (float)options->speed_nn_floor,
            .weighting = options->speed_weight_var_mode,
        };
        if (find_view(plan, (const SpeedOptions *const *)variants, i, format->w[plan->first_plane],
                      format->h[plan->first_plane]))
            goto fail;
    }
    *out = plan;
    return 0;

fail:
    speed_plan_destroy(plan);
    return -ENOMEM;
}

int speed_chroma_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags)
{
    return plan_create(plan, format, variants, n_variants, cpu_flags, false);
}

int speed_temporal_plan_create(void **plan, const PictureFormat *format,
                               const void *const variants[], unsigned n_variants,
                               unsigned cpu_flags)
{
    return plan_create(plan, format, variants, n_variants, cpu_flags, true);
}

void speed_plan_destroy(void *opaque)
{
    SpeedPlan *plan = opaque;
    if (!plan)
        return;
    for (unsigned i = 0; i < plan->n_views; i++)
        speed_view_clear(&plan->views[i]);
    memory_free(plan->views);
    memory_free(plan);
}

int speed_scratch_create(void **out, const void *opaque)
{
    const SpeedPlan *plan = opaque;
    size_t stride = 0;
    for (unsigned i = 0; i < plan->n_views; i++) {
        const size_t needed = block_stride(plan->views[i].geometry.n_blocks);
        stride = needed > stride ? needed : stride;
    }
    SpeedScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    enum { ROWS = 2 * SPEED_BLOCK_SAMPLES + 2 * PICTURES };
    float *memory = scratch->memory = memory_alloc_zeroed(ROWS * stride, sizeof(*memory));
    if (!memory || speed_residual_scratch_init(&scratch->residual, plan->views, plan->n_views)) {
        speed_scratch_destroy(scratch);
        return -ENOMEM;
    }
    scratch->blocks = memory;
    memory += SPEED_BLOCK_SAMPLES * stride;
    scratch->solution = memory;
    memory += SPEED_BLOCK_SAMPLES * stride;
    for (int p = 0; p < PICTURES; p++) {
        scratch->analyses[p].variance = memory;
        memory += stride;
        scratch->analyses[p].entropy = memory;
        memory += stride;
    }
    *out = scratch;
    return 0;
}

void speed_scratch_destroy(void *opaque)
{
    SpeedScratch *scratch = opaque;
    if (!scratch)
        return;
    speed_residual_scratch_clear(&scratch->residual);
    memory_free(scratch->memory);
    memory_free(scratch);
}

static void gather_blocks(const SpeedGeometry *g, const SpeedResidualScratch *residual,
                          float *blocks, size_t stride)
{
    for (unsigned i = 0; i < SPEED_BLOCK_SAMPLES; i++) {
        float *out = blocks + i * stride;
        for (unsigned b = 0; b < g->n_blocks; b++) {
            const unsigned y = b / g->blocks_across * SPEED_BLOCK + i / SPEED_BLOCK;
            const unsigned x = b % g->blocks_across * SPEED_BLOCK + i % SPEED_BLOCK;
            out[b] = residual->residual[y * residual->stride + x];
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

/* Everything about a plane that does not depend on the noise. */
static void analyse(const SpeedPlan *plan, const SpeedView *view, const SpeedSource *source,
                    SpeedScratch *scratch, SpeedAnalysis *analysis)
{
    const SpeedGeometry *g = &view->geometry;
    const size_t stride = block_stride(g->n_blocks);
    speed_residual(view, &plan->kernels, source, &scratch->residual);
    SpeedMatrix covariance;
    speed_covariance(&plan->kernels, g, scratch->residual.residual, scratch->residual.stride,
                     &covariance);
    speed_eigenvalues(&covariance, analysis->eigenvalues);
    analysis->is_singular = has_small_eigenvalue(analysis->eigenvalues);
    if (!analysis->is_singular) {
        gather_blocks(g, &scratch->residual, scratch->blocks, stride);
        analysis->is_singular =
            !speed_solve(&covariance, scratch->blocks, scratch->solution, stride);
    }
    if (analysis->is_singular)
        memset(analysis->variance, 0, stride * sizeof(*analysis->variance));
    else
        speed_variances(scratch->blocks, scratch->solution, stride, analysis->variance);
}

static void compare(const SpeedPlan *plan, unsigned view, unsigned plane,
                    SpeedAnalysis analyses[PICTURES], void *const records[])
{
    const unsigned n_blocks = plan->views[view].geometry.n_blocks;
    const SpeedAnalysis *ref = &analyses[REFERENCE], *dist = &analyses[DISTORTED];
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (!records[i] || plan->variants[i].view != view)
            continue;
        const SpeedNoise *noise = &plan->variants[i].noise;
        SpeedRecord *record = records[i];
        record->degenerate[plane] = ref->is_singular || dist->is_singular;
        if (ref->is_singular != dist->is_singular)
            continue;
        for (int p = 0; p < PICTURES; p++)
            speed_entropies(&analyses[p], n_blocks, noise);
        record->score[plane] = speed_difference(ref, dist, n_blocks, noise);
    }
}

static bool is_wanted(const SpeedPlan *plan, unsigned view, void *const records[])
{
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (records[i] && plan->variants[i].view == view)
            return true;
    }
    return false;
}

static SpeedSource source_of(const SpeedPlan *plan, const SpeedView *view, const FrameInput *input,
                             int picture, unsigned plane)
{
    SpeedSource source = {
        .picture = picture == REFERENCE ? input->ref : input->dist,
        .plane = plan->first_plane + plane,
        .bpc = plan->bpc,
    };
    if (plan->is_temporal) {
        source.less = picture == REFERENCE || view->use_ref_diff ? input->ref : input->dist;
        source.picture = picture == REFERENCE ? input->earlier_ref[0] : input->earlier_dist[0];
    }
    return source;
}

int speed_accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                     RowBand band, void *const records[])
{
    (void)band;
    const SpeedPlan *plan = opaque;
    SpeedScratch *scratch = opaque_scratch;
    if (plan->is_temporal && !input->earlier_ref[0])
        return 0;
    for (unsigned v = 0; v < plan->n_views; v++) {
        if (!is_wanted(plan, v, records))
            continue;
        const SpeedView *view = &plan->views[v];
        for (unsigned plane = 0; plane < plan->n_planes; plane++) {
            for (int p = 0; p < PICTURES; p++) {
                const SpeedSource source = source_of(plan, view, input, p, plane);
                analyse(plan, view, &source, scratch, &scratch->analyses[p]);
            }
            compare(plan, v, plane, scratch->analyses, records);
        }
    }
    return 0;
}
