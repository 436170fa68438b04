/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_plan.h"

#include <errno.h>

#include "metrics/cambi/cambi_heat_map.h"
#include "support/extremes.h"
#include "support/memory.h"

static int sampling_init(CambiSampling *sampling, const CambiGeometry *g,
                         const PictureFormat *format)
{
    const unsigned w = format->w[0], h = format->h[0];
    if (g->w == w && g->h == h)
        return 0;
    sampling->columns = memory_alloc(g->w, sizeof(uint32_t));
    sampling->rows = memory_alloc(g->h, sizeof(uint32_t));
    if (!sampling->columns || !sampling->rows)
        return -ENOMEM;
    cambi_sample_positions(sampling->columns, g->w, w);
    cambi_sample_positions(sampling->rows, g->h, h);
    return 0;
}

/* A run of pixels adds to each column the number of its pixels under the window there. */
static int trapezium_init(uint16_t **table, size_t *table_stride, unsigned window)
{
    const size_t stride = size_round_up(CAMBI_RUN_LENGTH + window + 2 * CAMBI_LANES, CAMBI_LANES);
    uint16_t *rows = memory_alloc_zeroed(CAMBI_RUN_LENGTH + 1, stride * sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    for (unsigned length = 1; length <= CAMBI_RUN_LENGTH; length++) {
        uint16_t *row = rows + length * stride + CAMBI_LANES;
        for (unsigned pixel = 0; pixel < length; pixel++) {
            for (unsigned i = 0; i < window; i++)
                row[pixel + i]++;
        }
    }
    *table = rows;
    *table_stride = stride;
    return 0;
}

static int variant_init(CambiVariant *variant, const CambiOptions *options,
                        const PictureFormat *format)
{
    if (cambi_geometry(variant->geometry, options, format->w[0], format->h[0]))
        return -EINVAL; /* was checked with the format */
    variant->smooth = cambi_smooths(options, format->bpc);
    variant->full_ref = options->full_ref;
    cambi_band_init(&variant->band, options);
    if (options->heatmaps_path)
        variant->heat_map_gain = cambi_heat_map_gain(variant->geometry[CAMBI_DIST].window,
                                                     (unsigned)options->max_log_contrast);
    for (int which = 0; which < cambi_pictures(options); which++) {
        const CambiGeometry *g = &variant->geometry[which];
        for (int scale = 0; scale < CAMBI_SCALES; scale++)
            variant->pooled[which][scale] = cambi_pooled_pixels(g, scale, options);
        int err = sampling_init(&variant->sampling[which], g, format);
        if (!err)
            err = trapezium_init(&variant->trapezium[which], &variant->trapezium_stride[which],
                                 g->window);
        if (err)
            return err;
    }
    return 0;
}

static void note_sizes(CambiPlan *plan, const CambiVariant *variant)
{
    for (int which = 0; which < (variant->full_ref ? 2 : 1); which++) {
        const CambiGeometry *g = &variant->geometry[which];
        plan->max_w = max_unsigned(plan->max_w, g->w);
        plan->max_h = max_unsigned(plan->max_h, g->h);
        plan->max_radius = max_unsigned(plan->max_radius, g->window / 2);
    }
    plan->max_count_rows = max_unsigned(
        plan->max_count_rows, variant->band.below + variant->band.n_codes + variant->band.above);
}

int cambi_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(CambiVariant), &size) ||
        !size_add(size, sizeof(CambiPlan), &size))
        return -ENOMEM;
    CambiPlan *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    cambi_kernels_init(&p->kernels, cpu_flags);
    p->format = *format;
    p->n_variants = n_variants;
    int err = 0;
    for (unsigned i = 0; i < n_variants; i++) {
        err = variant_init(&p->variants[i], variants[i], format);
        if (err)
            goto fail;
        note_sizes(p, &p->variants[i]);
    }

    const unsigned max_window = 2 * p->max_radius + 1;
    p->reciprocals = memory_alloc(max_window * max_window + 1, sizeof(float));
    if (!p->reciprocals) {
        err = -ENOMEM;
        goto fail;
    }
    cambi_reciprocals(p->reciprocals, max_window * max_window);
    *plan = p;
    return 0;

