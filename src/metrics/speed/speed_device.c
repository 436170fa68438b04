/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Both metrics of SpEED: planes are reduced and become a record, one after the other. */

#include <errno.h>
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "metrics/common/filter_taps.h"
#include "metrics/speed/speed.h"
#include "metrics/speed/speed_kernel.h"
#include "program.h"

/* A plane, or the difference of two. */
typedef struct SourcePlane {
    VmafBufferName plane, subtracted;
    bool is_difference;
} SourcePlane;

enum { SCRATCH_ALIGNMENT = 256 / sizeof(float) }; /* samples: planes begin at multiples */

_Static_assert(SPEED_LOW_PASS_MAX_TAPS >= SPEED_MAX_LOW_PASS_TAPS, "room in the kernel");

static bool reason_set(VmafBackendReason *why, const char *text)
{
    snprintf(why->text, sizeof(why->text), "%s", text);
    return false;
}

/* Returns true if planes of this size can be computed with these options; otherwise `why` receives
 * the reason. */
static bool planes_admitted(const VmafGeometry *geometry, uint32_t plane,
                            const SpeedOptions *options, VmafBackendReason *why)
{
    const SpeedGeometry planes =
        speed_geometry(geometry->w[plane], geometry->h[plane], options->speed_prescale);
    ResampleMethod method;
    if (geometry->depth != 8 && geometry->depth != 10 && geometry->depth != 12 &&
        geometry->depth != 16)
        return reason_set(why, "bit depth");
    if (!gaussian_scale_is_known(options->speed_kernelscale))
        return reason_set(why, "speed_kernelscale");
    if (!options->speed_prescale_method ||
        !resample_method_find(options->speed_prescale_method, &method))
        return reason_set(why, "speed_prescale_method");
    return speed_geometry_fits(&planes) || reason_set(why, "the planes are too small");
}

/* Requests whose records are equal share a pass. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    return speed_record_shared(pass->options[0], pass->options[pass->n_requests - 1]);
}

static uint64_t residual_size(const SpeedGeometry *g)
{
    return (uint64_t)g->blocks_w * g->blocks_h * sizeof(float);
}

static uint64_t planes_record_size(const VmafGeometry *geometry, uint32_t plane, uint32_t n_planes,
                                   const SpeedOptions *options)
{
    const SpeedGeometry g =
        speed_geometry(geometry->w[plane], geometry->h[plane], options->speed_prescale);
    return n_planes * residual_size(&g);
}

/* -- sources of samples -- */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Sizes of planes and of the planes made from them, and the filters between them. */
typedef struct Layout {
    SpeedGeometry geometry;
    SpeedFilters filters;
    bool is_resized;
    ResampleMethod method;
    uint32_t n_parts;
    float to_8bit; /* factor from code values to 8-bit levels */
} Layout;

static Layout layout_of(const VmafGeometry *geometry, uint32_t plane, const SpeedOptions *options)
{
    Layout layout = {
        .geometry = speed_geometry(geometry->w[plane], geometry->h[plane], options->speed_prescale),
        .filters = speed_filters(options->speed_kernelscale),
        .method = RESAMPLE_NEAREST,
        .to_8bit = 1.0f / (float)(1u << (geometry->depth - 8)),
    };
    layout.is_resized = speed_is_resized(&layout.geometry, options->speed_prescale);
    if (layout.is_resized)
        resample_method_find(options->speed_prescale_method, &layout.method);
    layout.n_parts = resample_n_taps(layout.method);
    return layout;
}

/* Index of the sample at i of n samples, mirrored at the border sample, which is not repeated; n is
 * larger than the number of the filter's taps. */
static uint32_t mirrored(int32_t i, uint32_t n)
{
    if (i < 0)
        return (uint32_t)-i;
    return (uint32_t)i < n ? (uint32_t)i : 2 * n - 2 - (uint32_t)i;
}

/* Finds the samples from which sample x of the resized plane is made, along one axis. A plane that
 * is not resized may still lose or gain a column or row. */
static void find_parts(const Layout *layout, uint32_t x, uint32_t n_scaled, uint32_t n,
                       float factor, speed_tap parts[])
{
    ResampleTap taps[RESAMPLE_MAX_TAPS] = {{x < n ? x : n - 1, 1}};
    if (layout->is_resized)
        resample_taps(layout->method, x, n_scaled, n, taps);
    for (uint32_t i = 0; i < layout->n_parts; i++)
        parts[i] = (speed_tap){taps[i].index, bits_of(taps[i].weight * factor)};
}

/* The table for one axis: for each decimated sample and each tap of the low-pass the parts of the
 * resized sample that it falls on. */
