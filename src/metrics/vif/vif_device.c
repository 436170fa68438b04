/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF: four scales, one after the other. */

#include <libvmaf/backend_records.h>
#include <math.h>
#include <string.h>

#include "metric.h"
#include "metrics/vif/vif.h"
#include "metrics/vif/vif_kernel.h"
#include "metrics/vif/vif_limit_device.h"
#include "program.h"

/* Returns the 53 bits of x >= 1, which is that times 2^*exponent. */
static uint64_t mantissa_of(double x, int32_t *exponent)
{
    int binary_exponent;
    const double fraction = frexp(x, &binary_exponent);
    *exponent = binary_exponent - 53;
    return (uint64_t)ldexp(fraction, 53);
}

/*
 * Kernels compare c / v1, which exceeds the gain by less than 2^-34 of it, with the limit, and
 * compute the gain exactly within 2^-20 of the limit. A limit of 1, at which all pixels of equal
 * pictures lie, needs none of this: c / (v1 + E) exceeds 1 if and only if c > v1, because both are
 * integers.
 */
vif_limit vmaf_vif_limit(double gain_limit)
{
    vif_limit limit;
    limit.mantissa = mantissa_of(gain_limit, &limit.exponent);
    limit.square_mantissa = mantissa_of(gain_limit * gain_limit, &limit.square_exponent);
    const double scaled = ldexp(gain_limit, 24);
    const double margin = gain_limit > 1 ? ldexp(gain_limit, 4) : 0;
    limit.free_to = (uint32_t)floor(scaled - margin);
    limit.limited_from = (uint32_t)ceil(scaled + margin);
    return limit;
}

/* VIF: four scales, one after the other. */
enum { ALIGNMENT = 256 /* bytes: alignment of bindings */ };

/* Both pictures of a scale above the first: rows of 16-bit samples, then the leftovers (see
 * vif_kernel.h). An image of one row or column has memory for a second one; see
 * vif_scale.kernel.c. */
typedef struct Image {
    uint32_t w, h, stride; /* size, and samples from row to row */
    uint64_t dist;         /* samples: offset of the distorted picture */
    uint64_t leftovers;
    uint64_t size; /* bytes */
} Image;

static Image image_of(const VmafGeometry *geometry, uint32_t scale)
{
    Image image = {.w = geometry->w[0] >> scale, .h = geometry->h[0] >> scale};
    image.stride = (uint32_t)round_up(image.w, 32);
    const uint64_t plane = (uint64_t)image.stride * (image.h > 1 ? image.h : 2);
    image.dist = round_up(plane, ALIGNMENT / sizeof(uint16_t));
    image.leftovers = image.dist + plane;
    image.size = (image.leftovers + 8) * sizeof(uint16_t);
    return image;
}

/* -- limits -- */

static bool skips(const VifOptions *options, uint32_t scale)
{
    return scale == 0 && options->skip_scale0;
}

/* Different limits of the gain. */
typedef struct Limits {
    uint32_t count;
    double limit[VIF_MAX_LIMITS];
} Limits;

/* Finds or adds the limit of these options. Returns its index, or VIF_MAX_LIMITS if there are too
 * many. */
static uint32_t find_limit(Limits *limits, const VifOptions *options)
{
    const double limit = options->gain_limit;
    uint32_t k = 0;
    while (k < limits->count && limits->limit[k] != limit)
        k++;
    if (k == limits->count && k < VIF_MAX_LIMITS)
        limits->limit[limits->count++] = limit;
    return k;
}

/* Requests that differ only in the limit share a pass. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    Limits limits = {0};
    bool is = true;
    (void)geometry;
    for (uint32_t r = 0; r < pass->n_requests; r++)
        is &= find_limit(&limits, pass->options[r]) < VIF_MAX_LIMITS;
    return is;
}

/* -- kernels -- */

typedef struct Builder {
    VmafProgram *program;
    const VmafGeometry *geometry;
    VmafBufferName log_steps;
    VmafBufferName images[2]; /* images of scales 1 and 3, and of scale 2 */
} Builder;

static vif_scale_args args_of(const Builder *builder, uint32_t scale)
{
    const VmafGeometry *geometry = builder->geometry;
    const Image image = image_of(geometry, scale);
    vif_scale_args args = {
        .w = (int32_t)image.w,
        .h = (int32_t)image.h,
        .stride = (int32_t)image.stride,
        .depth = 16,
        .leftovers = (int32_t)image.leftovers,
    };
    if (scale == 0) {
        args.stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample);
        args.depth = (int32_t)geometry->depth;
    }
    if (scale + 1 < VIF_SCALES) {
        const Image next = image_of(geometry, scale + 1);
        args.next_w = (int32_t)next.w;
        args.next_h = (int32_t)next.h;
        args.next_stride = (int32_t)next.stride;
        args.next_dist = (int32_t)next.dist;
        args.leftovers = (int32_t)next.leftovers;
    }
    return args;
}

static void bind_pictures(const Builder *builder, uint32_t scale, VmafBufferName buffers[2])
{
    if (scale == 0) {
        buffers[0] = vmaf_program_plane(builder->program, VMAF_BUFFER_REF, 0, 0);
        buffers[1] = vmaf_program_plane(builder->program, VMAF_BUFFER_DIST, 0, 0);
        return;
    }
    buffers[0] = buffers[1] = builder->images[(scale - 1) % 2];
    buffers[1].offset = image_of(builder->geometry, scale).dist * sizeof(uint16_t);
}

