/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm_device.h"

#include <errno.h>
#include <libvmaf/backend_records.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/adm/adm_device.h"
#include "metrics/float_adm/float_adm.h"
#include "program.h"

enum {
    GROUPS_MAX = 65535,    /* work-groups that any device allows in each direction */
    ROW_ALIGNMENT = 32,    /* elements: rows of approximations and terms begin at multiples */
    TILE_ALIGNMENT = 16,   /* positions: rows of tiles begin where loads are aligned */
    MAX_CHUNKS = 8,        /* chunks of a scale */
    CHUNK_SIZE = 16 << 20, /* bytes of terms: chunks need not be smaller */
};

static const uint64_t binding_max = UINT64_C(1) << 27;

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* -- variants -- */

bool vmaf_float_adm_has_norm(const FloatAdmOptions *options)
{
    return options->p_norm == 3.0 || (float)options->p_norm == 1.0F;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float_adm_variant variant_of(const FloatAdmOptions *options, int scale)
{
    float weights[ADM_BANDS];
    float_adm_weights(options, scale, weights);
    const double limit = options->enhn_gain_limit;
    float_adm_variant variant = {
        .weight_hv = bits_of(weights[BAND_H]),
        .weight_d = bits_of(weights[BAND_D]),
        .flags = (options->bypass_cm != 0 ? FLOAT_ADM_NO_MASKING : 0) |
                 (options->p_norm == 3.0 ? 0 : FLOAT_ADM_NO_CUBES),
        .gain = bits_of((float)limit),
    };
    if ((double)(float)limit != limit) {
        int exponent;
        const uint64_t mantissa = (uint64_t)ldexp(frexp(limit, &exponent), 53);
        variant.flags |= FLOAT_ADM_WIDE_GAIN;
        variant.gain_upper = (uint32_t)(mantissa >> 32);
        variant.gain_lower = (uint32_t)mantissa;
        variant.gain_unit = exponent - 53;
    }
    return variant;
}

static bool skips(const FloatAdmOptions *options, int scale)
{
    return scale == 0 && options->skip_scale0;
}

static bool has_den(const float_adm_variant *a, const float_adm_variant *b)
{
    return a->weight_hv == b->weight_hv && a->weight_d == b->weight_d &&
           (a->flags & FLOAT_ADM_NO_CUBES) == (b->flags & FLOAT_ADM_NO_CUBES);
}

static bool is_same(const float_adm_variant *a, const float_adm_variant *b)
{
    return has_den(a, b) &&
           (a->flags | FLOAT_ADM_WRITES_DEN) == (b->flags | FLOAT_ADM_WRITES_DEN) &&
           a->gain == b->gain && a->gain_upper == b->gain_upper && a->gain_lower == b->gain_lower &&
           a->gain_unit == b->gain_unit;
}

/* The index of the variant among those of the scale; n_variants if it is not among them. */
static uint32_t find_variant(const VmafFloatAdmScale *scale, const float_adm_variant *variant)
{
    uint32_t v = 0;
    while (v < scale->n_variants && !is_same(&scale->variants[v], variant))
        v++;
    return v;
}

/* Lists the variants evaluated at a scale, possibly none. */
static int plan_variants(VmafFloatAdmScale *scale, int s, const void *const options[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (skips(options[i], s))
            continue;
        float_adm_variant variant = variant_of(options[i], s);
        if (find_variant(scale, &variant) < scale->n_variants)
            continue;
        if (scale->n_variants == VMAF_FLOAT_ADM_VARIANTS)
            return -E2BIG;
        uint32_t with_den = 0;
        while (with_den < scale->n_variants && !has_den(&scale->variants[with_den], &variant))
            with_den++;
        if (with_den < scale->n_variants) {
            variant.den = scale->variants[with_den].den;
        } else {
            variant.flags |= FLOAT_ADM_WRITES_DEN;
            variant.den = (int32_t)(ADM_BANDS * scale->n_dens++);
        }
        scale->variants[scale->n_variants++] = variant;
    }
    for (uint32_t v = 0; v < scale->n_variants; v++)
        scale->variants[v].visible =
            (int32_t)(scale->n_dens * ADM_BANDS + v * FLOAT_ADM_VARIANT_TERMS);
    scale->args.variants = (int32_t)scale->n_variants;
    return 0;
}

/* -- scales -- */

static int32_t approx_stride(const AdmTiling *columns)
{
    return (int32_t)round_up((uint32_t)columns->axis.size, ROW_ALIGNMENT);
}

/* Bytes of the approximations of both pictures that a scale writes. */
static uint64_t approx_size(const AdmTiling *columns, const AdmTiling *rows)
{
    return 2 * sizeof(float) * (uint64_t)approx_stride(columns) * (uint64_t)rows->axis.size;
}

static uint32_t window_rows(const VmafFloatAdmScale *scale)
{
    return (uint32_t)(scale->args.window_y1 - scale->args.window_y0);
}

/* Number of planes of terms of a scale. */
static uint32_t planes_of(const VmafFloatAdmScale *scale)
{
    return scale->n_dens * ADM_BANDS + scale->n_variants * FLOAT_ADM_VARIANT_TERMS;
}

static void plan_chunks(VmafFloatAdmScale *scale)
{
    const uint64_t row_size =
        FLOAT_ADM_TILE_ROWS * sizeof(float) * (uint64_t)scale->args.term_stride * planes_of(scale);
    const uint64_t fitting = row_size == 0 ? scale->groups[1] : CHUNK_SIZE / row_size;
    const uint32_t least = ceil_div(scale->groups[1], MAX_CHUNKS);
    scale->chunk_rows = (uint32_t)most(least, fitting);
    if (scale->chunk_rows > scale->groups[1])
        scale->chunk_rows = scale->groups[1];
    scale->n_chunks = ceil_div(scale->groups[1], scale->chunk_rows);
}

static int plan_scale(VmafFloatAdmScale *scale, int s, const AdmTiling *columns,
                      const AdmTiling *rows, const VmafFloatAdmGeometry *geometry,
                      const void *const options[], uint32_t n)
{
    const int32_t first_x = columns->tiled.begin / TILE_ALIGNMENT * TILE_ALIGNMENT;
    const bool last = s == ADM_SCALES - 1;
    const AdmRange window_x = columns->axis.window, window_y = rows->axis.window;
    scale->args = (float_adm_scale_args){
        .w = columns->axis.input,
        .h = rows->axis.input,
        .depth = (int32_t)geometry->depth,
        .first_x = first_x,
        .first_y = rows->tiled.begin,
        .window_x0 = window_x.begin,
        .window_x1 = window_x.end,
        .window_y0 = window_y.begin,
        .window_y1 = window_y.end,
        .approx_stride = last ? 0 : approx_stride(columns),
        .approx_dist = last ? 0 : approx_stride(columns) * rows->axis.size,
        .term_stride = (int32_t)round_up((uint32_t)adm_range_length(window_x), ROW_ALIGNMENT),
    };
    scale->groups[0] = ceil_div((uint32_t)(columns->tiled.end - first_x), FLOAT_ADM_TILE_COLUMNS);
    scale->groups[1] = ceil_div((uint32_t)adm_range_length(rows->tiled), FLOAT_ADM_TILE_ROWS);
    const int error = plan_variants(scale, s, options, n);
    plan_chunks(scale);
    return error;
}

static bool fits(const VmafFloatAdmScale *scale)
{
    for (uint32_t i = 0; i < scale->n_chunks; i++) {
        const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, i);
        if (chunk.terms_size > binding_max)
            return false;
    }
    return scale->groups[0] <= GROUPS_MAX && scale->groups[1] <= GROUPS_MAX;
}

