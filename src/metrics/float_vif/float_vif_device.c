/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Floating-point VIF: at each of four scales the terms of each pixel, then the sums of rows, then
 * the sums of these. */

#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "metrics/common/filter_taps.h"
#include "metrics/float_vif/float_vif.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "ordered_sum.h"
#include "program.h"

enum {
    ALIGNMENT = 256, /* bytes: alignment of bindings */
    /* A buffer has four bytes for each pixel, and devices bind at most 128 MiB of it. */
    MAX_PIXELS = (128 << 20) / 4,
    MAX_RESIZED = MAX_PIXELS / 2, /* pixels of both pictures */
};

/* -- requests -- */

static bool decline(VmafBackendReason *why, const char *text)
{
    snprintf(why->text, sizeof(why->text), "%s", text);
    return false;
}

static bool admits(const VmafGeometry *geometry, const void *opaque, VmafBackendReason *why)
{
    const FloatVifOptions *options = opaque;
    unsigned w, h;
    ResampleMethod method;
    float_vif_size(options, geometry->w[0], geometry->h[0], &w, &h);
    if (!options->vif_prescale_method ||
        !resample_method_find(options->vif_prescale_method, &method))
        return decline(why, "vif_prescale_method");
    const bool resizes = w != geometry->w[0] || h != geometry->h[0];
    if ((uint64_t)w * h > (resizes ? MAX_RESIZED : MAX_PIXELS))
        return decline(why, "picture size");
    for (int s = options->vif_skip_scale0 ? 1 : 0; s < FLOAT_VIF_SCALES; s++) {
        const unsigned radius = (unsigned)float_vif_window(options->vif_kernelscale, s).radius;
        if (radius > FLOAT_VIF_REACH_WIDE || w >> s <= radius || h >> s <= radius)
            return decline(why, "vif_kernelscale");
    }
    return true;
}

static bool skips(const FloatVifOptions *options, uint32_t scale)
{
    return scale == 0 && options->vif_skip_scale0;
}

/* Different sets of parameters. */
typedef struct Variants {
    uint32_t count;
    const FloatVifOptions *options[FLOAT_VIF_MAX_VARIANTS];
} Variants;

/* Finds or adds the parameters of these options. Returns their index, or FLOAT_VIF_MAX_VARIANTS if
 * there are too many. */
static uint32_t find_variant(Variants *variants, const FloatVifOptions *options)
{
    uint32_t v = 0;
    while (v < variants->count &&
           (variants->options[v]->vif_enhn_gain_limit != options->vif_enhn_gain_limit ||
            variants->options[v]->vif_sigma_nsq != options->vif_sigma_nsq))
        v++;
    if (v == variants->count && v < FLOAT_VIF_MAX_VARIANTS)
        variants->options[variants->count++] = options;
    return v;
}

static bool is_same_view(const FloatVifOptions *a, const FloatVifOptions *b)
{
    return a->vif_kernelscale == b->vif_kernelscale && a->vif_prescale == b->vif_prescale &&
           strcmp(a->vif_prescale_method, b->vif_prescale_method) == 0;
}

/* Requests that use the same pictures and the same windows share a pass. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const FloatVifOptions *first = pass->options[0];
    Variants variants = {0};
    bool is = true;
    (void)geometry;
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        const FloatVifOptions *options = pass->options[r];
        is &= is_same_view(options, first) &&
              find_variant(&variants, options) < FLOAT_VIF_MAX_VARIANTS;
    }
    return is;
}

/* -- kernels -- */

/* Both pictures of a scale. */
typedef struct Pictures {
    uint32_t w, h, stride; /* size, and samples from row to row */
    VmafBufferName ref, dist;
    uint32_t dist_offset; /* samples: offset of the distorted picture in its buffer */
    uint32_t kind;        /* kind of samples: an index into the kernels' names */
} Pictures;

typedef struct Builder {
    VmafProgram *program;
    const VmafGeometry *geometry;
    const VmafMetricPass *pass;
    const FloatVifOptions
        *options;   /* those of the first request, for values that all have in common */
    uint32_t stage; /* first stage of scale 0 */
    Pictures scales[FLOAT_VIF_SCALES];
} Builder;