static VmafBufferName axis_table(VmafProgram *program, const Layout *layout, uint32_t n_decimated,
                                 uint32_t n_scaled, uint32_t n, float factor)
{
    const uint32_t n_taps = (uint32_t)layout->filters.n_low_pass;
    const size_t size = (size_t)n_decimated * n_taps * layout->n_parts * sizeof(speed_tap);
    speed_tap *table = malloc(size);
    if (!table) {
        program->status = -ENOMEM;
        return (VmafBufferName){.kind = VMAF_BUFFER_TABLE};
    }
    for (uint32_t i = 0; i < n_decimated * n_taps; i++) {
        const int32_t at =
            (int32_t)(SPEED_DECIMATION * (i / n_taps) + i % n_taps) - (int32_t)(n_taps / 2);
        find_parts(layout, mirrored(at, n_scaled), n_scaled, n, factor,
                   table + (size_t)i * layout->n_parts);
    }
    const VmafBufferName name = vmaf_program_table(program, table, size);
    free(table);
    return name;
}

/* -- the program -- */

static const char *low_pass_kernel(const VmafGeometry *geometry, const Layout *layout)
{
    const bool is_byte = geometry->bytes_per_sample == 1;
    if (layout->n_parts > 1)
        return is_byte ? "speed_low_pass_resampled_8" : "speed_low_pass_resampled_16";
    return is_byte ? "speed_low_pass_8" : "speed_low_pass_16";
}

static void low_pass(VmafProgram *program, const VmafGeometry *geometry, const Layout *layout,
                     uint32_t plane, const SourcePlane planes[], uint32_t n_planes,
                     VmafBufferName decimated, uint64_t plane_stride)
{
    const SpeedGeometry *g = &layout->geometry;
    const uint32_t n_taps = (uint32_t)layout->filters.n_low_pass;
    const bool is_weighted = layout->n_parts > 1;
    const VmafBufferName columns =
        axis_table(program, layout, g->decimated_w, g->scaled_w, g->w, 1);
    const VmafBufferName rows = axis_table(program, layout, g->decimated_h, g->scaled_h, g->h,
                                           is_weighted ? layout->to_8bit : 1);
    const VmafBufferName taps =
        vmaf_program_table(program, layout->filters.low_pass, n_taps * sizeof(float));
    for (uint32_t i = 0; i < n_planes; i++) {
        const speed_low_pass_args args = {
            .w = (int32_t)g->decimated_w,
            .stride = (int32_t)(geometry->stride[plane] / geometry->bytes_per_sample),
            .n_taps = (int32_t)n_taps,
            .n_parts = (int32_t)layout->n_parts,
            .is_difference = planes[i].is_difference,
            .centre = 128 << (geometry->depth - 8),
            .is_normalised = layout->method == RESAMPLE_LANCZOS4,
            .factor = bits_of(is_weighted ? 1 / layout->to_8bit : layout->to_8bit),
        };
        VmafBufferName out = decimated;
        out.offset = i * plane_stride * sizeof(float);
        out.size = (uint64_t)g->decimated_w * g->decimated_h * sizeof(float);
        const VmafProgramRun run = {
            .kernel = low_pass_kernel(geometry, layout),
            .buffers = {planes[i].plane, planes[i].subtracted, columns, rows, taps, out},
            .args = &args,
            .args_size = sizeof(args),
            .groups = {ceil_div(g->decimated_w, SPEED_LOW_PASS_COLUMNS), g->decimated_h, 1},
        };
        vmaf_program_run(program, 0, &run);
    }
}

static VmafBufferName subtract_mean(VmafProgram *program, const Layout *layout, uint32_t n_planes,
                                    VmafBufferName decimated, uint64_t plane_stride)
{
    const SpeedGeometry *g = &layout->geometry;
    const uint32_t n_taps = (uint32_t)layout->filters.n_local_mean;
    const VmafBufferName residual = vmaf_program_bytes(program, n_planes * residual_size(g));
    const speed_residual_args args = {
        .w = (int32_t)g->decimated_w,
        .h = (int32_t)g->decimated_h,
        .plane_stride = (int32_t)plane_stride,
        .blocks_w = (int32_t)g->blocks_w,
        .blocks_h = (int32_t)g->blocks_h,
        .n_taps = (int32_t)n_taps,
    };
    const VmafProgramRun run = {
        .kernel = "speed_residual",
        .buffers = {decimated,
                    vmaf_program_table(program, layout->filters.local_mean, n_taps * sizeof(float)),
                    residual},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(g->blocks_w, SPEED_RESIDUAL_COLUMNS),
                   ceil_div(g->blocks_h, SPEED_RESIDUAL_ROWS), n_planes},
    };
    vmaf_program_run(program, 1, &run);
    return residual;
}

