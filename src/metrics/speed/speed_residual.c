/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <limits.h>

#include "metrics/common/rows.h"
#include "metrics/speed/speed_internal.h"
#include "support/memory.h"

/* -- layout -- */

int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h)
{
    *view = (SpeedView){
        .geometry = speed_geometry(w, h, options->speed_prescale),
        .filters = speed_filters(options->speed_kernelscale),
        .use_ref_diff = options->speed_use_ref_diff,
    };
    const SpeedGeometry *g = &view->geometry;
    if (!speed_is_resized(g, options->speed_prescale))
        return 0;
    return resampler_create(&view->resampler, resample_method(options->speed_prescale_method), w, h,
                            g->scaled_w, g->scaled_h);
}

static int find_view(SpeedParams *params, const SpeedOptions *const variants[], unsigned i,
                     unsigned w, unsigned h)
{
    for (unsigned earlier = 0; earlier < i; earlier++) {
        if (speed_record_shared(variants[earlier], variants[i])) {
            params->variants[i].view = params->variants[earlier].view;
            return 0;
        }
    }
    params->variants[i].view = params->n_views++;
    return speed_view_init(&params->views[params->variants[i].view], variants[i], w, h);
}

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags, bool is_temporal)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(SpeedVariant), &size) ||
        !size_add(size, sizeof(SpeedParams), &size))
        return -ENOMEM;
    SpeedParams *params = memory_alloc(1, size);
    if (!params)
        return -ENOMEM;
    *params = (SpeedParams){
        .is_temporal = is_temporal,
        .first_plane = is_temporal ? 0 : 1,
        .n_planes = is_temporal ? 1 : 2,
        .bpc = format->bpc,
        .n_variants = n_variants,
        .views = memory_alloc_zeroed(n_variants, sizeof(*params->views)),
    };
    if (!params->views)
        goto fail;
    speed_functions_init(&params->functions, cpu_flags);
    for (unsigned i = 0; i < n_variants; i++) {
        const SpeedOptions *options = variants[i];
        params->variants[i].noise = (SpeedNoise){
            .variance = (float)options->speed_sigma_nn,
            .floor = (float)options->speed_nn_floor,
            .weighting = options->speed_weight_var_mode,
        };
        if (find_view(params, (const SpeedOptions *const *)variants, i,
                      format->w[params->first_plane], format->h[params->first_plane]))
            goto fail;
    }
    *out = params;
    return 0;

fail:
    speed_params_destroy(params);
    return -ENOMEM;
}

int speed_chroma_plan_create(void **params, const PictureFormat *format,
                             const void *const variants[], unsigned n_variants, unsigned cpu_flags)
{
    return params_create(params, format, variants, n_variants, cpu_flags, false);
}

int speed_temporal_plan_create(void **params, const PictureFormat *format,
                               const void *const variants[], unsigned n_variants,
                               unsigned cpu_flags)
{
    return params_create(params, format, variants, n_variants, cpu_flags, true);
}

void speed_params_destroy(void *opaque)
{
    SpeedParams *params = opaque;
    if (!params)
        return;
    for (unsigned i = 0; i < params->n_views; i++)
        resampler_destroy(params->views[i].resampler);
    memory_free(params->views);
    memory_free(params);
}