static Pictures planes(VmafProgram *program, const VmafGeometry *geometry)
{
    return (Pictures){
        .w = geometry->w[0],
        .h = geometry->h[0],
        .stride = geometry->stride[0] / geometry->bytes_per_sample,
        .ref = vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0),
        .dist = vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0),
        .kind = geometry->bytes_per_sample - 1,
    };
}

static Pictures scratch_pictures(VmafProgram *program, uint32_t w, uint32_t h)
{
    const uint64_t offset = round_up((uint64_t)w * h, ALIGNMENT / sizeof(float));
    Pictures pictures = {.w = w, .h = h, .stride = w, .dist_offset = (uint32_t)offset, .kind = 2};
    pictures.ref = vmaf_program_scratch(program, 2 * offset * sizeof(float));
    pictures.dist = pictures.ref;
    return pictures;
}

static VmafBufferName taps_of(VmafProgram *program, ResampleMethod method, uint32_t n_out,
                              uint32_t n_in)
{
    const uint32_t n_taps = resample_n_taps(method);
    float_vif_tap *taps = calloc((size_t)n_taps * n_out, sizeof(*taps));
    for (uint32_t x = 0; taps && x < n_out; x++) {
        ResampleTap of_sample[RESAMPLE_MAX_TAPS];
        resample_taps(method, x, n_out, n_in, of_sample);
        for (uint32_t i = 0; i < n_taps; i++) {
            float_vif_tap *tap = &taps[(size_t)i * n_out + x];
            tap->index = of_sample[i].index;
            memcpy(&tap->weight, &of_sample[i].weight, sizeof(tap->weight));
        }
    }
    /* If memory is missing, adding the table fails, and the program with it. */
    const VmafBufferName name =
        vmaf_program_table(program, taps, taps ? (uint64_t)n_taps * n_out * sizeof(*taps) : 0);
    free(taps);
    return name;
}

/* Resizes the pictures of scale 0. */
static Pictures resize(Builder *builder, uint32_t w, uint32_t h)
{
    const Pictures from = planes(builder->program, builder->geometry);
    const Pictures to = scratch_pictures(builder->program, w, h);
    ResampleMethod method = RESAMPLE_NEAREST;
    resample_method_find(builder->options->vif_prescale_method, &method);
    const float_vif_resample_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)from.stride,
        .depth = (int32_t)builder->geometry->depth,
        .taps = (int32_t)resample_n_taps(method),
        .is_normalised = method == RESAMPLE_LANCZOS4,
        .dist = (int32_t)to.dist_offset,
    };
    const VmafProgramRun run = {
        .kernel = from.kind ? "float_vif_resample_16" : "float_vif_resample_8",
        .buffers = {from.ref, from.dist, taps_of(builder->program, method, w, from.w),
                    taps_of(builder->program, method, h, from.h), to.ref},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(w, FLOAT_VIF_RESAMPLE_COLUMNS), ceil_div(h, FLOAT_VIF_RESAMPLE_ROWS),
                   1},
    };
    vmaf_program_run(builder->program, builder->stage++, &run);
    return to;
}

/* Words of a table; see float_vif_kernel.h. */
typedef union Constant {
    float number;
    uint32_t bits;
} Constant;

static void put_variant(Constant *constants, const FloatVifOptions *options)
{
    const FloatVifParameters parameters = float_vif_parameters(options);
    uint64_t noise;
    memcpy(&noise, &parameters.noise_variance, sizeof(noise));
    constants[FLOAT_VIF_GAIN_LIMIT].number = parameters.gain_limit;
    constants[FLOAT_VIF_INVERSE_NOISE].number = parameters.inverse_noise;
    constants[FLOAT_VIF_FLAT_FACTOR].number = parameters.flat_factor;
    constants[FLOAT_VIF_THRESHOLD].number = float_vif_round_up(parameters.noise_variance);
    constants[FLOAT_VIF_NOISE_UPPER].bits = (uint32_t)(noise >> 32);
    constants[FLOAT_VIF_NOISE_LOWER].bits = (uint32_t)noise;
}

