/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * SSIMULACRA 2: sums of error maps of each component of XYB at each scale.
 *
 * Each scale has the same stages, and begins one stage after the scale before: XYB, whose kernel
 * also makes the next scale; the blur of rows; the blur of columns; maps; their sums.
 */
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/ssimulacra2/ssimulacra2.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"
#include "ordered_sum.h"
#include "program.h"

enum {
    MAX_SIDE = 16384,     /* columns and rows take two iterations of a loop each */
    MAX_PIXELS = 1 << 24, /* largest binary64 map that kernels bind */
    ALIGNMENT = 256,      /* bytes: alignment of bindings */
    COLOURS = 3,
    N_MEANS = SSIMULACRA2_REF_REF, /* the moments that are means come first */
};

enum { REF, DIST, PICTURES };

/* Stages of a scale, from its first one on. */
enum { STAGE_COLOUR, STAGE_ROWS, STAGE_COLUMNS, STAGE_MAPS, STAGE_SUMS };

_Static_assert(SSIMULACRA2_MOMENTS == SSIMULACRA2_MAX_MOMENTS, "the buffers of the kernels");

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    (void)options;
    if ((uint64_t)geometry->w[0] * geometry->h[0] <= MAX_PIXELS)
        return true;
    snprintf(why->text, sizeof(why->text), "pictures of this size");
    return false;
}

/* Requests share a pass if pictures are converted alike, which is done once for all of them. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    const Ssimulacra2Options *first = pass->options[0], *last = pass->options[pass->n_requests - 1];
    return first->yuv_matrix == last->yuv_matrix;
}

/* -- the program -- */

typedef struct Builder {
    VmafProgram *program;
    const VmafGeometry *geometry;
    Ssimulacra2Sizes sizes;
    VmafBufferName table; /* table of the conversion */
} Builder;

/* A scale of both pictures. */
typedef struct Scale {
    uint32_t number, w, h;
    VmafBufferName linear[PICTURES]; /* planes of R, G, B, from scale 1 on */
    VmafBufferName xyb[PICTURES][SSIMULACRA2_COMPONENTS];
} Scale;

static uint64_t plane_size(const Scale *scale, size_t size_of_number)
{
    return (uint64_t)scale->w * scale->h * size_of_number;
}

/* Distance, in numbers, of planes in the same buffer. */
static uint32_t plane_step(const Scale *scale)
{
    const uint32_t unit = ALIGNMENT / sizeof(float);
    return ceil_div(scale->w * scale->h, unit) * unit;
}

static void run(const Builder *builder, uint32_t stage, VmafProgramRun kernel, const void *args,
                size_t args_size)
{
    kernel.args = args;
    kernel.args_size = args_size;
    kernel.groups[2] = 1;
    vmaf_program_run(builder->program, stage, &kernel);
}

/* A buffer for a slot that a kernel does not write: a new one each time, since it might be written.
 */
static VmafBufferName unused(const Builder *builder)
{
    return vmaf_program_scratch(builder->program, sizeof(double));
}

static VmafBufferName conversion_table(VmafProgram *program, int matrix, uint32_t depth)
{
    struct {
        Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE];
        Ssimulacra2Conversion conversion;
    } table;
    _Static_assert(offsetof(Ssimulacra2Conversion, b_of_u) / sizeof(float) ==
                           SSIMULACRA2_TABLE_B_OF_U - SSIMULACRA2_TABLE_UNIT &&
                       sizeof(table.transfer) == SSIMULACRA2_TABLE_UNIT * sizeof(float),
                   "as kernels read it");
    ssimulacra2_transfer_init(table.transfer);
    table.conversion = ssimulacra2_conversion(matrix, depth);
    return vmaf_program_table(program, &table, sizeof(table));
}

static Scale scale_of(const Builder *builder, uint32_t number)
{
    Scale scale = {.number = number, .w = builder->sizes.w[number], .h = builder->sizes.h[number]};
    const uint64_t size_of_linear = (uint64_t)COLOURS * plane_step(&scale) * sizeof(float);
    for (int i = 0; i < PICTURES; i++) {
        if (number)
            scale.linear[i] = vmaf_program_scratch(builder->program, size_of_linear);
        for (int c = 0; c < SSIMULACRA2_COMPONENTS; c++)
            scale.xyb[i][c] =
                vmaf_program_scratch(builder->program, plane_size(&scale, sizeof(float)));
    }
    return scale;
}

