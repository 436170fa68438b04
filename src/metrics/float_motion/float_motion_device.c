/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_motion: for each row, the sum of differences between two low-pass filtered pictures. */

#include <errno.h>
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_motion/float_motion.h"
#include "metrics/float_motion/float_motion_kernel.h"
#include "ordered_sum.h"
#include "program.h"

enum { SCALES = 2, TILE_WIDTH = 32, TILE_HEIGHT = 8 /* work-group of float_motion_reduced */ };

static bool admits(const VmafGeometry *geometry, const void *opaque, VmafBackendReason *why)
{
    const FloatMotionOptions *options = opaque;
    if (options->force_zero) {
        snprintf(why->text, sizeof(why->text),
                 "with motion_force_zero there is nothing to compute");
        return false;
    }
    const uint32_t least = (uint32_t)float_motion_filter(options).radius + 1;
    const unsigned n_planes = float_motion_layout(options, geometry->w, geometry->h).n_planes;
    for (unsigned p = 0; p < n_planes; p++) {
        if (geometry->w[p] < least || geometry->h[p] < least) {
            snprintf(why->text, sizeof(why->text), "planes below %u samples", (unsigned)least);
            return false;
        }
    }
    return true;
}

/* Requests with the same filter share a pass, which measures the planes and scales of all. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    return float_motion_filter(pass->options[pass->n_requests - 1]).radius ==
           float_motion_filter(pass->options[0]).radius;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* A plane: its size, and that of the reduced plane, which is 0 if that is not measured. */
typedef struct Plane {
    VmafProgram *program;
    const VmafGeometry *geometry;
    uint32_t number;
    uint32_t w[SCALES], h[SCALES];
    VmafBufferName kept[2]; /* filtered pictures */
    VmafBufferName rows[SCALES];
} Plane;

static VmafBufferName scratch(const Plane *plane, int scale)
{
    return vmaf_program_scratch(plane->program,
                                (uint64_t)plane->w[scale] * plane->h[scale] * sizeof(uint32_t));
}

/* Adds up rows of differences from a stage on. */
static void sum_rows(Plane *plane, int scale, uint32_t stage, VmafBufferName differences)
{
    plane->rows[scale] =
        vmaf_program_bytes(plane->program, plane->h[scale] * (uint64_t)sizeof(uint32_t));
    const VmafRowSums sums = {
        .terms = differences,
        .rows = plane->h[scale],
        .columns = plane->w[scale],
        .stride = plane->w[scale],
        .sums = plane->rows[scale],
    };
    vmaf_program_row_sums(plane->program, &stage, &sums);
}

static void measure_full(Plane *plane, const FloatMotionFilter *filter)
{
    const VmafGeometry *geometry = plane->geometry;
    const bool bytes = geometry->bytes_per_sample == 1, kept = plane->w[1] > 0;
    const float_motion_rows_args args = {
        .w = (int32_t)plane->w[0],
        .h = (int32_t)plane->h[0],
        .stride = (int32_t)(geometry->stride[plane->number] / geometry->bytes_per_sample),
        .centre = 1 << (geometry->depth - 1),
        .tap0 = bits_of(filter->taps[0]),
        .tap1 = bits_of(filter->taps[1]),
        .tap2 = bits_of(filter->taps[2]),
    };
    VmafProgramRun run = {
        .kernel = kept ? (bytes ? "float_motion_kept_8" : "float_motion_kept_16")
                       : (bytes ? "float_motion_rows_8" : "float_motion_rows_16"),
        .buffers = {vmaf_program_plane(plane->program, VMAF_BUFFER_REF, plane->number, 1),
                    vmaf_program_plane(plane->program, VMAF_BUFFER_REF, plane->number, 0),
                    scratch(plane, 0)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(plane->w[0], FLOAT_MOTION_COLUMNS),
                   ceil_div(plane->h[0], FLOAT_MOTION_ROWS), 1},
    };
    for (int i = 0; i < 2 && kept; i++)
        run.buffers[3 + i] = plane->kept[i] = scratch(plane, 0);
    vmaf_program_run(plane->program, 0, &run);
    sum_rows(plane, 0, 1, run.buffers[2]);
}

