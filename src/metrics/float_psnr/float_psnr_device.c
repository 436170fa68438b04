/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_psnr: the sum of squared differences of luma, each square rounded as in binary32. */
#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/psnr/psnr_device.h"

enum {
    EXACT_SQUARES_DEPTH = 12
}; /* largest depth at which squares have 24 bits, and are not rounded */

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const char *kernel = geometry->depth > EXACT_SQUARES_DEPTH ? "psnr_sse_rounded"
                         : geometry->bytes_per_sample == 1     ? "psnr_sse_8"
                                                               : "psnr_sse_16";
    const partial_sum sum = vmaf_psnr_measure_plane(program, geometry, 0, kernel);
    for (uint32_t r = 0; r < pass->n_requests; r++)
        vmaf_program_result(program, r, &sum);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    const VmafRecordFloatPsnr float_psnr = {.sse = results->sums[0]};
    memcpy(record, &float_psnr, sizeof(float_psnr));
}

const VmafMetric vmaf_metric_float_psnr = {
    .name = "float_psnr",
    .record = VMAF_RECORD_FLOAT_PSNR,
    .record_version = VMAF_RECORD_FLOAT_PSNR_VERSION,
    .record_size = sizeof(VmafRecordFloatPsnr),
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
