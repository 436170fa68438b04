/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_device.h"

#include <errno.h>
#include <libvmaf/backend_records.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_set.h"
#include "metric.h"
#include "metrics/adm/adm.h"
#include "program.h"

void vmaf_adm_tile(AdmTiling tilings[ADM_SCALES], int32_t samples)
{
    AdmAxis axes[ADM_SCALES];
    AdmRange all[ADM_SCALES];
    AdmExtent cone[ADM_SCALES];
    adm_axes_init(axes, samples);
    for (int s = 0; s < ADM_SCALES; s++)
        all[s] = (AdmRange){0, axes[s].size};
    adm_cone_init(cone, axes, all);
    for (int s = 0; s < ADM_SCALES; s++)
        tilings[s] = (AdmTiling){axes[s], adm_range_hull(cone[s].evaluated, cone[s].approx)};
}

enum {
    GROUPS_MAX = 65535,  /* work-groups that any device allows in each direction */
    ROW_ALIGNMENT = 32,  /* elements: rows of an approximation begin at multiples */
    TILE_ALIGNMENT = 16, /* positions: rows of tiles begin where loads are aligned */
    DEN = 0,
    NUM = 1,
    AIM = 2,
};

static const uint64_t binding_max = UINT64_C(1) << 27;

/* -- scales -- */

