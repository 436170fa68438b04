/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Motion: the filtered difference between a reference picture and an earlier one. */

#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/motion/motion.h"
#include "metrics/motion/motion_kernel.h"

/* Number of frames back that a request compares with; 0: its result is zero. */
static uint32_t lag_of(const MotionOptions *options)
{
    return options->force_zero ? 0 : motion_lag(options);
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    return lag_of(pass->options[pass->n_requests - 1]) == lag_of(pass->options[0]);
}

static partial_sum measure(VmafProgram *program, const VmafGeometry *geometry, uint32_t lag)
{
    const uint32_t across = (geometry->w[0] + MOTION_SAD_COLUMNS - 1) / MOTION_SAD_COLUMNS;
    const uint32_t down = (geometry->h[0] + MOTION_SAD_ROWS - 1) / MOTION_SAD_ROWS;
    const motion_sad_args args = {
        .w = (int32_t)geometry->w[0],
        .h = (int32_t)geometry->h[0],
        .stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample),
        .depth = (int32_t)geometry->depth,
    };
    uint32_t first;
    const VmafProgramRun run = {
        .kernel = geometry->bytes_per_sample == 1 ? "motion_sad_8" : "motion_sad_16",
        .buffers = {vmaf_program_plane(program, VMAF_BUFFER_REF, 0, lag),
                    vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0),
                    vmaf_program_partials(program, across * down, &first)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {across, down, 1},
    };
    vmaf_program_run(program, 0, &run);
    return (partial_sum){
        .first = first, .rows = across * down, .row_stride = 1, .columns = 1, .is_unsigned = 1};
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const uint32_t lag = lag_of(pass->options[0]);
    const partial_sum sum = lag ? measure(program, geometry, lag) : (partial_sum){.rows = 0};
    for (uint32_t r = 0; r < pass->n_requests; r++)
        vmaf_program_result(program, r, &sum);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    const VmafRecordMotion motion = {.sad = results->sums[0]};
    memcpy(record, &motion, sizeof(motion));
}

const VmafMetric vmaf_metric_motion = {
    .name = "motion",
    .record = VMAF_RECORD_MOTION,
    .record_version = VMAF_RECORD_MOTION_VERSION,
    .record_size = sizeof(VmafRecordMotion),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = MOTION_MIN_DEPTH,
    .depth_max = MOTION_MAX_DEPTH,
    .width_min = MOTION_MIN_SIZE,
    .height_min = MOTION_MIN_SIZE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .ref_before = MOTION_MAX_LAG,
    .options = motion_option_specs,
    .options_size = sizeof(MotionOptions),
    .is_pass = is_pass,
    .build = build,
    .decode = decode,
};
