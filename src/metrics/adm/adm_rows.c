/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_rows.h"

#include <errno.h>

#include "metrics/adm/adm_accumulate.h"
#include "metrics/adm/adm_csf.h"
#include "support/arena.h"

int adm_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                    unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(AdmVariant), &size) || !size_add(size, sizeof(AdmPlan), &size))
        return -ENOMEM;
    AdmPlan *plan = memory_alloc_zeroed(1, size);
    if (!plan)
        return -ENOMEM;

    plan->bpc = format->bpc;
    plan->n_variants = n_variants;
    adm_kernels_init(&plan->kernels, cpu_flags);
    adm_axes_init(plan->columns, (int)format->w[0]);
    adm_axes_init(plan->rows, (int)format->h[0]);
    AdmRange all[ADM_SCALES];
    for (int s = 0; s < ADM_SCALES; s++) {
        all[s] = (AdmRange){0, plan->columns[s].size};
        plan->shifts[s] = adm_shifts_init(s, &plan->columns[s], &plan->rows[s]);
    }
    adm_cone_init(plan->column_cone, plan->columns, all);

    for (unsigned i = 0; i < n_variants; i++) {
        const AdmOptions *options = variants[i];
        AdmVariant *variant = &plan->variants[i];
        const AdmViewing viewing = adm_viewing(options);
        variant->gain_limit = options->enhn_gain_limit;
        variant->skip_aim = options->skip_aim;
        variant->skip_scale0 = options->skip_scale0;
        for (int s = 0; s < ADM_SCALES; s++)
            adm_csf_fixed_point(&viewing, s, variant->weights[s]);
    }
    *out = plan;
    return 0;
}

static size_t row_margin(size_t element_size)
{
    return size_round_up(ADM_ROW_MARGIN * element_size, MEMORY_ALIGNMENT);
}

static void *arena_take_row(Arena *arena, int columns, size_t element_size)
{
    const size_t margin = row_margin(element_size);
    uint8_t *row = arena_take(arena, (size_t)columns * element_size + 2 * margin, 1);
    return row ? row + margin : NULL;
}

static void masking_rows_layout(MaskingRows *rows, Arena *arena, int columns, size_t element_size)
{
    for (int signal = 0; signal < SIGNALS; signal++) {
        for (int i = 0; i < SIGNAL_RING; i++) {
            for (int b = 0; b < ADM_BANDS; b++)
                rows->signal[signal][i][b] = arena_take_row(arena, columns, element_size);
            rows->centre[signal][i] = arena_take_row(arena, columns, sizeof(int32_t));
        }
        for (int i = 0; i < NEIGHBOUR_RING; i++)
            rows->neighbours[signal][i] = arena_take_row(arena, columns, sizeof(int32_t));
    }
}

static void scratch_layout(AdmScratch *scratch, Arena *arena, const AdmPlan *plan)
{
    for (int s = 0; s < ADM_SCALES; s++) {
        ScaleRows *scale = &scratch->scale[s];
        const int columns = plan->columns[s].size;
        for (int picture = 0; picture < PICTURES; picture++)
            for (int i = 0; i < APPROX_RING; i++)
                scale->approx[picture][i] = arena_take_row(arena, columns, coefficient_size(s));
        scale->masking = arena_take(arena, plan->n_variants, sizeof(MaskingRows));
        for (unsigned v = 0; v < plan->n_variants; v++) {
            MaskingRows counted;
            masking_rows_layout(scale->masking ? &scale->masking[v] : &counted, arena, columns,
                                coefficient_size(s));
        }
    }
    /* Rows that live no longer than the making of one row are shared by all scales. */
    const int columns = plan->columns[0].size;
    for (int picture = 0; picture < PICTURES; picture++)
        for (int b = 0; b < ADM_BANDS; b++)
            scratch->detail[picture][b] = arena_take_row(arena, columns, sizeof(int32_t));
    scratch->masking_workspace = arena_take_row(arena, columns, sizeof(int32_t));
    scratch->wavelet_workspace =
        arena_take(arena, adm_wavelet_workspace(plan->columns[0].input), 1);
}

int adm_scratch_create(void **out, const void *plan)
{
    AdmScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    Arena arena = {0};
    scratch_layout(scratch, &arena, plan);
    if (arena_allocate(&arena)) {
        memory_free(scratch);
        return -ENOMEM;
    }
    scratch_layout(scratch, &arena, plan);
    scratch->memory = arena.block;
    *out = scratch;
    return 0;
}

/* Rows of detail that a band of ADM_SHARED_ROWS needs: its own, and some around them. */
static int kept_rows(int scale)
{
    return (ADM_SHARED_ROWS >> (scale + 1)) + 8;
}

static void kept_layout(AdmScratch *scratch, Arena *arena, const AdmPlan *plan)
{
    for (int s = 0; s < ADM_SCALES; s++) {
        KeptScale *kept = &scratch->kept[s];
        const size_t margin = row_margin(coefficient_size(s));
        kept->stride = size_round_up(
            (size_t)plan->columns[s].size * coefficient_size(s) + 2 * margin, MEMORY_ALIGNMENT);
        for (int b = 0; b < ADM_BANDS; b++) {
            uint8_t *rows = arena_take(arena, (size_t)kept_rows(s), kept->stride);
            kept->rows[b] = rows ? rows + margin : NULL;
        }
    }
}

void adm_make_kept(AdmScratch *scratch, const AdmPlan *plan)
{
    if (scratch->kept_memory)
        return;
    Arena arena = {0};
    kept_layout(scratch, &arena, plan);
    if (arena_allocate(&arena))
        return;
    kept_layout(scratch, &arena, plan);
    scratch->kept_memory = arena.block;
}

void adm_scratch_destroy(void *opaque)
{
    AdmScratch *scratch = opaque;
    if (!scratch)
        return;
    memory_free(scratch->kept_memory);
    memory_free(scratch->memory);
    memory_free(scratch);
}
