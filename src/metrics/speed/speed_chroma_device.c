/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED of chroma: Cb and Cr of both pictures, reduced. */
#include <libvmaf/backend_records.h>
#include <string.h>

#include "metrics/speed/speed_planes_device.h"

enum { CB = 1, N_CHROMA = 2, N_PLANES = 2 * N_CHROMA };

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    return vmaf_speed_admits(geometry, CB, options, why);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafSpeedPlane planes[N_PLANES];
    for (uint32_t i = 0; i < N_PLANES; i++) {
        planes[i].plane =
            vmaf_program_plane(program, i % 2 ? VMAF_BUFFER_DIST : VMAF_BUFFER_REF, CB + i / 2, 0);
        planes[i].subtracted = planes[i].plane; /* not read */
        planes[i].is_difference = false;
    }
    vmaf_speed_build(program, geometry, pass, CB, planes, N_PLANES);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    return vmaf_speed_record_size(geometry, CB, N_PLANES, options);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    memcpy(record, results->bytes[0], record_size_of(geometry, options));
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
    .admits = admits,
    .is_pass = vmaf_speed_is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
