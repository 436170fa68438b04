/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "adm_plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "kernel_set.h"

enum {
    LUMA_MIN = 17,       /* the coarsest scale needs two positions in each direction */
    GROUPS_MAX = 65535,  /* in each direction, of any device */
    ROW_ALIGNMENT = 32,  /* elements of an approximation */
    TILE_ALIGNMENT = 16, /* positions: rows of tiles begin where memory is loaded from */
    BANDS = 3,
    DEN = 0,
    NUM = 1,
    AIM = 2,
};

static const uint64_t binding_max = UINT64_C(1) << 27;

/* -- one direction, columns or rows -- */

typedef struct Range {
    int32_t begin, end;
} Range;

typedef struct Axis {
    int32_t source; /* samples that the wavelet reads */
    int32_t size;   /* positions of the bands: half of it, rounded up */
    Range window;   /* positions that are evaluated: about the central 80 % */
    Range tiled;    /* those and what the next scale reads */
} Axis;

static Range hull(Range a, Range b)
{
    return (Range){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

static void plan_axis(Axis axes[VMAF_ADM_SCALES], int32_t samples)
{
    int32_t source = samples;
    for (int s = 0; s < VMAF_ADM_SCALES; s++) {
        const int32_t size = source - source / 2;
        const int32_t border = size > 5 ? (size - 5) / 10 : 0;
        axes[s] = (Axis){.source = source, .size = size, .window = {border, size - border}};
        axes[s].tiled = axes[s].window;
        source = size;
    }
    for (int s = VMAF_ADM_SCALES - 1; s > 0; s--) {
        /* A tile has a border of one position; positions [begin, end) read samples
         * [2 begin - 1, 2 end + 1), which are positions of the scale before. */
        const Range window = axes[s].window;
        const Range read = hull((Range){window.begin - 1, window.end + 1}, axes[s].tiled);
        const int32_t begin = 2 * read.begin - 1, end = 2 * read.end + 1;
        const Range needed = {begin > 0 ? begin : 0, end < axes[s].source ? end : axes[s].source};
        axes[s - 1].tiled = hull(axes[s - 1].window, needed);
    }
}

static int32_t length(Range range)
{
    return range.end - range.begin;
}

static int32_t ceil_log2(uint64_t n)
{
    int32_t k = 0;
    while (UINT64_C(1) << k < n) {
        k++;
    }
    return k;
}

static uint32_t ceil_div(int32_t a, int32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static int32_t round_up(int32_t a, int32_t multiple)
{
    return (a + multiple - 1) / multiple * multiple;
}

/* -- scales -- */

static int32_t den_row_shift(int scale, const adm_scale_args *args)
{
    const uint64_t columns = (uint64_t)(args->window_x1 - args->window_x0);
    const uint64_t rows = (uint64_t)(args->window_y1 - args->window_y0);
    if (scale > 0) {
        return ceil_log2(rows);
    }
    const int32_t area = ceil_log2(columns * rows);
    return area > 20 ? area - 20 : 0;
}

static adm_variant variant_of(const VmafAdmOptions *options, int scale)
{
    const VmafAdmWeights weights = vmaf_adm_weights(options, scale);
    const double limit = options->enhn_gain_limit;
    adm_variant variant = {.weight_hv = weights.hv, .weight_d = weights.d};
    if (limit == floor(limit)) {
        variant.gain_factor = (uint32_t)limit;
        return variant;
    }
    int exponent;
    const double fraction = frexp(limit, &exponent);
    variant.gain_mantissa = (uint64_t)ldexp(fraction, 53);
    variant.gain_shift = 21 - exponent;
    return variant;
}

static bool skips(const VmafAdmOptions *options, int scale)
{
    return scale == 0 && options->skip_scale0;
}

/* The number of the variant among those of the scale; n_variants if it is not there. */
static uint32_t find_variant(const VmafAdmScale *scale, const adm_variant *variant)
{
    uint32_t v = 0;
    while (v < scale->n_variants && memcmp(&scale->args.variants[v], variant, sizeof(*variant))) {
        v++;
    }
    return v;
}

/* Lists the variants that are evaluated at a scale; there may be none. */
static int plan_variants(VmafAdmScale *scale, int s, const VmafAdmOptions options[], uint32_t n)
{
    uint32_t wants_aim = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (skips(&options[i], s)) {
            continue;
        }
        const adm_variant variant = variant_of(&options[i], s);
        const uint32_t v = find_variant(scale, &variant);
        if (v == ADM_MAX_VARIANTS) {
            return -E2BIG;
        }
        if (v == scale->n_variants) {
            scale->args.variants[scale->n_variants++] = variant;
        }
        wants_aim |= options[i].skip_aim ? 0 : 1u << v;
    }
    scale->args.skip_aim = ~wants_aim;
    return 0;
}

static int32_t approx_stride(const Axis *columns)
{
    return round_up(columns->size, ROW_ALIGNMENT);
}

/* Bytes of the approximations of both pictures that a scale leaves. */
static uint64_t approx_size(int scale, const Axis *columns, const Axis *rows)
{
    const uint64_t element = scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
    return 2 * element * (uint64_t)approx_stride(columns) * (uint64_t)rows->size;
}

static int plan_scale(VmafAdmScale *scale, int s, const Axis *columns, const Axis *rows,
                      const VmafAdmOptions options[], uint32_t n)
{
    static const int32_t vertical[] = {0, 0, 16, 16}, horizontal[] = {16, 15, 16, 15};
    const int32_t tile_rows = s == 0 ? ADM_LUMA_TILE_ROWS : ADM_COARSE_TILE_ROWS;
    const int32_t first_x = columns->tiled.begin / TILE_ALIGNMENT * TILE_ALIGNMENT;
    const int32_t log_columns = ceil_log2((uint64_t)columns->size);
    const bool last = s == VMAF_ADM_SCALES - 1;
    adm_scale_args *args = &scale->args;
    *args = (adm_scale_args){
        .w = columns->source,
        .h = rows->source,
        .first_x = first_x,
        .first_y = rows->tiled.begin,
        .approx_stride = last ? 0 : approx_stride(columns),
        .approx_dist = last ? 0 : approx_stride(columns) * rows->size,
        .vertical = vertical[s],
        .horizontal = horizontal[s],
        .den_square = s == 2 ? 30 : 31,
        .den_term = ceil_log2((uint64_t)length(columns->window)),
        .term_hv = s == 0 ? log_columns - 4 : log_columns,
        .term_d = s == 0 ? log_columns - 3 : log_columns,
    };
    const int error = plan_variants(scale, s, options, n);
    scale->groups[0] = ceil_div(columns->tiled.end - first_x, ADM_TILE_COLUMNS);
    scale->groups[1] = ceil_div(length(rows->tiled), tile_rows);
    scale->groups[2] = 1;
    scale->n_partials = 1;
    if (error || scale->n_variants == 0) {
        return error;
    }
    args->window_x0 = columns->window.begin;
    args->window_x1 = columns->window.end;
    args->window_y0 = rows->window.begin;
    args->window_y1 = rows->window.end;
    args->partial_columns = (args->window_x1 - 1 - first_x) / ADM_TILE_COLUMNS -
                            (args->window_x0 - first_x) / ADM_TILE_COLUMNS + 1;
    scale->n_partials = ADM_SUMS(scale->n_variants) * (uint32_t)args->partial_columns *
                        (uint32_t)length(rows->window);
    return 0;
}

static int check(const VmafAdmGeometry *geometry, const VmafAdmOptions options[], uint32_t n)
{
    const uint32_t bytes = geometry->depth > 8 ? 2 : 1;
    if (geometry->w < LUMA_MIN || geometry->h < LUMA_MIN || geometry->depth < 8 ||
        geometry->depth > 16) {
        return -EINVAL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!(options[i].enhn_gain_limit >= 1.0) || options[i].enhn_gain_limit > 100.0 ||
            options[i].csf_mode < 0 || options[i].csf_mode > 3) {
            return -EINVAL;
        }
    }
    for (int side = 0; side < 2; side++) {
        const uint64_t stride = side ? geometry->dist_stride : geometry->ref_stride;
        if (stride % 4 != 0 || stride < (uint64_t)geometry->w * bytes) {
            return -EINVAL;
        }
        if (stride * geometry->h > binding_max) {
            return -ENOTSUP;
        }
    }
    return 0;
}

int vmaf_adm_plan(VmafAdmPlan *plan, const VmafAdmGeometry *geometry,
                  const VmafAdmOptions options[], uint32_t n)
{
    static const char *const kernels[ADM_MAX_VARIANTS][4] = {
        {"adm_luma_8", "adm_luma_16", "adm_coarse_16", "adm_coarse_32"},
        {"adm_luma_8_x2", "adm_luma_16_x2", "adm_coarse_16_x2", "adm_coarse_32_x2"},
    };
    Axis columns[VMAF_ADM_SCALES], rows[VMAF_ADM_SCALES];
    int error = check(geometry, options, n);
    if (error) {
        return error;
    }
    plan_axis(columns, (int32_t)geometry->w);
    plan_axis(rows, (int32_t)geometry->h);
    *plan = (VmafAdmPlan){.approx_size = {0}};
    for (int s = 0; s < VMAF_ADM_SCALES; s++) {
        VmafAdmScale *scale = &plan->scales[s];
        const uint64_t size = approx_size(s, &columns[s], &rows[s]);
        error = plan_scale(scale, s, &columns[s], &rows[s], options, n);
        if (error) {
            return error;
        }
        if (scale->groups[0] > GROUPS_MAX || scale->groups[1] > GROUPS_MAX || size > binding_max ||
            scale->n_partials > binding_max / sizeof(uint64_t)) {
            return -ENOTSUP;
        }
        if (size > plan->approx_size[s & 1]) {
            plan->approx_size[s & 1] = size;
        }
        const int kind = s == 0 ? geometry->depth > 8 : s == 1 ? 2 : 3;
        scale->kernel = kernels[scale->n_variants > 1 ? scale->n_variants - 1 : 0][kind];
    }

    const uint32_t pair_size = geometry->depth > 8 ? 4 : 2;
    adm_scale_args *luma = &plan->scales[0].args;
    luma->vertical = (int32_t)geometry->depth;
    luma->ref_stride = (int32_t)(geometry->ref_stride / pair_size);
    luma->dist = (int32_t)(geometry->dist_stride / pair_size);
    for (int s = 1; s < VMAF_ADM_SCALES; s++) {
        adm_scale_args *args = &plan->scales[s].args;
        args->ref_stride = plan->scales[s - 1].args.approx_stride;
        args->dist = plan->scales[s - 1].args.approx_dist;
    }
    return 0;
}

partial_sum vmaf_adm_sum(const VmafAdmPlan *plan, const VmafAdmOptions *options, uint32_t result,
                         const uint32_t first[VMAF_ADM_SCALES])
{
    const uint32_t kind = result / (VMAF_ADM_SCALES * BANDS);
    const uint32_t s = result / BANDS % VMAF_ADM_SCALES, band = result % BANDS;
    const adm_scale_args *args = &plan->scales[s].args;
    if (skips(options, (int)s) || (kind == AIM && options->skip_aim)) {
        return (partial_sum){.result = result};
    }
    const adm_variant variant = variant_of(options, (int)s);
    const uint32_t v = find_variant(&plan->scales[s], &variant);
    const uint32_t sum = kind == DEN ? band : ADM_SUMS(v) + (kind - NUM) * BANDS + band;
    const uint32_t rows = (uint32_t)(args->window_y1 - args->window_y0);
    const uint32_t columns = (uint32_t)args->partial_columns;
    const int32_t band_rows = (args->h + 1) / 2;
    return (partial_sum){
        .first = first[s] + sum * columns * rows,
        .rows = rows,
        .row_stride = 1,
        .columns = columns,
        .column_stride = rows,
        .shift =
            (uint32_t)(kind == DEN ? den_row_shift((int)s, args) : ceil_log2((uint64_t)band_rows)),
        .is_unsigned = kind == DEN,
        .result = result,
    };
}