static VmafBufferName constants_of(VmafProgram *program, const FloatVifWindow *window,
                                   const Variants *variants)
{
    Constant constants[FLOAT_VIF_CONSTANTS] = {{0}};
    memcpy(constants, window->taps, (2 * (size_t)window->radius + 1) * sizeof(float));
    for (uint32_t v = 0; v < variants->count; v++)
        put_variant(constants + FLOAT_VIF_WINDOW_SIZE + v * FLOAT_VIF_VARIANT_SIZE,
                    variants->options[v]);
    return vmaf_program_table(program, constants, sizeof(constants));
}

static const char *kernel_of(const char *const names[2][3], const FloatVifWindow *window,
                             const Pictures *pictures)
{
    return names[window->radius > FLOAT_VIF_REACH_NARROW][pictures->kind];
}

/* Makes the pictures of the next scale. */
static void reduce(const Builder *builder, uint32_t scale)
{
    static const char *const names[2][3] = {
        {"float_vif_reduce_8", "float_vif_reduce_16", "float_vif_reduce_32"},
        {"float_vif_reduce_8_wide", "float_vif_reduce_16_wide", "float_vif_reduce_32_wide"},
    };
    const Pictures *from = &builder->scales[scale], *to = &builder->scales[scale + 1];
    const FloatVifWindow window =
        float_vif_window(builder->options->vif_kernelscale, (int)scale + 1);
    const Variants none = {0};
    const float_vif_reduce_args args = {
        .w = (int32_t)from->w,
        .h = (int32_t)from->h,
        .stride = (int32_t)from->stride,
        .dist = (int32_t)from->dist_offset,
        .depth = (int32_t)builder->geometry->depth,
        .radius = window.radius,
        .next_w = (int32_t)to->w,
        .next_h = (int32_t)to->h,
        .next_dist = (int32_t)to->dist_offset,
    };
    const int reach =
        window.radius > FLOAT_VIF_REACH_NARROW ? FLOAT_VIF_REACH_WIDE : FLOAT_VIF_REACH_NARROW;
    const VmafProgramRun run = {
        .kernel = kernel_of(names, &window, from),
        .buffers = {from->ref, from->dist, constants_of(builder->program, &window, &none), to->ref},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(to->w, FLOAT_VIF_NEXT_COLUMNS(reach)),
                   ceil_div(to->h, FLOAT_VIF_NEXT_ROWS), 1},
    };
    vmaf_program_run(builder->program, builder->stage + scale, &run);
}

/* Terms of each pixel for the numerator and for the denominator of each variant. */
enum { NUM, DEN, PARTS };

static void measure(const Builder *builder, uint32_t scale, const Variants *variants,
                    VmafBufferName terms[FLOAT_VIF_MAX_VARIANTS][PARTS])
{
    static const char *const names[2][3] = {
        {"float_vif_scale_8", "float_vif_scale_16", "float_vif_scale_32"},
        {"float_vif_scale_8_wide", "float_vif_scale_16_wide", "float_vif_scale_32_wide"},
    };
    const Pictures *pictures = &builder->scales[scale];
    const FloatVifWindow window = float_vif_window(builder->options->vif_kernelscale, (int)scale);
    const float_vif_scale_args args = {
        .w = (int32_t)pictures->w,
        .h = (int32_t)pictures->h,
        .stride = (int32_t)pictures->stride,
        .dist = (int32_t)pictures->dist_offset,
        .depth = (int32_t)builder->geometry->depth,
        .radius = window.radius,
        .variants = (int32_t)variants->count,
    };
    const int reach =
        window.radius > FLOAT_VIF_REACH_NARROW ? FLOAT_VIF_REACH_WIDE : FLOAT_VIF_REACH_NARROW;
    const uint64_t size = (uint64_t)pictures->w * pictures->h * sizeof(float);
    VmafProgramRun run = {
        .kernel = kernel_of(names, &window, pictures),
        .buffers = {pictures->ref, pictures->dist,
                    constants_of(builder->program, &window, variants)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(pictures->w, (uint32_t)FLOAT_VIF_TILE_COLUMNS(reach)),
                   ceil_div(pictures->h, (uint32_t)FLOAT_VIF_TILE_ROWS(reach)), 1},
    };
    for (uint32_t v = 0; v < FLOAT_VIF_MAX_VARIANTS; v++) {
        for (int part = 0; part < PARTS; part++) {
            terms[v][part] =
                vmaf_program_scratch(builder->program, v < variants->count ? size : sizeof(float));
            run.buffers[3 + PARTS * v + (uint32_t)part] = terms[v][part];
        }
    }
    vmaf_program_run(builder->program, builder->stage + scale, &run);
}