int vmaf_float_adm_plan(VmafFloatAdmPlan *plan, const VmafFloatAdmGeometry *geometry,
                        const void *const options[], uint32_t n)
{
    const bool is_deep = geometry->depth > 8;
    AdmTiling columns[ADM_SCALES], rows[ADM_SCALES];
    if ((uint64_t)geometry->stride * geometry->h > binding_max)
        return -ENOTSUP;
    vmaf_adm_tile(columns, (int32_t)geometry->w);
    vmaf_adm_tile(rows, (int32_t)geometry->h);
    *plan = (VmafFloatAdmPlan){.approx_size = {0}};
    for (int s = 0; s < ADM_SCALES; s++) {
        VmafFloatAdmScale *scale = &plan->scales[s];
        const uint64_t size = approx_size(&columns[s], &rows[s]);
        const int error = plan_scale(scale, s, &columns[s], &rows[s], geometry, options, n);
        if (error)
            return error;
        if (!fits(scale) || size > binding_max)
            return -ENOTSUP;
        plan->approx_size[s % 2] = most(plan->approx_size[s % 2], size);
        scale->kernel = s > 0     ? "float_adm_coarse"
                        : is_deep ? "float_adm_luma_16"
                                  : "float_adm_luma_8";
        scale->first_sum = plan->n_sums;
        plan->n_sums += planes_of(scale) * window_rows(scale);
    }

    float_adm_scale_args *luma = &plan->scales[0].args;
    luma->ref_stride = luma->dist = (int32_t)(geometry->stride / (is_deep ? 2 : 1));
    for (int s = 1; s < ADM_SCALES; s++) {
        float_adm_scale_args *args = &plan->scales[s].args;
        args->ref_stride = plan->scales[s - 1].args.approx_stride;
        args->dist = plan->scales[s - 1].args.approx_dist;
    }
    return 0;
}

