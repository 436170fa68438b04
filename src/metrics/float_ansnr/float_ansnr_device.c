/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ansnr: for each row, sums of the squares of two filtered pictures. */

#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_ansnr/float_ansnr_filter.h"
#include "metrics/float_ansnr/float_ansnr_kernel.h"
#include "ordered_sum.h"
#include "program.h"

enum { SIGNAL, NOISE, SUMS };

/* Bits of a tap as a binary32 number, in the units of the kernel. */
static uint32_t tap(int row, int column)
{
    const float value = FLOAT_ANSNR_UNITS * float_ansnr_tap(row, column);
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const uint32_t w = geometry->w[0], h = geometry->h[0];
    const float_ansnr_squares_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample),
        .centre = 1 << (geometry->depth - 1),
        .tap00 = tap(0, 0),
        .tap01 = tap(0, 1),
        .tap02 = tap(0, 2),
        .tap11 = tap(1, 1),
        .tap12 = tap(1, 2),
        .tap22 = tap(2, 2),
    };
    const uint64_t size = (uint64_t)w * h * sizeof(uint32_t);
    const VmafProgramRun run = {
        .kernel =
            geometry->bytes_per_sample == 1 ? "float_ansnr_squares_8" : "float_ansnr_squares_16",
        .buffers = {vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0),
                    vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0),
                    vmaf_program_scratch(program, size), vmaf_program_scratch(program, size)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(w, FLOAT_ANSNR_COLUMNS), ceil_div(h, FLOAT_ANSNR_ROWS), 1},
    };
    vmaf_program_run(program, 0, &run);
    for (int i = 0; i < SUMS; i++) {
        const VmafRowSums sums = {
            .terms = run.buffers[2 + i],
            .rows = h,
            .columns = w,
            .stride = w,
            .sums = vmaf_program_bytes(program, h * (uint64_t)sizeof(uint32_t)),
        };
        uint32_t stage = 1;
        vmaf_program_row_sums(program, &stage, &sums);
        for (uint32_t r = 0; r < pass->n_requests; r++)
            vmaf_program_result_bytes(program, r, &sums.sums);
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)options;
    return geometry->h[0] * sizeof(VmafRecordFloatAnsnrRow);
}

static float sum_at(const void *sums, uint32_t y)
{
    float sum;
    memcpy(&sum, (const char *)sums + y * sizeof(sum), sizeof(sum));
    return sum;
}

/* Sums are in squared units of the kernel, the record in squared grey levels of 8 bits. */
static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)options;
    const float level = FLOAT_ANSNR_UNITS * (float)(1u << (geometry->depth - 8));
    const float unit = 1 / (level * level);
    for (uint32_t y = 0; y < geometry->h[0]; y++) {
        const VmafRecordFloatAnsnrRow row = {.signal = sum_at(results->bytes[SIGNAL], y) * unit,
                                             .noise = sum_at(results->bytes[NOISE], y) * unit};
        memcpy((char *)record + y * sizeof(row), &row, sizeof(row));
    }
}

const VmafMetric vmaf_metric_float_ansnr = {
    .name = "float_ansnr",
    .record = VMAF_RECORD_FLOAT_ANSNR,
    .record_version = VMAF_RECORD_FLOAT_ANSNR_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = ANSNR_MIN_SIZE,
    .height_min = ANSNR_MIN_SIZE,
    .width_max = VMAF_METRIC_MAX_SIDE,
    .height_max = VMAF_METRIC_MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = no_options,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