fail:
    cambi_plan_destroy(p);
    return err;
}

void cambi_plan_destroy(void *plan)
{
    CambiPlan *p = plan;
    if (!p)
        return;
    for (unsigned i = 0; i < p->n_variants; i++) {
        for (int which = 0; which < CAMBI_PICTURES; which++) {
            memory_free(p->variants[i].sampling[which].columns);
            memory_free(p->variants[i].sampling[which].rows);
            memory_free(p->variants[i].trapezium[which]);
        }
    }
    memory_free(p->reciprocals);
    memory_free(p);
}

/* NULL also if the size does not fit. */
static void *alloc_rows(size_t rows, size_t columns, size_t element_size)
{
    size_t row_size;
    return size_mul(columns, element_size, &row_size) ? memory_alloc_zeroed(rows, row_size) : NULL;
}

int cambi_scratch_create(void **scratch, const void *plan)
{
    const CambiPlan *p = plan;
    CambiScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    const size_t w = size_round_up(p->max_w, CAMBI_LANES), h = p->max_h;
    const size_t sample_size = p->format.bpc > 8 ? 2 : 1;
    const size_t half_h = h / 2 + 1;
    s->stride = w;
    s->image[0].codes = alloc_rows(h, w, sizeof(uint16_t));
    s->image[0].mask = alloc_rows(h, w, sizeof(uint8_t));
    s->image[1].codes = alloc_rows(half_h, w, sizeof(uint16_t));
    s->image[1].mask = alloc_rows(half_h, w, sizeof(uint8_t));
    s->rows = alloc_rows(3, w, sizeof(uint16_t));
    s->flat = alloc_rows(CAMBI_FLAT_ROWS + 1, w, sizeof(uint8_t));
    s->flat_sums = alloc_rows(1, w + 2 * CAMBI_LANES, sizeof(uint8_t));
    s->samples = alloc_rows(1, w, sample_size);
    s->band = alloc_rows(1, w, sizeof(uint16_t));
    s->begins = alloc_rows(1, w + 1, sizeof(uint32_t));
    s->runs = alloc_rows(2 * (size_t)p->max_radius + 1, w, sizeof(CambiRun));
    s->n_runs = alloc_rows(2 * (size_t)p->max_radius + 1, 1, sizeof(unsigned));
    s->contrasts = alloc_rows(h + 1, w, sizeof(float));

    /* An odd number of cache lines, so that rows of neighbouring codes do not compete for the same.
     */
    s->counts_margin = (unsigned)size_round_up(p->max_radius, CAMBI_LANES);
    s->counts_stride =
        size_round_up(s->counts_margin + w + p->max_radius + CAMBI_LANES, 2 * CAMBI_LANES) +
        CAMBI_LANES;
    s->counts = alloc_rows(p->max_count_rows + 1, s->counts_stride, sizeof(uint16_t));

    if (!s->image[0].codes || !s->image[0].mask || !s->image[1].codes || !s->image[1].mask ||
        !s->rows || !s->flat || !s->flat_sums || !s->samples || !s->band || !s->begins ||
        !s->runs || !s->n_runs || !s->contrasts || !s->counts) {
        cambi_scratch_destroy(s);
        return -ENOMEM;
    }
    *scratch = s;
    return 0;
}

void cambi_scratch_destroy(void *scratch)
{
    CambiScratch *s = scratch;
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        memory_free(s->image[i].codes);
        memory_free(s->image[i].mask);
    }
    memory_free(s->rows);
    memory_free(s->flat);
    memory_free(s->flat_sums);
    memory_free(s->samples);
    memory_free(s->band);
    memory_free(s->begins);
    memory_free(s->runs);
    memory_free(s->n_runs);
    memory_free(s->contrasts);
    memory_free(s->counts);
    memory_free(s);
}
