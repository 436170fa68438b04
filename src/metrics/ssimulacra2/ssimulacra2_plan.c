/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_plan.h"

#include <errno.h>

#include "metrics/ssimulacra2/ssimulacra2.h"
#include "support/memory.h"

/* -- plan -- */

int ssimulacra2_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                            unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(Ssimulacra2Conversion), &size) ||
        !size_add(size, sizeof(Ssimulacra2Plan), &size))
        return -ENOMEM;
    Ssimulacra2Plan *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    const unsigned w = format->w[0];
    p->chroma_columns = memory_alloc(w, sizeof(*p->chroma_columns));
    if (!p->chroma_columns)
        goto fail;
    for (unsigned x = 0; x < w; x++)
        p->chroma_columns[x] = (uint32_t)((uint64_t)x * format->w[1] / w);

    ssimulacra2_kernels_init(&p->kernels, cpu_flags);
    p->format = *format;
    p->sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < SSIMULACRA2_SCALES; s++)
            p->work[c][s] = ssimulacra2_work(c, s);
    }
    ssimulacra2_transfer_init(p->transfer);
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const Ssimulacra2Options *options = variants[i];
        p->variants[i] = ssimulacra2_conversion(options->yuv_matrix, format->bpc);
    }
    *plan = p;
    return 0;

fail:
    ssimulacra2_plan_destroy(p);
    return -ENOMEM;
}

void ssimulacra2_plan_destroy(void *plan)
{
    Ssimulacra2Plan *p = plan;
    if (!p)
        return;
    memory_free(p->chroma_columns);
    memory_free(p);
}

/* -- scratch -- */

/* Hands out parts of a block of floats; measures it first, with base NULL. */
typedef struct Arena {
    float *base;
    size_t used;
    bool overflow;
} Arena;

/* Aligned if `lead`, which is left free before them, and the length of the rows are. */
static float *arena_rows(Arena *arena, size_t lead, size_t rows, size_t length)
{
    size_t size;
    const size_t offset = arena->used;
    if (!size_mul(rows, length, &size) || !size_add(size, lead, &size) ||
        !size_add(offset, size, &arena->used)) {
        arena->overflow = true;
        return NULL;
    }
    return arena->base ? arena->base + offset + lead : NULL;
}

enum { FLOATS_PER_LINE = MEMORY_ALIGNMENT / sizeof(float) };

/* An odd number of cache lines, so that the rows of a band do not compete for the same. */
static size_t row_length(unsigned w)
{
    return size_round_up(w, 2 * FLOATS_PER_LINE) + FLOATS_PER_LINE;
}

static void lay_out_scale(Ssimulacra2Rows *rows, const Ssimulacra2Plan *plan, unsigned scale,
                          Arena *arena)
{
    const size_t length = row_length(plan->sizes.w[scale]);
    enum { COLUMN_ROWS = SSIMULACRA2_BLUR_REACH + 2 * SSIMULACRA2_BLUR_SECTIONS };
    rows->stride = length;
    rows->columns_size = COLUMN_ROWS * length * sizeof(float);
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 3; c++) {
            rows->rgb[i][c] = arena_rows(arena, 0, 2, length);
            rows->xyb[i][c] = arena_rows(arena, 0, SSIMULACRA2_XYB_ROWS, length);
        }
    }
    for (int c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = plan->work[c][scale];
        const int n_moments = work.ssim    ? SSIMULACRA2_MOMENTS
                              : work.edges ? SSIMULACRA2_REF_REF
                                           : 0;
        for (int i = 0; i < n_moments; i++)
            rows->columns[c][i] = arena_rows(arena, 0, COLUMN_ROWS, length);
    }
}

static void lay_out(Ssimulacra2Scratch *s, const Ssimulacra2Plan *plan, Arena *arena)
{
    for (unsigned scale = 0; scale < plan->sizes.n_scales; scale++)
        lay_out_scale(&s->scales[scale], plan, scale, arena);
    const size_t length = row_length(plan->sizes.w[0]);
    s->moments_stride = length;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            s->chroma[i][j] = arena_rows(arena, 0, 1, length);
    }
    for (int i = 0; i < 2; i++) {
        enum { BEFORE = SSIMULACRA2_BLUR_REACH, AFTER = SSIMULACRA2_BLUR_AHEAD };
        s->tiles[i] =
            arena_rows(arena, BEFORE * SSIMULACRA2_LANES, length + AFTER, SSIMULACRA2_LANES);
    }
    for (int i = 0; i < SSIMULACRA2_MOMENTS; i++)
        s->moments[i] = arena_rows(arena, 0, SSIMULACRA2_LANES, length);
    s->zeros = arena_rows(arena, 0, 1, length);
    for (int i = 0; i < SSIMULACRA2_MAP_ROWS; i++)
        s->maps[i] = (double *)arena_rows(arena, 0, 2, length);
}

int ssimulacra2_scratch_create(void **scratch, const void *plan)
{
    Ssimulacra2Scratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(s, plan, &arena);
    if (arena.overflow)
        goto fail;
    s->memory = memory_alloc_zeroed(arena.used, sizeof(float));
    if (!s->memory)
        goto fail;
    arena = (Arena){.base = s->memory};
    lay_out(s, plan, &arena);
    *scratch = s;
    return 0;

fail:
    ssimulacra2_scratch_destroy(s);
    return -ENOMEM;
}

void ssimulacra2_scratch_destroy(void *scratch)
{
    Ssimulacra2Scratch *s = scratch;
    if (!s)
        return;
    memory_free(s->memory);
    memory_free(s);
}