/* Makes XYB, and the pictures of the next scale; `next` is NULL if there is none. */
static void convert(const Builder *builder, const Scale *scale, const Scale *next, int picture)
{
    const VmafGeometry *geometry = builder->geometry;
    const VmafBufferName *xyb = scale->xyb[picture];
    const VmafBufferName to = next ? next->linear[picture] : unused(builder);
    const int32_t next_plane = next ? (int32_t)plane_step(next) : 0;
    const uint32_t groups[2] = {ceil_div(scale->w, SSIMULACRA2_COLOUR_COLUMNS),
                                ceil_div(scale->h, SSIMULACRA2_COLOUR_ROWS)};
    const uint32_t stage = scale->number + STAGE_COLOUR;
    if (scale->number) {
        const ssimulacra2_xyb_args args = {(int32_t)scale->w, (int32_t)scale->h,
                                           (int32_t)plane_step(scale), next_plane};
        const VmafProgramRun kernel = {
            .kernel = "ssimulacra2_xyb",
            .buffers = {scale->linear[picture], xyb[0], xyb[1], xyb[2], to},
            .groups = {groups[0], groups[1]},
        };
        run(builder, stage, kernel, &args, sizeof(args));
        return;
    }
    const enum VmafBufferKind side = picture == REF ? VMAF_BUFFER_REF : VMAF_BUFFER_DIST;
    VmafBufferName planes[COLOURS];
    for (uint32_t i = 0; i < COLOURS; i++)
        planes[i] = vmaf_program_plane(builder->program, side, i, 0);
    const ssimulacra2_decode_args args = {
        .w = (int32_t)scale->w,
        .h = (int32_t)scale->h,
        .stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample),
        .chroma_w = (int32_t)geometry->w[1],
        .chroma_h = (int32_t)geometry->h[1],
        .chroma_stride = (int32_t)(geometry->stride[1] / geometry->bytes_per_sample),
        .next_plane = next_plane,
    };
    const VmafProgramRun kernel = {
        .kernel =
            geometry->bytes_per_sample == 1 ? "ssimulacra2_decode_8" : "ssimulacra2_decode_16",
        .buffers = {planes[0], planes[1], planes[2], builder->table, xyb[0], xyb[1], xyb[2], to},
        .groups = {groups[0], groups[1]},
    };
    run(builder, stage, kernel, &args, sizeof(args));
}

/* Blurs the moments that the work on a component needs. */
static void blur(const Builder *builder, const Scale *scale, uint32_t component,
                 const Ssimulacra2Work *work, VmafBufferName moments[SSIMULACRA2_MOMENTS])
{
    const uint32_t n_moments = work->ssim ? SSIMULACRA2_MOMENTS : N_MEANS;
    for (uint32_t m = 0; m < SSIMULACRA2_MOMENTS; m++)
        moments[m] = m < n_moments
                         ? vmaf_program_scratch(builder->program, plane_size(scale, sizeof(float)))
                         : unused(builder);
    const ssimulacra2_blur_args args = {(int32_t)scale->w, (int32_t)scale->h, (int32_t)n_moments};
    const VmafProgramRun rows = {
        .kernel = "ssimulacra2_rows",
        .buffers = {scale->xyb[REF][component], scale->xyb[DIST][component], moments[0], moments[1],
                    moments[2], moments[3], moments[4]},
        .groups = {ceil_div(scale->h, SSIMULACRA2_GROUP_ROWS), 1},
    };
    run(builder, scale->number + STAGE_ROWS, rows, &args, sizeof(args));
    const VmafProgramRun columns = {
        .kernel = "ssimulacra2_columns",
        .buffers = {moments[0], moments[1], moments[2], moments[3], moments[4]},
        .groups = {ceil_div(scale->w, SSIMULACRA2_GROUP_COLUMNS), n_moments},
    };
    run(builder, scale->number + STAGE_COLUMNS, columns, &args, sizeof(args));
}

