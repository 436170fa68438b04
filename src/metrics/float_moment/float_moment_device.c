/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_moment: sums of the samples of luma and of their squares, of both pictures. */

#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_moment/float_moment_kernel.h"
#include "program.h"

enum { PICTURES = 2 };

/* Adds the sums of one of the pictures. */
static void measure(VmafProgram *program, const VmafGeometry *geometry, enum VmafBufferKind side,
                    partial_sum sums[FLOAT_MOMENT_SUMS])
{
    const uint32_t words = ceil_div(geometry->w[0], 4 / geometry->bytes_per_sample);
    const uint32_t across = ceil_div(words, FLOAT_MOMENT_WORDS);
    const uint32_t down = ceil_div(geometry->h[0], FLOAT_MOMENT_ROWS);
    const float_moment_sums_args args = {
        .w = (int32_t)geometry->w[0],
        .h = (int32_t)geometry->h[0],
        .stride = (int32_t)(geometry->stride[0] / 4),
    };
    uint32_t first;
    const VmafProgramRun run = {
        .kernel = geometry->bytes_per_sample == 1 ? "float_moment_sums_8" : "float_moment_sums_16",
        .buffers = {vmaf_program_plane(program, side, 0, 0),
                    vmaf_program_partials(program, across * down * FLOAT_MOMENT_SUMS, &first)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {across, down, 1},
    };
    vmaf_program_run(program, 0, &run);
    for (uint32_t i = 0; i < FLOAT_MOMENT_SUMS; i++)
        sums[i] = (partial_sum){.first = first + i,
                                .rows = across * down,
                                .row_stride = FLOAT_MOMENT_SUMS,
                                .columns = 1,
                                .is_unsigned = 1};
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    partial_sum sums[PICTURES][FLOAT_MOMENT_SUMS];
    measure(program, geometry, VMAF_BUFFER_REF, sums[0]);
    measure(program, geometry, VMAF_BUFFER_DIST, sums[1]);
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        for (uint32_t i = 0; i < FLOAT_MOMENT_SUMS; i++) {
            for (uint32_t p = 0; p < PICTURES; p++)
                vmaf_program_result(program, r, &sums[p][i]);
        }
    }
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    const VmafRecordFloatMoment moment = {.first = {results->sums[0], results->sums[1]},
                                          .second = {results->sums[2], results->sums[3]}};
    memcpy(record, &moment, sizeof(moment));
}

const VmafMetric vmaf_metric_float_moment = {
    .name = "float_moment",
    .record = VMAF_RECORD_FLOAT_MOMENT,
    .record_version = VMAF_RECORD_FLOAT_MOMENT_VERSION,
    .record_size = sizeof(VmafRecordFloatMoment),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = no_options,
    .build = build,
    .decode = decode,
};
