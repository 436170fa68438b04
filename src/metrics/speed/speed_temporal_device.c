/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED over time: the change of luma in both pictures, reduced. */
#include <libvmaf/backend_records.h>
#include <string.h>

#include "metrics/speed/speed_planes_device.h"

enum { LUMA = 0, N_PLANES = 2 };

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    return vmaf_speed_admits(geometry, LUMA, options, why);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const SpeedOptions *options = pass->options[0];
    const VmafBufferName ref = vmaf_program_plane(program, VMAF_BUFFER_REF, LUMA, 0);
    const VmafBufferName dist = vmaf_program_plane(program, VMAF_BUFFER_DIST, LUMA, 0);
    const VmafSpeedPlane planes[N_PLANES] = {
        {vmaf_program_plane(program, VMAF_BUFFER_REF, LUMA, 1), ref, true},
        {vmaf_program_plane(program, VMAF_BUFFER_DIST, LUMA, 1),
         options->speed_use_ref_diff ? ref : dist, true},
    };
    vmaf_speed_build(program, geometry, pass, LUMA, planes, N_PLANES);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    return vmaf_speed_record_size(geometry, LUMA, N_PLANES, options);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    memcpy(record, results->bytes[0], record_size_of(geometry, options));
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
    .admits = admits,
    .is_pass = vmaf_speed_is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
