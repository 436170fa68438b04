/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_plan.h"

#include <errno.h>

#include "support/memory.h"

static int find_view(SpeedPlan *plan, const SpeedOptions *const variants[], unsigned i, unsigned w,
                     unsigned h)
{
    for (unsigned earlier = 0; earlier < i; earlier++) {
        if (speed_record_shared(variants[earlier], variants[i])) {
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
        const size_t needed = speed_block_stride(&plan->views[i].geometry);
        stride = needed > stride ? needed : stride;
    }
    SpeedScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    enum { ROWS = 2 * SPEED_BLOCK_SAMPLES + 2 * SPEED_PICTURES };
    float *memory = scratch->memory = memory_alloc_zeroed(ROWS * stride, sizeof(*memory));
    scratch->scores = memory_alloc_zeroed(plan->n_variants, sizeof(*scratch->scores));
    if (!memory || !scratch->scores ||
        speed_residual_scratch_init(&scratch->residual, plan->views, plan->n_views)) {
        speed_scratch_destroy(scratch);
        return -ENOMEM;
    }
    scratch->blocks = memory;
    memory += SPEED_BLOCK_SAMPLES * stride;
    scratch->solution = memory;
    memory += SPEED_BLOCK_SAMPLES * stride;
    for (int p = 0; p < SPEED_PICTURES; p++) {
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
    memory_free(scratch->scores);
    memory_free(scratch->memory);
    memory_free(scratch);
}

void *speed_record_of_view(const SpeedPlan *plan, unsigned view, void *const records[])
{
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (records[i] && plan->variants[i].view == view)
            return records[i];
    }
    return NULL;
}
