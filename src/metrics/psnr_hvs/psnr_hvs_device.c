/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* PSNR-HVS-M: sums of weighted errors of coefficients, for each plane, in the order of the blocks.
 */

#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/psnr_hvs/psnr_hvs.h"
#include "metrics/psnr_hvs/psnr_hvs_kernel.h"
#include "ordered_sum.h"

/* Largest number of blocks whose errors a kernel binds. */
enum { MOST_BLOCKS = 1 << 19, BYTES_OF_BLOCK = PSNR_HVS_COEFFICIENTS * sizeof(float) };

_Static_assert(offsetof(PsnrHvsWeights, masking) == PSNR_HVS_MASKING * sizeof(float) &&
                   offsetof(PsnrHvsWeights, whole_scale) == PSNR_HVS_WHOLE_SCALE * sizeof(float) &&
                   offsetof(PsnrHvsWeights, quadrant_scale) ==
                       PSNR_HVS_QUADRANT_SCALE * sizeof(float),
               "as kernels read it");

static uint32_t blocks_of(const VmafGeometry *geometry, uint32_t plane)
{
    return psnr_hvs_blocks(geometry->w[plane]) * psnr_hvs_blocks(geometry->h[plane]);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    (void)options;
    if (geometry->w[1] < PSNR_HVS_BLOCK || geometry->h[1] < PSNR_HVS_BLOCK)
        snprintf(why->text, sizeof(why->text), "planes of less than 8x8 samples");
    else if (blocks_of(geometry, 0) > VMAF_ORDERED_SUM_MAX / PSNR_HVS_COEFFICIENTS)
        snprintf(why->text, sizeof(why->text), "pictures of this size");
    else
        return true;
    return false;
}

static void add_errors(VmafProgram *program, const VmafGeometry *geometry, uint32_t plane,
                       VmafBufferName terms)
{
    PsnrHvsWeights weights;
    psnr_hvs_weights_init(&weights, plane);
    const VmafBufferName ref = vmaf_program_plane(program, VMAF_BUFFER_REF, plane, 0);
    const VmafBufferName dist = vmaf_program_plane(program, VMAF_BUFFER_DIST, plane, 0);
    const VmafBufferName table = vmaf_program_table(program, &weights, sizeof(weights));
    const int32_t stride = (int32_t)(geometry->stride[plane] / geometry->bytes_per_sample);
    const uint32_t blocks = blocks_of(geometry, plane);
    for (uint32_t first = 0; first < blocks; first += MOST_BLOCKS) {
        const uint32_t n = blocks - first < MOST_BLOCKS ? blocks - first : MOST_BLOCKS;
        const psnr_hvs_errors_args args = {
            .across = (int32_t)psnr_hvs_blocks(geometry->w[plane]),
            .first = (int32_t)first,
            .end = (int32_t)(first + n),
            .ref_stride = stride,
            .dist_stride = stride,
        };
        VmafBufferName part = terms;
        part.offset = (uint64_t)first * BYTES_OF_BLOCK;
        part.size = (uint64_t)n * BYTES_OF_BLOCK;
        const VmafProgramRun run = {
            .kernel = geometry->bytes_per_sample == 1 ? "psnr_hvs_errors_8" : "psnr_hvs_errors_16",
            .buffers = {ref, dist, table, part},
            .args = &args,
            .args_size = sizeof(args),
            .groups = {(n + PSNR_HVS_GROUP - 1) / PSNR_HVS_GROUP, 1, 1},
        };
        vmaf_program_run(program, 0, &run);
    }
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    for (uint32_t plane = 0; plane < PSNR_HVS_PLANES; plane++) {
        const uint32_t blocks = blocks_of(geometry, plane);
        const VmafOrderedSum sum = {
            .terms = vmaf_program_scratch(program, (uint64_t)blocks * BYTES_OF_BLOCK),
            .count = blocks * PSNR_HVS_COEFFICIENTS,
            .magnitude = (int32_t)(2 * geometry->depth),
        };
        uint32_t stage = 1;
        add_errors(program, geometry, plane, sum.terms);
        const partial_sum result = vmaf_program_ordered_sum(program, &stage, &sum);
        for (uint32_t r = 0; r < pass->n_requests; r++)
            vmaf_program_result(program, r, &result);
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordPsnrHvs);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    VmafRecordPsnrHvs hvs;
    (void)geometry;
    (void)options;
    for (uint32_t plane = 0; plane < PSNR_HVS_PLANES; plane++) {
        const uint32_t bits = (uint32_t)results->sums[plane];
        memcpy(&hvs.error[plane], &bits, sizeof(bits));
    }
    memcpy(record, &hvs, sizeof(hvs));
}

const VmafMetric vmaf_metric_psnr_hvs = {
    .name = "psnr_hvs",
    .record = VMAF_RECORD_PSNR_HVS,
    .record_version = VMAF_RECORD_PSNR_HVS_VERSION,
    .pixel_formats =
        1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 | 1u << VMAF_BACKEND_PIXEL_444,
    .depth_min = PSNR_HVS_MIN_DEPTH,
    .depth_max = PSNR_HVS_MAX_DEPTH,
    .width_min = PSNR_HVS_BLOCK,
    .height_min = PSNR_HVS_BLOCK,
    .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR,
    .options = no_options,
    .admits = admits,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