static adm_variant variant_of(const AdmOptions *options, int scale)
{
    const AdmViewing viewing = adm_viewing(options);
    const double limit = options->enhn_gain_limit;
    uint32_t weights[ADM_BANDS];
    adm_csf_fixed_point(&viewing, scale, weights);
    adm_variant variant = {.weight_hv = weights[BAND_H], .weight_d = weights[BAND_D]};
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

static bool skips(const AdmOptions *options, int scale)
{
    return scale == 0 && options->skip_scale0;
}

/* The index of the variant among those of the scale; n_variants if it is not among them. */
static uint32_t find_variant(const VmafAdmScale *scale, const adm_variant *variant)
{
    uint32_t v = 0;
    while (v < scale->n_variants && memcmp(&scale->args.variants[v], variant, sizeof(*variant))) {
        v++;
    }
    return v;
}

/* Lists the variants evaluated at a scale, possibly none. */
static int plan_variants(VmafAdmScale *scale, int s, const void *const options[], uint32_t n)
{
    uint32_t wants_aim = 0;
    for (uint32_t i = 0; i < n; i++) {
        const AdmOptions *set = options[i];
        if (skips(set, s)) {
            continue;
        }
        const adm_variant variant = variant_of(set, s);
        const uint32_t v = find_variant(scale, &variant);
        if (v == ADM_MAX_VARIANTS) {
            return -E2BIG;
        }
        if (v == scale->n_variants) {
            scale->args.variants[scale->n_variants++] = variant;
        }
        wants_aim |= set->skip_aim ? 0 : 1u << v;
    }
    scale->args.skip_aim = ~wants_aim;
    return 0;
}

static int32_t approx_stride(const AdmTiling *columns)
{
    return (int32_t)round_up((uint32_t)columns->axis.size, ROW_ALIGNMENT);
}

/* Bytes of the approximations of both pictures that a scale writes. */
static uint64_t approx_size(int scale, const AdmTiling *columns, const AdmTiling *rows)
{
    const uint64_t element = scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
    return 2 * element * (uint64_t)approx_stride(columns) * (uint64_t)rows->axis.size;
}

static int plan_scale(VmafAdmScale *scale, int s, const AdmTiling *columns, const AdmTiling *rows,
                      uint32_t depth, const void *const options[], uint32_t n)
{
    const int32_t tile_rows = s == 0 ? ADM_LUMA_TILE_ROWS : ADM_COARSE_TILE_ROWS;
    const int32_t first_x = columns->tiled.begin / TILE_ALIGNMENT * TILE_ALIGNMENT;
    const AdmWaveletShifts wavelet = adm_wavelet_shifts(s, (int)depth);
    const bool last = s == ADM_SCALES - 1;
    adm_scale_args *args = &scale->args;
    scale->shifts = adm_shifts_init(s, &columns->axis, &rows->axis);
    *args = (adm_scale_args){
        .w = columns->axis.input,
        .h = rows->axis.input,
        .first_x = first_x,
        .first_y = rows->tiled.begin,
        .approx_stride = last ? 0 : approx_stride(columns),
        .approx_dist = last ? 0 : approx_stride(columns) * rows->axis.size,
        .vertical = wavelet.vertical,
        .horizontal = wavelet.horizontal,
        .den_square = scale->shifts.den_square,
        .den_term = scale->shifts.den_term,
        .term_hv = scale->shifts.term[BAND_H],
        .term_d = scale->shifts.term[BAND_D],
    };
    const int error = plan_variants(scale, s, options, n);
    scale->groups[0] = ceil_div((uint32_t)(columns->tiled.end - first_x), ADM_TILE_COLUMNS);
    scale->groups[1] = ceil_div((uint32_t)adm_range_length(rows->tiled), (uint32_t)tile_rows);
    scale->groups[2] = 1;
    scale->n_partials = 1;
    if (error || scale->n_variants == 0) {
        return error;
    }
    const AdmRange window_x = columns->axis.window, window_y = rows->axis.window;
    args->window_x0 = window_x.begin;
    args->window_x1 = window_x.end;
    args->window_y0 = window_y.begin;
    args->window_y1 = window_y.end;
    args->partial_columns = (args->window_x1 - 1 - first_x) / ADM_TILE_COLUMNS -
                            (args->window_x0 - first_x) / ADM_TILE_COLUMNS + 1;
    scale->n_partials = ADM_SUMS(scale->n_variants) * (uint32_t)args->partial_columns *
                        (uint32_t)adm_range_length(window_y);
    return 0;
}

/* Checks that pictures can be bound. */
static int check(const VmafAdmGeometry *geometry)
{
    const uint32_t bytes = geometry->depth > 8 ? 2 : 1;
    for (int side = 0; side < 2; side++) {
        const uint64_t stride = side ? geometry->dist_stride : geometry->ref_stride;
        if (stride % 4 != 0 || stride < (uint64_t)geometry->w * bytes)
            return -EINVAL;
        if (stride * geometry->h > binding_max)
            return -ENOTSUP;
    }
    return 0;
}

int vmaf_adm_plan(VmafAdmPlan *plan, const VmafAdmGeometry *geometry, const void *const options[],
                  uint32_t n)
{
    static const char *const kernels[ADM_MAX_VARIANTS][4] = {
        {"adm_luma_8", "adm_luma_16", "adm_coarse_16", "adm_coarse_32"},
        {"adm_luma_8_x2", "adm_luma_16_x2", "adm_coarse_16_x2", "adm_coarse_32_x2"},
    };
    AdmTiling columns[ADM_SCALES], rows[ADM_SCALES];
    int error = check(geometry);
    if (error) {
        return error;
    }
    vmaf_adm_tile(columns, (int32_t)geometry->w);
    vmaf_adm_tile(rows, (int32_t)geometry->h);
    *plan = (VmafAdmPlan){.approx_size = {0}};
    for (int s = 0; s < ADM_SCALES; s++) {
        VmafAdmScale *scale = &plan->scales[s];
        const uint64_t size = approx_size(s, &columns[s], &rows[s]);
        error = plan_scale(scale, s, &columns[s], &rows[s], geometry->depth, options, n);
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
    luma->ref_stride = (int32_t)(geometry->ref_stride / pair_size);
    luma->dist = (int32_t)(geometry->dist_stride / pair_size);
    for (int s = 1; s < ADM_SCALES; s++) {
        adm_scale_args *args = &plan->scales[s].args;
        args->ref_stride = plan->scales[s - 1].args.approx_stride;
        args->dist = plan->scales[s - 1].args.approx_dist;
    }
    return 0;
}

partial_sum vmaf_adm_sum(const VmafAdmPlan *plan, const AdmOptions *options, uint32_t result,
                         const uint32_t first[ADM_SCALES])
{
    const uint32_t kind = result / (ADM_SCALES * ADM_BANDS);
    const uint32_t s = result / ADM_BANDS % ADM_SCALES, band = result % ADM_BANDS;
    const VmafAdmScale *scale = &plan->scales[s];
    const adm_scale_args *args = &scale->args;
    if (skips(options, (int)s) || (kind == AIM && options->skip_aim)) {
        return (partial_sum){.result = result};
    }
    const adm_variant variant = variant_of(options, (int)s);
    const uint32_t v = find_variant(scale, &variant);
    const uint32_t sum = kind == DEN ? band : ADM_SUMS(v) + (kind - NUM) * ADM_BANDS + band;
    const uint32_t rows = (uint32_t)(args->window_y1 - args->window_y0);
    const uint32_t columns = (uint32_t)args->partial_columns;
    return (partial_sum){
        .first = first[s] + sum * columns * rows,
        .rows = rows,
        .row_stride = 1,
        .columns = columns,
        .column_stride = rows,
        .shift = (uint32_t)(kind == DEN ? scale->shifts.den_row : scale->shifts.row),
        .is_unsigned = kind == DEN,
        .result = result,
    };
}

/* ADM: detail loss and additive impairment, one scale after the other. */

/* Computes the layout of a pass; see vmaf_adm_plan. */
static int plan_pass(VmafAdmPlan *plan, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const VmafAdmGeometry luma = {geometry->w[0], geometry->h[0], geometry->depth,
                                  geometry->stride[0], geometry->stride[0]};
    return vmaf_adm_plan(plan, &luma, pass->options, pass->n_requests);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    VmafAdmPlan plan;
    if (!plan_pass(&plan, geometry, &(VmafMetricPass){&options, 1}))
        return true;
    snprintf(why->text, sizeof(why->text), "pictures of this size");
    return false;
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafAdmPlan plan;
    return !plan_pass(&plan, geometry, pass);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafAdmPlan plan;
    plan_pass(&plan, geometry, pass);

    const VmafBufferName approx[2] = {vmaf_program_scratch(program, plan.approx_size[0]),
                                      vmaf_program_scratch(program, plan.approx_size[1])};
    uint32_t first[ADM_SCALES];
    for (uint32_t s = 0; s < ADM_SCALES; s++) {
        const VmafAdmScale *scale = &plan.scales[s];
        VmafProgramRun run = {
            .kernel = scale->kernel,
            .args = &scale->args,
            .args_size = sizeof(scale->args),
            .groups = {scale->groups[0], scale->groups[1], scale->groups[2]},
        };
        uint32_t slot = 0;
        if (s == 0) {
            run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0);
            run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0);
        } else {
            run.buffers[slot++] = approx[(s - 1) % 2];
        }
        run.buffers[slot++] = approx[s % 2];
        run.buffers[slot] = vmaf_program_partials(program, scale->n_partials, &first[s]);
        vmaf_program_run(program, s, &run);
    }
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        for (uint32_t i = 0; i < VMAF_ADM_RESULTS; i++) {
            const partial_sum sum = vmaf_adm_sum(&plan, pass->options[r], i, first);
            vmaf_program_result(program, r, &sum);
        }
    }
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    _Static_assert(sizeof(VmafRecordAdm) == VMAF_ADM_RESULTS * sizeof(*results->sums),
                   "one by one");
    memcpy(record, results->sums, sizeof(VmafRecordAdm));
}

const VmafMetric vmaf_metric_adm = {
    .name = "adm",
    .record = VMAF_RECORD_ADM,
    .record_version = VMAF_RECORD_ADM_VERSION,
    .record_size = sizeof(VmafRecordAdm),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = ADM_MIN_DEPTH,
    .depth_max = ADM_MAX_DEPTH,
    .width_min = ADM_MIN_SIZE,
    .height_min = ADM_MIN_SIZE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = adm_option_specs,
    .options_size = sizeof(AdmOptions),
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .decode = decode,
};