static bool wants(const Ssimulacra2Work *work, unsigned norm)
{
    return work->norms >> norm & 1;
}

/* Allocates the terms of two norms, as far as they are wanted. Those of the second norm begin after
 * `second` numbers. Sets the place of each, and returns the buffer that a kernel binds. */
static VmafBufferName terms_of(const Builder *builder, const Scale *scale,
                               const Ssimulacra2Work *work, const unsigned norms[2],
                               uint32_t second, VmafBufferName terms[SSIMULACRA2_NORMS])
{
    const uint64_t size = plane_size(scale, sizeof(double));
    const uint64_t offset = (uint64_t)second * sizeof(double);
    if (!wants(work, norms[0]) && !wants(work, norms[1]))
        return unused(builder);
    const VmafBufferName both =
        vmaf_program_scratch(builder->program, wants(work, norms[1]) ? offset + size : size);
    for (int i = 0; i < 2; i++) {
        terms[norms[i]] = both;
        terms[norms[i]].offset = i ? offset : 0;
        terms[norms[i]].size = size;
    }
    return both;
}

/* Compares the pictures and makes the terms of the norms that are wanted. */
static void compare(const Builder *builder, const Scale *scale, uint32_t component,
                    const Ssimulacra2Work *work, const VmafBufferName moments[SSIMULACRA2_MOMENTS],
                    VmafBufferName terms[SSIMULACRA2_NORMS])
{
    static const unsigned ssim1[2] = {SSIMULACRA2_SSIM1, SSIMULACRA2_SSIM1};
    static const unsigned ssim4[2] = {SSIMULACRA2_SSIM4, SSIMULACRA2_SSIM4};
    static const unsigned edges1[2] = {SSIMULACRA2_RING1, SSIMULACRA2_BLUR1};
    static const unsigned edges4[2] = {SSIMULACRA2_RING4, SSIMULACRA2_BLUR4};
    const uint32_t stage = scale->number + STAGE_MAPS;
    const uint32_t groups[2] = {ceil_div(scale->w, SSIMULACRA2_MAP_COLUMNS),
                                ceil_div(scale->h, SSIMULACRA2_MAP_ROWS)};
    ssimulacra2_map_args args = {.w = (int32_t)scale->w, .h = (int32_t)scale->h};
    if (work->ssim) {
        args.wanted = (wants(work, SSIMULACRA2_SSIM1) ? SSIMULACRA2_WANTS_TERMS : 0) |
                      (wants(work, SSIMULACRA2_SSIM4) ? SSIMULACRA2_WANTS_FOURTH : 0);
        const VmafProgramRun ssim = {
            .kernel = "ssimulacra2_ssim",
            .buffers = {moments[0], moments[1], moments[2], moments[3], moments[4],
                        terms_of(builder, scale, work, ssim1, 0, terms),
                        terms_of(builder, scale, work, ssim4, 0, terms)},
            .groups = {groups[0], groups[1]},
        };
        run(builder, stage, ssim, &args, sizeof(args));
    }
    if (work->edges) {
        const bool has_added = wants(work, SSIMULACRA2_RING1) || wants(work, SSIMULACRA2_RING4);
        const uint32_t lost = has_added ? plane_step(scale) : 0;
        args.lost = (int32_t)lost;
        args.wanted = (wants(work, SSIMULACRA2_RING1) ? SSIMULACRA2_WANTS_TERMS : 0) |
                      (wants(work, SSIMULACRA2_RING4) ? SSIMULACRA2_WANTS_FOURTH : 0) |
                      (wants(work, SSIMULACRA2_BLUR1) ? SSIMULACRA2_WANTS_LOST : 0) |
                      (wants(work, SSIMULACRA2_BLUR4) ? SSIMULACRA2_WANTS_LOST_POWER : 0);
        const VmafProgramRun edges = {
            .kernel = "ssimulacra2_edges",
            .buffers = {scale->xyb[REF][component], scale->xyb[DIST][component], moments[0],
                        moments[1], terms_of(builder, scale, work, edges1, lost, terms),
                        terms_of(builder, scale, work, edges4, lost, terms)},
            .groups = {groups[0], groups[1]},
        };
        run(builder, stage, edges, &args, sizeof(args));
    }
}

