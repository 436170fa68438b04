/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr/psnr_plane_device.h"

#include "metrics/psnr/psnr_sse_args.h"
#include "rounding.h"

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