static void decimate(const Builder *builder)
{
    const vif_scale_args args = args_of(builder, 0);
    VmafProgramRun run = {
        .kernel = builder->geometry->bytes_per_sample == 1 ? "vif_decimate_8" : "vif_decimate_16",
        .buffers = {{0}, {0}, builder->images[0]},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div((uint32_t)args.w, VIF_TILE_COLUMNS),
                   ceil_div((uint32_t)args.h, VIF_TILE_ROWS), 1},
    };
    bind_pictures(builder, 0, run.buffers);
    vmaf_program_run(builder->program, 0, &run);
}

/* Measures a scale and makes the next one. The kernel for n limits is number n - 1. */
static void measure(const Builder *builder, uint32_t scale, const Limits *limits,
                    partial_sum sums[VIF_SUMS(VIF_MAX_LIMITS)])
{
    static const char *const kernels[VIF_MAX_LIMITS][VIF_SCALES + 1] = {
        {"vif_scale_0_16", "vif_scale_1", "vif_scale_2", "vif_scale_3", "vif_scale_0_8"},
        {"vif_scale_0_16_x2", "vif_scale_1_x2", "vif_scale_2_x2", "vif_scale_3_x2",
         "vif_scale_0_8_x2"},
    };
    vif_scale_args args = args_of(builder, scale);
    for (uint32_t k = 0; k < limits->count; k++)
        args.limits[k] = vmaf_vif_limit(limits->limit[k]);
    const uint32_t across = ceil_div((uint32_t)args.w, VIF_TILE_COLUMNS);
    const uint32_t down = ceil_div((uint32_t)args.h, VIF_TILE_ROWS);
    const uint32_t n_sums = VIF_SUMS(limits->count);
    uint32_t first;
    VmafProgramRun run = {
        .kernel = kernels[limits->count - 1][args.depth == 8 ? VIF_SCALES : scale],
        .buffers = {{0},
                    {0},
                    builder->log_steps,
                    builder->images[scale % 2],
                    vmaf_program_partials(builder->program, n_sums * across * down, &first)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {across, down, 1},
    };
    bind_pictures(builder, scale, run.buffers);
    vmaf_program_run(builder->program, scale, &run);
    for (uint32_t k = 0; k < n_sums; k++)
        sums[k] = (partial_sum){.first = first + k * across * down,
                                .rows = across * down,
                                .row_stride = 1,
                                .columns = 1,
                                .is_unsigned = 1};
}

/* The results of a request are those of each scale, in the order of the numbers of the sums. */
static void build_scale(const Builder *builder, uint32_t scale, const VmafMetricPass *pass)
{
    Limits limits = {0};
    partial_sum sums[VIF_SUMS(VIF_MAX_LIMITS)] = {{0}};
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        if (!skips(pass->options[r], scale))
            find_limit(&limits, pass->options[r]);
    }
    if (limits.count)
        measure(builder, scale, &limits, sums);
    else
        decimate(builder);
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        static const partial_sum zero = {.rows = 0};
        const bool is_skipped = skips(pass->options[r], scale);
        const uint32_t limit = is_skipped ? 0 : find_limit(&limits, pass->options[r]);
        for (uint32_t k = 0; k < VIF_SUMS(1); k++) {
            const partial_sum *sum = &sums[k < VIF_SUM_LOG_NUM ? k : k + limit];
            vmaf_program_result(builder->program, r, is_skipped ? &zero : sum);
        }
    }
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const Builder builder = {
        .program = program,
        .geometry = geometry,
        .log_steps = vmaf_program_table(program, vif_log_steps, sizeof(vif_log_steps)),
        .images = {vmaf_program_scratch(program, image_of(geometry, 1).size),
                   vmaf_program_scratch(program, image_of(geometry, 2).size)},
    };
    for (uint32_t s = 0; s < VIF_SCALES; s++)
        build_scale(&builder, s, pass);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    VmafRecordVif vif;
    for (uint32_t s = 0; s < VIF_SCALES; s++) {
        const uint64_t *sums = results->sums + s * VIF_SUMS(1);
        vif.log_num[s] = (int64_t)sums[VIF_SUM_LOG_NUM];
        vif.log_den[s] = (int64_t)sums[VIF_SUM_LOG_DEN];
        vif.flat_variance[s] = (int64_t)sums[VIF_SUM_FLAT_VARIANCE];
        vif.flat_count[s] = (int64_t)sums[VIF_SUM_FLAT_COUNT];
    }
    memcpy(record, &vif, sizeof(vif));
}

const VmafMetric vmaf_metric_vif = {
    .name = "vif",
    .record = VMAF_RECORD_VIF,
    .record_version = VMAF_RECORD_VIF_VERSION,
    .record_size = sizeof(VmafRecordVif),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = VIF_MIN_DEPTH,
    .depth_max = VIF_MAX_DEPTH,
    .width_min = VIF_MIN_SIZE,
    .height_min = VIF_MIN_SIZE,
    .width_max = 32768, /* kernels count samples with 31 bits */
    .height_max = 32768,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = vif_option_specs,
    .options_size = sizeof(VifOptions),
    .is_pass = is_pass,
    .build = build,
    .decode = decode,
};