/* Adds the sums of the terms. Results are in the order of scales, components and norms. */
static void add_up(const Builder *builder, const Scale *scale, const Ssimulacra2Work *work,
                   const VmafBufferName terms[SSIMULACRA2_NORMS], uint32_t n_requests)
{
    /* Means of dissimilarities are below 1, of edges below 1/2; their fourth powers are small. */
    static const int32_t magnitudes[SSIMULACRA2_NORMS] = {
        [SSIMULACRA2_RING1] = -1,
        [SSIMULACRA2_BLUR1] = -1,
        [SSIMULACRA2_RING4] = -4,
        [SSIMULACRA2_BLUR4] = -4,
    };
    for (unsigned norm = 0; norm < SSIMULACRA2_NORMS; norm++) {
        if (!wants(work, norm))
            continue;
        uint32_t stage = scale->number + STAGE_SUMS;
        const VmafOrderedSum sum = {
            .terms = terms[norm],
            .count = scale->w * scale->h,
            .is_f64 = 1,
            .magnitude = magnitudes[norm],
        };
        const partial_sum result = vmaf_program_ordered_sum(builder->program, &stage, &sum);
        for (uint32_t r = 0; r < n_requests; r++)
            vmaf_program_result(builder->program, r, &result);
    }
}

static void measure(const Builder *builder, const Scale *scale, uint32_t n_requests)
{
    for (uint32_t c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        const Ssimulacra2Work work = ssimulacra2_work(c, scale->number);
        VmafBufferName moments[SSIMULACRA2_MOMENTS], terms[SSIMULACRA2_NORMS];
        if (!work.norms)
            continue;
        blur(builder, scale, c, &work, moments);
        compare(builder, scale, c, &work, moments, terms);
        add_up(builder, scale, &work, terms, n_requests);
    }
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const Ssimulacra2Options *options = pass->options[0];
    const Builder builder = {
        .program = program,
        .geometry = geometry,
        .sizes = ssimulacra2_sizes(geometry->w[0], geometry->h[0]),
        .table = conversion_table(program, options->yuv_matrix, geometry->depth),
    };
    Scale scale = scale_of(&builder, 0);
    for (uint32_t s = 0; s < builder.sizes.n_scales; s++) {
        const bool has_next = s + 1 < builder.sizes.n_scales;
        const Scale next = has_next ? scale_of(&builder, s + 1) : scale;
        for (int i = 0; i < PICTURES; i++)
            convert(&builder, &scale, has_next ? &next : NULL, i);
        measure(&builder, &scale, pass->n_requests);
        scale = next;
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordSsimulacra2);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)options;
    VmafRecordSsimulacra2 ssimulacra2 = {0};
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(geometry->w[0], geometry->h[0]);
    uint32_t n = 0;
    for (uint32_t s = 0; s < sizes.n_scales; s++) {
        for (uint32_t c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
            for (uint32_t k = 0; k < SSIMULACRA2_NORMS; k++) {
                if (ssimulacra2_has_weight(c, s, k))
                    memcpy(&ssimulacra2.sum[c][s][k], &results->sums[n++], sizeof(double));
            }
        }
    }
    memcpy(record, &ssimulacra2, sizeof(ssimulacra2));
}

const VmafMetric vmaf_metric_ssimulacra2 = {
    .name = "ssimulacra2",
    .record = VMAF_RECORD_SSIMULACRA2,
    .record_version = VMAF_RECORD_SSIMULACRA2_VERSION,
    .pixel_formats =
        1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 | 1u << VMAF_BACKEND_PIXEL_444,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = SSIMULACRA2_MIN_SIZE,
    .height_min = SSIMULACRA2_MIN_SIZE,
    .width_max = MAX_SIDE,
    .height_max = MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
    .options = ssimulacra2_option_specs,
    .options_size = sizeof(Ssimulacra2Options),
    .declines = "more than 2^24 samples of luma, and sides of more than 16384",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
