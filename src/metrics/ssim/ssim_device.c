/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM from integer sums: the weighted similarity of every pixel, and their sum in order. */

#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/ssim/ssim.h"
#include "metrics/ssim/ssim_kernel.h"
#include "ordered_sum.h"
#include "program.h"

enum {
    /* A buffer has eight bytes for each pixel, and devices bind at most 128 MiB of it. */
    MAX_PIXELS = (128 << 20) / 8,
    /* Weights are at most 2^16, and similarities at most 1, apart from rounding. */
    TERM_MAGNITUDE = 17,
};

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    (void)options;
    const bool fits = (uint64_t)geometry->w[0] * geometry->h[0] <= MAX_PIXELS;
    if (!fits)
        snprintf(why->text, sizeof(why->text), "%s", "picture size");
    return fits;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const uint32_t w = geometry->w[0], h = geometry->h[0];
    const SsimConstants constants = ssim_constants(geometry->depth);
    const double inside = 65536.0 * 65536.0; /* a power of two: products with it are exact */
    const ssim_terms_args args = {
        .c1 = bits_of(constants.c1),
        .c2 = bits_of(constants.c2),
        .c1_inside = bits_of(constants.c1 * inside),
        .c2_inside = bits_of(constants.c2 * inside),
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample),
    };
    const VmafBufferName terms = vmaf_program_scratch(program, (uint64_t)w * h * sizeof(double));
    const VmafProgramRun run = {
        .kernel = geometry->bytes_per_sample == 1 ? "ssim_terms_8" : "ssim_terms_16",
        .buffers = {vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0),
                    vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0), terms},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(w, SSIM_TERMS_COLUMNS), ceil_div(h, SSIM_TERMS_ROWS), 1},
    };
    vmaf_program_run(program, 0, &run);
    uint32_t stage = 1;
    const VmafOrderedSum sum = {
        .terms = terms, .count = w * h, .is_f64 = 1, .magnitude = TERM_MAGNITUDE};
    const partial_sum total = vmaf_program_ordered_sum(program, &stage, &sum);
    for (uint32_t r = 0; r < pass->n_requests; r++)
        vmaf_program_result(program, r, &total);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordSsim);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    memcpy(record, &results->sums[0], sizeof(VmafRecordSsim));
}

const VmafMetric vmaf_metric_ssim = {
    .name = "ssim",
    .record = VMAF_RECORD_SSIM,
    .record_version = VMAF_RECORD_SSIM_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = no_options,
    .declines = "more than 2^24 samples of luma",
    .admits = admits,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