/* -- chunks -- */

static float_adm_rows_args rows_of(const VmafFloatAdmScale *scale, const float_adm_scale_args *args)
{
    const uint32_t first_row = (uint32_t)(args->window_y0 - scale->args.window_y0);
    return (float_adm_rows_args){
        .rows = (int32_t)planes_of(scale) * args->term_rows,
        .columns = args->window_x1 - args->window_x0,
        .stride = args->term_stride,
        .term_rows = args->term_rows,
        .first = (int32_t)(scale->first_sum + first_row),
        .sum_stride = (int32_t)window_rows(scale),
    };
}

VmafFloatAdmChunk vmaf_float_adm_chunk(const VmafFloatAdmScale *scale, uint32_t chunk)
{
    const uint32_t first = chunk * scale->chunk_rows;
    const uint32_t left = scale->groups[1] - first;
    const uint32_t rows = left < scale->chunk_rows ? left : scale->chunk_rows;
    float_adm_scale_args args = scale->args;
    args.first_y += (int32_t)first * FLOAT_ADM_TILE_ROWS;
    const AdmRange window = {args.window_y0, args.window_y1};
    const AdmRange covered = {args.first_y, args.first_y + (int32_t)rows * FLOAT_ADM_TILE_ROWS};
    const AdmRange evaluated = adm_range_intersect(window, covered);
    args.window_y0 = evaluated.begin;
    args.window_y1 = evaluated.end;
    args.term_rows = adm_range_length(evaluated);
    if (args.term_rows == 0)
        args.variants = 0;

    const uint64_t plane = sizeof(float) * (uint64_t)args.term_stride * (uint64_t)args.term_rows;
    return (VmafFloatAdmChunk){
        .args = args,
        .groups = {scale->groups[0], rows, 1},
        .terms_size = most(planes_of(scale) * plane, sizeof(float)),
        .rows = rows_of(scale, &args),
    };
}

/* -- records -- */

void vmaf_float_adm_columns(const VmafFloatAdmPlan *plan, const FloatAdmOptions *options,
                            float_adm_column columns[VMAF_FLOAT_ADM_MEMBERS])
{
    memset(columns, 0, VMAF_FLOAT_ADM_MEMBERS * sizeof(*columns));
    for (int s = 0; s < ADM_SCALES; s++) {
        if (skips(options, s))
            continue;
        const VmafFloatAdmScale *scale = &plan->scales[s];
        const float_adm_variant wanted = variant_of(options, s);
        const float_adm_variant *variant = &scale->variants[find_variant(scale, &wanted)];
        /* The first plane of den, num and aim. */
        const int32_t planes[] = {variant->den, variant->visible, variant->visible + ADM_BANDS};
        for (int member = 0; member < 3 * ADM_BANDS; member++) {
            const int kind = member / ADM_BANDS, band = member % ADM_BANDS;
            const uint32_t plane = (uint32_t)(planes[kind] + band);
            columns[(kind * ADM_SCALES + s) * ADM_BANDS + band] = (float_adm_column){
                .first = (int32_t)(scale->first_sum + plane * window_rows(scale)),
                .rows = (int32_t)window_rows(scale),
            };
        }
    }
}

/* float_adm: detail loss and additive impairment in binary32, one scale after the other. */

/* Computes the layout of a pass; see vmaf_float_adm_plan. */
static int plan_pass(VmafFloatAdmPlan *plan, const VmafGeometry *geometry,
                     const VmafMetricPass *pass)
{
    const VmafFloatAdmGeometry luma = {geometry->w[0], geometry->h[0], geometry->depth,
                                       geometry->stride[0]};
    return vmaf_float_adm_plan(plan, &luma, pass->options, pass->n_requests);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    VmafFloatAdmPlan plan;
    if (!vmaf_float_adm_has_norm(options)) {
        snprintf(why->text, sizeof(why->text),
                 "adm_p_norm is neither 3 nor 1: powers as powf of the library computes them");
        return false;
    }
    if (!plan_pass(&plan, geometry, &(VmafMetricPass){&options, 1}))
        return true;
    snprintf(why->text, sizeof(why->text), "pictures of this size");
    return false;
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafFloatAdmPlan plan;
    return !plan_pass(&plan, geometry, pass);
}

/* Buffers of a pass. Chunks write terms to one buffer while the rows of the other are added up.
 */
typedef struct Buffers {
    VmafBufferName approx[2], terms[2], sums;
} Buffers;