static void add_places(reduced_place *places, uint32_t n, uint32_t n_reduced)
{
    for (uint32_t i = 0; i < n_reduced; i++) {
        const FloatMotionPlace place = float_motion_place(i, n, n_reduced);
        places[i] = (reduced_place){place.first, place.second, bits_of(place.fraction)};
    }
}

static void measure_reduced(Plane *plane)
{
    const uint32_t n_places = plane->w[1] + plane->h[1];
    const uint64_t size = n_places * (uint64_t)sizeof(reduced_place);
    reduced_place *places = malloc(size);
    if (!places) {
        plane->program->status = -ENOMEM;
        return;
    }
    add_places(places, plane->w[0], plane->w[1]);
    add_places(places + plane->w[1], plane->h[0], plane->h[1]);
    const float_motion_reduced_args args = {
        .w = (int32_t)plane->w[0],
        .w_reduced = (int32_t)plane->w[1],
        .h_reduced = (int32_t)plane->h[1],
    };
    const VmafProgramRun run = {
        .kernel = "float_motion_reduced",
        .buffers = {plane->kept[0], plane->kept[1],
                    vmaf_program_table(plane->program, places, size), scratch(plane, 1)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(plane->w[1], TILE_WIDTH), ceil_div(plane->h[1], TILE_HEIGHT), 1},
    };
    free(places);
    vmaf_program_run(plane->program, 1, &run);
    sum_rows(plane, 1, 2, run.buffers[3]);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const FloatMotionFilter filter = float_motion_filter(pass->options[0]);
    for (uint32_t p = 0; p < FLOAT_MOTION_PLANES; p++) {
        Plane plane = {.program = program, .geometry = geometry, .number = p};
        for (uint32_t r = 0; r < pass->n_requests; r++) {
            const FloatMotionLayout layout =
                float_motion_layout(pass->options[r], geometry->w, geometry->h);
            for (int s = 0; s < SCALES; s++) {
                plane.w[s] = plane.w[s] ? plane.w[s] : layout.w[p][s];
                plane.h[s] = plane.h[s] ? plane.h[s] : layout.h[p][s];
            }
        }
        if (plane.w[0] && plane.h[0])
            measure_full(&plane, &filter);
        if (plane.w[1] && plane.h[1])
            measure_reduced(&plane);
        for (uint32_t r = 0; r < pass->n_requests; r++) {
            const FloatMotionLayout layout =
                float_motion_layout(pass->options[r], geometry->w, geometry->h);
            for (int s = 0; s < SCALES; s++) {
                if (layout.h[p][s])
                    vmaf_program_result_bytes(program, r, &plane.rows[s]);
            }
        }
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    return float_motion_layout(options, geometry->w, geometry->h).n_rows * sizeof(float);
}

/* Kernels compute in code values; the record is in grey levels of 8 bits. */
static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    const FloatMotionLayout layout = float_motion_layout(options, geometry->w, geometry->h);
    const float unit = 1.0f / (float)(1u << (geometry->depth - 8));
    const void *const *rows = results->bytes;
    char *out = record;
    for (unsigned p = 0; p < layout.n_planes; p++) {
        for (int s = 0; s < SCALES; s++) {
            for (unsigned y = 0; y < layout.h[p][s]; y++) {
                float sum;
                memcpy(&sum, (const char *)*rows + y * sizeof(sum), sizeof(sum));
                sum *= unit;
                memcpy(out + (layout.offset[p][s] + y) * sizeof(sum), &sum, sizeof(sum));
            }
            rows += layout.h[p][s] > 0;
        }
    }
}

const VmafMetric vmaf_metric_float_motion = {
    .name = "float_motion",
    .record = VMAF_RECORD_FLOAT_MOTION,
    .record_version = VMAF_RECORD_FLOAT_MOTION_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .width_max = VMAF_METRIC_MAX_SIDE,
    .height_max = VMAF_METRIC_MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
    .ref_before = 1,
    .options = float_motion_option_specs,
    .options_size = sizeof(FloatMotionOptions),
    .declines = "`motion_force_zero`, which computes nothing",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
