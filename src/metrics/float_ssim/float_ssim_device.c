/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM of luma, in floating point: ordered sums of similarity. */
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_args.h"
#include "metrics/float_ssim/ssim_terms_device.h"
#include "program.h"

static uint32_t factor_of(const VmafGeometry *geometry, const FloatSsimOptions *options)
{
    return float_ssim_factor(options, geometry->w[0], geometry->h[0]);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    const uint32_t factor = factor_of(geometry, options);
    if (factor > SSIM_REDUCE_MAX_FACTOR) {
        snprintf(why->text, sizeof(why->text), "pictures that are reduced by more than %d",
                 SSIM_REDUCE_MAX_FACTOR);
        return false;
    }
    return ssim_admits(ssim_reduced_size(geometry->w[0], factor),
                       ssim_reduced_size(geometry->h[0], factor), why);
}

/* Requests that reduce pictures in the same way share a pass. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    return factor_of(geometry, pass->options[pass->n_requests - 1]) ==
           factor_of(geometry, pass->options[0]);
}

static SsimImages reduced(VmafProgram *program, const SsimImages *luma, uint32_t factor)
{
    static const char *const names[] = {"ssim_reduce_8", "ssim_reduce_16", NULL};
    const SsimImages images = ssim_images_create(program, luma, ssim_reduced_size(luma->w, factor),
                                                 ssim_reduced_size(luma->h, factor));
    ssim_reduce_args args = {
        .w = (int32_t)luma->w,
        .h = (int32_t)luma->h,
        .stride = (int32_t)luma->stride,
        .depth = (int32_t)luma->depth,
        .factor = (int32_t)factor,
        .reduced_w = (int32_t)images.w,
        .reduced_h = (int32_t)images.h,
        .reduced_stride = (int32_t)images.stride,
    };
    const float share = ssim_reduction_share(factor);
    memcpy(&args.share, &share, sizeof(args.share));
    for (int p = 0; p < 2; p++) {
        const VmafProgramRun run = {
            .kernel = ssim_kernel(luma, names),
            .buffers = {luma->side[p], images.side[p]},
            .args = &args,
            .args_size = sizeof(args),
            .groups = {ceil_div(images.w, SSIM_REDUCE_COLUMNS),
                       ceil_div(images.h, SSIM_REDUCE_ROWS), 1},
        };
        vmaf_program_run(program, 0, &run);
    }
    return images;
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const uint32_t factor = factor_of(geometry, pass->options[0]);
    unsigned wanted = 1u << SSIM_SUM_INDEX;
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        if (((const FloatSsimOptions *)pass->options[r])->enable_lcs)
            wanted = (1u << SSIM_SUMS) - 1;
    }
    SsimImages images = ssim_images_of_luma(program, geometry);
    if (factor > 1)
        images = reduced(program, &images, factor);
    const SsimSums sums = ssim_similarity(program, factor > 1 ? 1 : 0, &images, wanted);
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        const FloatSsimOptions *options = pass->options[r];
        for (int k = 0; k < (options->enable_lcs ? SSIM_SUMS : SSIM_SUM_INDEX + 1); k++)
            vmaf_program_result(program, r, &sums.of[k]);
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordFloatSsim);
}

static void decode(const VmafGeometry *geometry, const void *opaque,
                   const VmafMetricResults *results, void *record)
{
    const FloatSsimOptions *options = opaque;
    const uint32_t factor = factor_of(geometry, options);
    const uint32_t w = ssim_reduced_size(geometry->w[0], factor);
    const uint32_t h = ssim_reduced_size(geometry->h[0], factor);
    const uint64_t *sums = results->sums;
    VmafRecordFloatSsim means = {.index = ssim_mean_of_bits(sums[SSIM_SUM_INDEX], w, h)};
    if (options->enable_lcs) {
        means.luminance = ssim_mean_of_bits(sums[SSIM_SUM_LUMINANCE], w, h);
        means.contrast = ssim_mean_of_bits(sums[SSIM_SUM_CONTRAST], w, h);
        means.structure = ssim_mean_of_bits(sums[SSIM_SUM_STRUCTURE], w, h);
    }
    memcpy(record, &means, sizeof(means));
}

const VmafMetric vmaf_metric_float_ssim = {
    .name = "float_ssim",
    .record = VMAF_RECORD_FLOAT_SSIM,
    .record_version = VMAF_RECORD_FLOAT_SSIM_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = SSIM_TAPS,
    .height_min = SSIM_TAPS,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = float_ssim_option_specs,
    .options_size = sizeof(FloatSsimOptions),
    .declines = "reductions by more than 64, and more than 2^24 positions of the window",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