/* Adds the sums of rows, and of these; all begin in the stage after that of the scale. */
static void add_up(const Builder *builder, uint32_t scale, const Variants *variants,
                   VmafBufferName terms[FLOAT_VIF_MAX_VARIANTS][PARTS],
                   partial_sum sums[FLOAT_VIF_MAX_VARIANTS][PARTS])
{
    const Pictures *pictures = &builder->scales[scale];
    for (uint32_t i = 0; i < PARTS * variants->count; i++) {
        uint32_t stage = builder->stage + scale + 1;
        const VmafBufferName rows =
            vmaf_program_scratch(builder->program, pictures->h * sizeof(float));
        const VmafRowSums row_sums = {
            .terms = terms[i / PARTS][i % PARTS],
            .rows = pictures->h,
            .columns = pictures->w,
            .stride = pictures->w,
            .sums = rows,
        };
        vmaf_program_row_sums(builder->program, &stage, &row_sums);
        sums[i / PARTS][i % PARTS] =
            vmaf_program_total_in_order(builder->program, &stage, rows, 0, pictures->h);
    }
}

/* The results of a request are pairs of sums, from scale 0 on. */
static void build_scale(const Builder *builder, uint32_t scale)
{
    const VmafMetricPass *pass = builder->pass;
    Variants variants = {0};
    VmafBufferName terms[FLOAT_VIF_MAX_VARIANTS][PARTS];
    partial_sum sums[FLOAT_VIF_MAX_VARIANTS][PARTS];
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        if (!skips(pass->options[r], scale))
            find_variant(&variants, pass->options[r]);
    }
    if (scale + 1 < FLOAT_VIF_SCALES)
        reduce(builder, scale);
    if (variants.count) {
        measure(builder, scale, &variants, terms);
        add_up(builder, scale, &variants, terms, sums);
    }
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        static const partial_sum zero = {.rows = 0};
        const bool is_skipped = skips(pass->options[r], scale);
        const uint32_t v = is_skipped ? 0 : find_variant(&variants, pass->options[r]);
        for (int part = 0; part < PARTS; part++)
            vmaf_program_result(builder->program, r, is_skipped ? &zero : &sums[v][part]);
    }
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    Builder builder = {
        .program = program,
        .geometry = geometry,
        .pass = pass,
        .options = pass->options[0],
    };
    unsigned w, h;
    float_vif_size(builder.options, geometry->w[0], geometry->h[0], &w, &h);
    const bool resizes = w != geometry->w[0] || h != geometry->h[0];
    builder.scales[0] = resizes ? resize(&builder, w, h) : planes(program, geometry);
    for (uint32_t s = 1; s < FLOAT_VIF_SCALES; s++)
        builder.scales[s] =
            scratch_pictures(program, builder.scales[0].w >> s, builder.scales[0].h >> s);
    for (uint32_t s = 0; s < FLOAT_VIF_SCALES; s++)
        build_scale(&builder, s);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordFloatVif);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    VmafRecordFloatVif vif;
    for (uint32_t s = 0; s < FLOAT_VIF_SCALES; s++) {
        const uint32_t num = (uint32_t)results->sums[PARTS * s + NUM];
        const uint32_t den = (uint32_t)results->sums[PARTS * s + DEN];
        memcpy(&vif.num[s], &num, sizeof(num));
        memcpy(&vif.den[s], &den, sizeof(den));
    }
    memcpy(record, &vif, sizeof(vif));
}

const VmafMetric vmaf_metric_float_vif = {
    .name = "float_vif",
    .record = VMAF_RECORD_FLOAT_VIF,
    .record_version = VMAF_RECORD_FLOAT_VIF_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .width_max = VMAF_METRIC_MAX_SIDE,
    .height_max = VMAF_METRIC_MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = float_vif_option_specs,
    .options_size = sizeof(FloatVifOptions),
    .declines = "more than 2^25 samples of luma, or 2^24 after `vif_prescale`",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