/* Writes the program for planes that have the size of plane number `plane`. */
static void build_planes(VmafProgram *program, const VmafGeometry *geometry,
                         const VmafMetricPass *pass, uint32_t plane, const SourcePlane planes[],
                         uint32_t n_planes)
{
    const Layout layout = layout_of(geometry, plane, pass->options[0]);
    const SpeedGeometry *g = &layout.geometry;
    const uint64_t plane_stride =
        (uint64_t)ceil_div(g->decimated_w * g->decimated_h, SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT;
    const VmafBufferName decimated =
        vmaf_program_scratch(program, n_planes * plane_stride * sizeof(float));
    low_pass(program, geometry, &layout, plane, planes, n_planes, decimated, plane_stride);
    const VmafBufferName residual =
        subtract_mean(program, &layout, n_planes, decimated, plane_stride);
    for (uint32_t r = 0; r < pass->n_requests; r++)
        vmaf_program_result_bytes(program, r, &residual);
}

/* -- speed_chroma: Cb and Cr of both pictures, reduced -- */

enum { CB = 1, N_CHROMA = 4 }; /* of two pictures */

static bool chroma_admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    return planes_admitted(geometry, CB, options, why);
}

static void chroma_build(VmafProgram *program, const VmafGeometry *geometry,
                         const VmafMetricPass *pass)
{
    SourcePlane planes[N_CHROMA];
    for (uint32_t i = 0; i < N_CHROMA; i++) {
        planes[i].plane =
            vmaf_program_plane(program, i % 2 ? VMAF_BUFFER_DIST : VMAF_BUFFER_REF, CB + i / 2, 0);
        planes[i].subtracted = planes[i].plane; /* not read */
        planes[i].is_difference = false;
    }
    build_planes(program, geometry, pass, CB, planes, N_CHROMA);
}

static uint64_t chroma_record_size_of(const VmafGeometry *geometry, const void *options)
{
    return planes_record_size(geometry, CB, N_CHROMA, options);
}

static void chroma_decode(const VmafGeometry *geometry, const void *options,
                          const VmafMetricResults *results, void *record)
{
    memcpy(record, results->bytes[0], chroma_record_size_of(geometry, options));
}

const VmafMetric vmaf_metric_speed_chroma = {
    .name = "speed_chroma",
    .record = VMAF_RECORD_SPEED_CHROMA,
    .record_version = VMAF_RECORD_SPEED_CHROMA_VERSION,
    .pixel_formats =
        1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 | 1u << VMAF_BACKEND_PIXEL_444,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
    .options = speed_chroma_option_specs,
    .options_size = sizeof(SpeedOptions),
    .admits = chroma_admits,
    .is_pass = is_pass,
    .build = chroma_build,
    .record_size_of = chroma_record_size_of,
    .decode = chroma_decode,
};

/* -- speed_temporal: the change of luma in both pictures, reduced -- */

enum { LUMA = 0, N_LUMA = 2 };

static bool temporal_admits(const VmafGeometry *geometry, const void *options,
                            VmafBackendReason *why)
{
    return planes_admitted(geometry, LUMA, options, why);
}

static void temporal_build(VmafProgram *program, const VmafGeometry *geometry,
                           const VmafMetricPass *pass)
{
    const SpeedOptions *options = pass->options[0];
    const VmafBufferName ref = vmaf_program_plane(program, VMAF_BUFFER_REF, LUMA, 0);
    const VmafBufferName dist = vmaf_program_plane(program, VMAF_BUFFER_DIST, LUMA, 0);
    const SourcePlane planes[N_LUMA] = {
        {vmaf_program_plane(program, VMAF_BUFFER_REF, LUMA, 1), ref, true},
        {vmaf_program_plane(program, VMAF_BUFFER_DIST, LUMA, 1),
         options->speed_use_ref_diff ? ref : dist, true},
    };
    build_planes(program, geometry, pass, LUMA, planes, N_LUMA);
}

static uint64_t temporal_record_size_of(const VmafGeometry *geometry, const void *options)
{
    return planes_record_size(geometry, LUMA, N_LUMA, options);
}

static void temporal_decode(const VmafGeometry *geometry, const void *options,
                            const VmafMetricResults *results, void *record)
{
    memcpy(record, results->bytes[0], temporal_record_size_of(geometry, options));
}

const VmafMetric vmaf_metric_speed_temporal = {
    .name = "speed_temporal",
    .record = VMAF_RECORD_SPEED_TEMPORAL,
    .record_version = VMAF_RECORD_SPEED_TEMPORAL_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_Y,
    .ref_before = 1,
    .dist_before = 1,
    .options = speed_temporal_option_specs,
    .options_size = sizeof(SpeedOptions),
    .admits = temporal_admits,
    .is_pass = is_pass,
    .build = temporal_build,
    .record_size_of = temporal_record_size_of,
    .decode = temporal_decode,
};