int speed_scratch_create(void **out, const void *opaque)
{
    const SpeedParams *params = opaque;
    size_t stride = 0;
    for (unsigned i = 0; i < params->n_views; i++) {
        const size_t needed = speed_block_stride(&params->views[i].geometry);
        stride = needed > stride ? needed : stride;
    }
    SpeedScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    enum { ROWS = 2 * SPEED_BLOCK_SAMPLES + 2 * SPEED_PICTURES };
    float *memory = scratch->memory = memory_alloc_zeroed(ROWS * stride, sizeof(*memory));
    scratch->scores = memory_alloc_zeroed(params->n_variants, sizeof(*scratch->scores));
    if (!memory || !scratch->scores ||
        speed_residual_scratch_init(&scratch->residual, params->views, params->n_views)) {
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
    memory_free(scratch->residual.memory);
    memory_free(scratch->scores);
    memory_free(scratch->memory);
    memory_free(scratch);
}

void *speed_record_of_view(const SpeedParams *params, unsigned view, void *const records[])
{
    for (unsigned i = 0; i < params->n_variants; i++) {
        if (records[i] && params->variants[i].view == view)
            return records[i];
    }
    return NULL;
}

/* -- residuals -- */

enum {
    MARGIN = 32,      /* samples before and after a row that is filtered */
    INPUT_SLOTS = 16, /* RESAMPLE_MAX_TAPS neighbouring rows do not share one */
    NO_ROW = UINT_MAX,
};

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

int speed_residual_scratch_init(SpeedResidualScratch *scratch, const SpeedView views[],
                                unsigned n_views)
{
    unsigned w = 0, scaled_w = 0, decimated_w = 0, decimated_h = 0;
    for (unsigned i = 0; i < n_views; i++) {
        const SpeedGeometry *g = &views[i].geometry;
        w = larger(w, g->w);
        scaled_w = larger(scaled_w, g->scaled_w);
        decimated_w = larger(decimated_w, g->decimated_w);
        decimated_h = larger(decimated_h, g->decimated_h);
    }
    const size_t input_stride = size_round_up(larger(w, scaled_w), MARGIN);
    const size_t stride = size_round_up((size_t)decimated_w + SPEED_BLOCK, MARGIN);
    const size_t n_input = INPUT_SLOTS * input_stride;
    const size_t n_scaled = SPEED_MAX_LOW_PASS_TAPS * input_stride;
    const size_t n_columns = input_stride + 2 * MARGIN;
    const size_t n_decimated = stride * decimated_h;
    *scratch = (SpeedResidualScratch){.stride = stride};
    float *memory =
        memory_alloc_zeroed(n_input + n_scaled + n_columns + 2 * n_decimated, sizeof(*memory));
    if (!memory)
        return -ENOMEM;
    scratch->memory = memory;
    scratch->input = (SpeedRowCache){.rows = memory, .stride = input_stride};
    memory += n_input;
    scratch->scaled = (SpeedRowCache){.rows = memory, .stride = input_stride};
    memory += n_scaled;
    scratch->columns = memory + MARGIN;
    memory += n_columns;
    scratch->decimated = memory;
    scratch->residual = memory + n_decimated;
    return 0;
}

static void cache_reset(SpeedRowCache *cache, unsigned n_slots)
{
    cache->n_slots = n_slots;
    for (unsigned i = 0; i < n_slots; i++)
        cache->numbers[i] = NO_ROW;
}

/* The memory of row y; `is_new` if it has to be filled. */
static float *cache_row(SpeedRowCache *cache, unsigned y, bool *is_new)
{
    const unsigned slot = y % cache->n_slots;
    *is_new = cache->numbers[slot] != y;
    cache->numbers[slot] = y;
    return cache->rows + slot * cache->stride;
}

static const void *source_row(const VmafPicture *picture, unsigned plane, unsigned y)
{
    return (const char *)picture->data[plane] + (ptrdiff_t)y * picture->stride[plane];
}

static void load_row(const SpeedFunctions *functions, const SpeedSource *source, unsigned y,
                     float *out, unsigned w)
{
    const void *samples = source_row(source->picture, source->plane, y);
    const float factor = 1.0f / (float)(1u << (source->bpc - 8));
    const bool deep = source->bpc > 8;
    if (source->less)
        functions->load_differences(samples, source_row(source->less, source->plane, y), deep,
                                    factor, out, w);
    else
        functions->load_samples(samples, deep, factor, out, w);
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* A plane that is not resized may still lose or gain a column or row, by a factor next to 1. */
static void crop_row(const SpeedFunctions *functions, const SpeedGeometry *g,
                     const SpeedSource *source, unsigned y, float *out)
{
    load_row(functions, source, smaller(y, g->h - 1), out, smaller(g->w, g->scaled_w));
    for (unsigned x = g->w; x < g->scaled_w; x++)
        out[x] = out[g->w - 1];
}

static void resample_row(const SpeedView *view, const SpeedFunctions *functions,
                         const SpeedSource *source, SpeedResidualScratch *scratch, unsigned y,
                         float *out)
{
    unsigned numbers[RESAMPLE_MAX_TAPS];
    const float *rows[RESAMPLE_MAX_TAPS];
    const unsigned n_rows = resampler_input_rows(view->resampler, y, numbers);
    for (unsigned i = 0; i < n_rows; i++) {
        bool is_new;
        float *row = cache_row(&scratch->input, numbers[i], &is_new);
        if (is_new)
            load_row(functions, source, numbers[i], row, view->geometry.w);
        rows[i] = row;
    }
    resampler_row(view->resampler, y, rows, out);
}

static const float *scaled_row(const SpeedView *view, const SpeedFunctions *functions,
                               const SpeedSource *source, SpeedResidualScratch *scratch, unsigned y)
{
    bool is_new;
    float *row = cache_row(&scratch->scaled, y, &is_new);
    if (is_new && view->resampler)
        resample_row(view, functions, source, scratch, y, row);
    else if (is_new)
        crop_row(functions, &view->geometry, source, y, row);
    return row;
}

static void mirror_ends(float *row, unsigned w, int radius)
{
    const int last = (int)w - 1;
    for (int k = 1; k <= radius; k++) {
        row[-k] = row[mirror_whole_sample(-k, w)];
        row[last + k] = row[mirror_whole_sample(last + k, w)];
    }
}

static float weigh(const float *samples, const float taps[], int n_taps)
{
    float sum = 0;
    for (int i = 0; i < n_taps; i++)
        sum += taps[i] * samples[i];
    return sum;
}

static void decimate(const SpeedView *view, const SpeedFunctions *functions,
                     const SpeedSource *source, SpeedResidualScratch *scratch)
{
    const SpeedGeometry *g = &view->geometry;
    const int n_taps = view->filters.n_low_pass, radius = n_taps / 2;
    cache_reset(&scratch->input, INPUT_SLOTS);
    cache_reset(&scratch->scaled, (unsigned)n_taps);
    for (unsigned y = 0; y < g->decimated_h; y++) {
        const float *rows[SPEED_MAX_LOW_PASS_TAPS];
        const int first = (int)(SPEED_DECIMATION * y) - radius;
        for (int j = 0; j < n_taps; j++)
            rows[j] = scaled_row(view, functions, source, scratch,
                                 mirror_whole_sample(first + j, g->scaled_h));
        functions->weigh_rows(rows, view->filters.low_pass, n_taps, scratch->columns, g->scaled_w);
        mirror_ends(scratch->columns, g->scaled_w, radius);
        float *out = scratch->decimated + y * scratch->stride;
        for (unsigned x = 0; x < g->decimated_w; x++)
            out[x] = weigh(scratch->columns + SPEED_DECIMATION * x - radius, view->filters.low_pass,
                           n_taps);
    }
}

static void subtract_local_mean(const SpeedView *view, const SpeedFunctions *functions,
                                SpeedResidualScratch *scratch)
{
    const unsigned w = view->geometry.decimated_w, h = view->geometry.decimated_h;
    const int n_taps = view->filters.n_local_mean, radius = n_taps / 2;
    for (unsigned y = 0; y < h; y++) {
        const float *rows[SPEED_MAX_LOCAL_MEAN_TAPS];
        for (int j = 0; j < n_taps; j++)
            rows[j] =
                scratch->decimated + mirror_whole_sample((int)y - radius + j, h) * scratch->stride;
        functions->weigh_rows(rows, view->filters.local_mean, n_taps, scratch->columns, w);
        mirror_ends(scratch->columns, w, radius);
        const float *in = scratch->decimated + y * scratch->stride;
        float *out = scratch->residual + y * scratch->stride;
        for (unsigned x = 0; x < w; x++)
            out[x] = in[x] - weigh(scratch->columns + x - radius, view->filters.local_mean, n_taps);
    }
}

void speed_residual(const SpeedView *view, const SpeedFunctions *functions,
                    const SpeedSource *source, SpeedResidualScratch *scratch)
{
    decimate(view, functions, source, scratch);
    subtract_local_mean(view, functions, scratch);
}
