/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PSNR: sums of squared differences of each plane. */

#include "metrics/psnr/psnr_device.h"

#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/psnr/psnr.h"
#include "metrics/psnr/psnr_kernel.h"
#include "program.h"

partial_sum vmaf_psnr_measure_plane(VmafProgram *program, const VmafGeometry *geometry,
                                    unsigned plane, const char *kernel)
{
    if (!geometry->w[plane] || !geometry->h[plane])
        return (partial_sum){.rows = 0}; /* a picture one sample wide has no chroma */
    const uint32_t samples_per_word = 4 / geometry->bytes_per_sample;
    const uint32_t words = ceil_div(geometry->w[plane], samples_per_word);
    const uint32_t across = ceil_div(words, PSNR_SSE_WORDS);
    const uint32_t down = ceil_div(geometry->h[plane], PSNR_SSE_ROWS);
    const psnr_sse_args args = {
        .w = (int32_t)geometry->w[plane],
        .h = (int32_t)geometry->h[plane],
        .ref_stride = (int32_t)(geometry->stride[plane] / 4),
        .dist_stride = (int32_t)(geometry->stride[plane] / 4),
    };
    uint32_t first;
    const VmafProgramRun run = {
        .kernel = kernel,
        .buffers = {vmaf_program_plane(program, VMAF_BUFFER_REF, plane, 0),
                    vmaf_program_plane(program, VMAF_BUFFER_DIST, plane, 0),
                    vmaf_program_partials(program, across * down, &first)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {across, down, 1},
    };
    vmaf_program_run(program, 0, &run);
    return (partial_sum){
        .first = first, .rows = across * down, .row_stride = 1, .columns = 1, .is_unsigned = 1};
}

static unsigned planes_of(const VmafGeometry *geometry, const PsnrOptions *options)
{
    return psnr_planes(options, geometry->pixel_format != VMAF_BACKEND_PIXEL_400);
}

/* Writes the program. Requests without chroma share the pass: chroma is measured if any wants it.
 */
static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const char *kernel = geometry->bytes_per_sample == 1 ? "psnr_sse_8" : "psnr_sse_16";
    unsigned planes = 0;
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        const unsigned wanted = planes_of(geometry, pass->options[r]);
        planes = wanted > planes ? wanted : planes;
    }
    for (unsigned p = 0; p < planes; p++) {
        const partial_sum sum = vmaf_psnr_measure_plane(program, geometry, p, kernel);
        for (uint32_t r = 0; r < pass->n_requests; r++) {
            if (p < planes_of(geometry, pass->options[r]))
                vmaf_program_result(program, r, &sum);
        }
    }
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    VmafRecordPsnr psnr = {{0}};
    memcpy(psnr.sse, results->sums, planes_of(geometry, options) * sizeof(psnr.sse[0]));
    memcpy(record, &psnr, sizeof(psnr));
}

const VmafMetric vmaf_metric_psnr = {
    .name = "psnr",
    .record = VMAF_RECORD_PSNR,
    .record_version = VMAF_RECORD_PSNR_VERSION,
    .record_size = sizeof(VmafRecordPsnr),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
    .options = psnr_option_specs,
    .options_size = sizeof(PsnrOptions),
    .build = build,
    .decode = decode,
};
