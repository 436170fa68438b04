/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_plan.h"

#include <errno.h>

#include "metrics/vif/vif.h"
#include "support/arena.h"

int vif_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(VifVariant), &size) || !size_add(size, sizeof(VifPlan), &size))
        return -ENOMEM;
    VifPlan *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    vif_kernels_init(&p->kernels, cpu_flags);
    p->depth = format->bpc;
    for (int scale = 0; scale < VIF_SCALES; scale++) {
        p->w[scale] = format->w[0] >> scale;
        p->h[scale] = format->h[0] >> scale;
    }
    /* Scale 3 needs two rows and columns; see VifLeftover in vif_accumulate.c. */
    if (p->w[VIF_SCALES - 1] >= 2 && p->h[VIF_SCALES - 1] >= 2)
        p->pairs = p->kernels.pairs;
    p->keeps_reference = p->pairs || (p->w[VIF_SCALES - 1] >= 2 && p->h[VIF_SCALES - 1] >= 2 &&
                                      p->kernels.gain_again);
    vif_log_bows(p->log_bows);
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const VifOptions *options = variants[i];
        p->variants[i] = (VifVariant){options->gain_limit, options->skip_scale0};
    }
    *plan = p;
    return 0;
}

/* The size of rows that are used at the same time: an odd number of cache lines, so that they do
 * not compete for the same places in a cache. */
static size_t row_stride(size_t size)
{
    return size_round_up(size, 2 * MEMORY_ALIGNMENT) + MEMORY_ALIGNMENT;
}

/* One row with room for mirrored values, which are at most 32 bytes, and padding on both sides. */
static void *arena_padded_row(Arena *arena, unsigned w, size_t element_size)
{
    enum { SIDE = VIF_PADDING };
    uint8_t *row = arena_take(arena, row_stride(w * element_size + 2 * SIDE), 1);
    return row ? row + SIDE : NULL;
}

static void lay_out_columns(VifColumnMoments *columns, unsigned w, Arena *arena)
{
    for (int i = 0; i < 2; i++)
        columns->mean[i] = arena_padded_row(arena, w, sizeof(uint16_t));
    for (int i = 0; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            columns->moment[i][half] = arena_padded_row(arena, w, sizeof(uint16_t));
}

static void lay_out_rows(VifScratch *s, const VifPlan *plan, Arena *arena)
{
    /* Products of words, which are the larger ones, occur from scale 1 for pictures of bytes. */
    const unsigned w = plan->w[0];
    size_t first = w * plan->kernels.product_size[vif_sample_type(plan->depth)];
    size_t later = plan->w[1] * plan->kernels.product_size[VIF_DEEP_WORDS];
    s->product_stride = row_stride((first > later ? first : later) + VIF_PADDING);
    for (int i = 0; i < VIF_MOMENTS; i++)
        s->products[i] = arena_take(arena, VIF_MAX_TAPS, s->product_stride);
    lay_out_columns(&s->columns, w, arena);
    s->variances.ref = arena_padded_row(arena, w, sizeof(int32_t));
    s->variances.dist = arena_padded_row(arena, w, sizeof(int32_t));
    s->variances.covariance = arena_padded_row(arena, w, sizeof(int32_t));
}

static void lay_out_pairs(VifScratch *s, const VifPlan *plan, Arena *arena)
{
    const unsigned w = plan->w[0];
    const size_t stride = row_stride(vif_joined_size(w));
    s->joined_stride = stride / sizeof(int16_t);
    s->joined = arena_take(arena, VIF_MAX_PAIRS, stride);
    for (int row = 0; row < 2; row++)
        lay_out_columns(&s->pair_columns[row], w, arena);
}

static void lay_out(VifScratch *s, const VifPlan *plan, Arena *arena)
{
    for (int scale = 1; scale < VIF_SCALES; scale++) {
        size_t row_size =
            size_round_up(plan->w[scale] * sizeof(uint16_t) + VIF_PADDING, MEMORY_ALIGNMENT);
        s->image_stride[scale] = row_size / sizeof(uint16_t);
        /* One row of scale 3 may need a second one: see vif_accumulate.c. */
        for (int i = 0; i < 2; i++)
            s->image[i][scale] = arena_take(arena, plan->h[scale] + (size_t)1, row_size);
    }
    if (plan->pairs)
        lay_out_pairs(s, plan, arena);
    else
        lay_out_rows(s, plan, arena);
    s->decimated_columns = arena_padded_row(arena, plan->w[0], sizeof(uint16_t));
    s->limits = arena_take(arena, plan->n_variants, sizeof(double));
    s->log_num = arena_take(arena, plan->n_variants, sizeof(int64_t));
    s->step_log_num = arena_take(arena, plan->n_variants, sizeof(int64_t));
}

int vif_scratch_create(void **scratch, const void *plan)
{
    VifScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(s, plan, &arena);
    if (arena_allocate(&arena)) {
        memory_free(s);
        return -ENOMEM;
    }
    lay_out(s, plan, &arena);
    s->memory = arena.block;
    *scratch = s;
    return 0;
}

void vif_scratch_make_kept(VifScratch *s, const VifPlan *plan)
{
    if (s->kept_memory || !plan->keeps_reference)
        return;
    Arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned scale = 0; scale < VIF_SCALES; scale++)
            /* Bands may cut a pair at both ends. */
            s->kept[scale].rows = arena_take(&arena, (VIF_SHARED_ROWS >> scale) + (size_t)4,
                                             vif_kept_row(plan->w[scale]));
        if (pass == 0 && arena_allocate(&arena))
            return;
    }
    s->kept_memory = arena.block;
}

void vif_scratch_destroy(void *scratch)
{
    VifScratch *s = scratch;
    if (!s)
        return;
    memory_free(s->kept_memory);
    memory_free(s->memory);
    memory_free(s);
}