static Buffers make_buffers(VmafProgram *program, const VmafFloatAdmPlan *plan)
{
    uint64_t terms_size[2] = {0};
    uint32_t n = 0;
    for (uint32_t s = 0; s < ADM_SCALES; s++) {
        for (uint32_t i = 0; i < plan->scales[s].n_chunks; i++, n++) {
            const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(&plan->scales[s], i);
            if (chunk.terms_size > terms_size[n % 2])
                terms_size[n % 2] = chunk.terms_size;
        }
    }
    Buffers buffers = {.sums = vmaf_program_scratch(program, plan->n_sums * sizeof(float))};
    for (uint32_t i = 0; i < 2; i++) {
        buffers.approx[i] = vmaf_program_scratch(program, plan->approx_size[i]);
        buffers.terms[i] = vmaf_program_scratch(program, terms_size[i]);
    }
    return buffers;
}

static void add_rows(VmafProgram *program, uint32_t stage, VmafBufferName terms,
                     VmafBufferName sums, const float_adm_rows_args *args)
{
    if (args->rows == 0)
        return;
    const VmafProgramRun run = {
        .kernel = "float_adm_rows",
        .buffers = {terms, sums},
        .args = args,
        .args_size = sizeof(*args),
        .groups = {((uint32_t)args->rows + FLOAT_ADM_ROWS - 1) / FLOAT_ADM_ROWS, 1, 1},
    };
    vmaf_program_run(program, stage, &run);
}

/* Adds the kernels of chunk i of scale s, in this stage and the next. */
static void add_chunk(VmafProgram *program, uint32_t stage, const VmafFloatAdmScale *scale,
                      uint32_t s, uint32_t i, const Buffers *buffers)
{
    const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, i);
    VmafProgramRun run = {
        .kernel = scale->kernel,
        .args = &chunk.args,
        .args_size = sizeof(chunk.args),
        .groups = {chunk.groups[0], chunk.groups[1], chunk.groups[2]},
    };
    uint32_t slot = 0;
    if (s == 0) {
        run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0);
        run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0);
    } else {
        run.buffers[slot++] = buffers->approx[(s - 1) % 2];
    }
    run.buffers[slot++] = vmaf_program_table(program, scale->variants, sizeof(scale->variants));
    run.buffers[slot++] = buffers->approx[s % 2];
    run.buffers[slot] = buffers->terms[stage % 2];
    vmaf_program_run(program, stage, &run);
    add_rows(program, stage + 1, buffers->terms[stage % 2], buffers->sums, &chunk.rows);
}

static void add_record(VmafProgram *program, uint32_t stage, const VmafFloatAdmPlan *plan,
                       const VmafMetricPass *pass, uint32_t request, const Buffers *buffers)
{
    float_adm_column columns[VMAF_FLOAT_ADM_MEMBERS];
    vmaf_float_adm_columns(plan, pass->options[request], columns);
    const VmafBufferName record = vmaf_program_bytes(program, sizeof(VmafRecordFloatAdm));
    const float_adm_total_args args = {VMAF_FLOAT_ADM_MEMBERS};
    const VmafProgramRun run = {
        .kernel = "float_adm_total",
        .buffers = {buffers->sums, vmaf_program_table(program, columns, sizeof(columns)), record},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {1, 1, 1},
    };
    vmaf_program_run(program, stage, &run);
    vmaf_program_result_bytes(program, request, &record);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafFloatAdmPlan plan;
    plan_pass(&plan, geometry, pass);
    const Buffers buffers = make_buffers(program, &plan);
    uint32_t stage = 0;
    for (uint32_t s = 0; s < ADM_SCALES; s++)
        for (uint32_t i = 0; i < plan.scales[s].n_chunks; i++)
            add_chunk(program, stage++, &plan.scales[s], s, i, &buffers);
    for (uint32_t r = 0; r < pass->n_requests; r++)
        add_record(program, stage + 1, &plan, pass, r, &buffers);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordFloatAdm);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    memcpy(record, results->bytes[0], sizeof(VmafRecordFloatAdm));
}

const VmafMetric vmaf_metric_float_adm = {
    .name = "float_adm",
    .record = VMAF_RECORD_FLOAT_ADM,
    .record_version = VMAF_RECORD_FLOAT_ADM_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = ADM_MIN_DEPTH,
    .depth_max = ADM_MAX_DEPTH,
    .width_min = ADM_MIN_SIZE,
    .height_min = ADM_MIN_SIZE,
    .width_max = VMAF_METRIC_MAX_SIDE,
    .height_max = VMAF_METRIC_MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = float_adm_option_specs,
    .options_size = sizeof(FloatAdmOptions),
    .declines = "`adm_p_norm` other than 3 and 1: powers as `powf` of the library computes them",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
