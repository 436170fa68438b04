/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/float_ssim_device.h"

#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_kernel.h"
#include "program.h"

SsimImages ssim_images_of_luma(VmafProgram *program, const VmafGeometry *geometry)
{
    return (SsimImages){
        .side = {vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0),
                 vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0)},
        .w = geometry->w[0],
        .h = geometry->h[0],
        .stride = geometry->stride[0] / geometry->bytes_per_sample,
        .sample_bits = 8 * geometry->bytes_per_sample,
        .depth = geometry->depth,
    };
}

SsimImages ssim_images_create(VmafProgram *program, const SsimImages *like, uint32_t w, uint32_t h)
{
    enum { ALIGNMENT = 32 }; /* samples: devices read such rows fastest */
    SsimImages images = {.w = w, .h = h, .sample_bits = 32, .depth = like->depth};
    images.stride = (w + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (int p = 0; p < 2; p++)
        images.side[p] =
            vmaf_program_scratch(program, (uint64_t)images.stride * h * sizeof(uint32_t));
    return images;
}

const char *ssim_kernel(const SsimImages *images, const char *const names[3])
{
    return names[images->sample_bits / 16];
}

bool ssim_admits(uint32_t w, uint32_t h, VmafBackendReason *why)
{
    /* A kernel binds 8 bytes for each position, and at most 2^27 bytes. */
    enum { MAX_POSITIONS = 1 << 24 };
    _Static_assert((int)MAX_POSITIONS <= (int)VMAF_ORDERED_SUM_MAX, "or fewer");
    if ((uint64_t)ssim_positions(w) * ssim_positions(h) <= MAX_POSITIONS)
        return true;
    snprintf(why->text, sizeof(why->text), "more than %d positions of the window",
             (int)MAX_POSITIONS);
    return false;
}

SsimSums ssim_similarity(VmafProgram *program, uint32_t stage, const SsimImages *images,
                         unsigned wanted)
{
    static const char *const names[] = {"ssim_compare_8", "ssim_compare_16", "ssim_compare_32"};
    static const int32_t bits[SSIM_SUMS] = {SSIM_TERM_INDEX, SSIM_TERM_LUMINANCE,
                                            SSIM_TERM_CONTRAST, SSIM_TERM_STRUCTURE};
    enum { UNUSED_SIZE = 8 };
    const uint32_t w = ssim_positions(images->w), h = ssim_positions(images->h);
    ssim_compare_args args = {
        .w = (int32_t)images->w,
        .h = (int32_t)images->h,
        .stride = (int32_t)images->stride,
        .depth = (int32_t)images->depth,
    };
    VmafProgramRun run = {
        .kernel = ssim_kernel(images, names),
        .buffers = {images->side[0], images->side[1]},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {ceil_div(w, SSIM_COMPARE_COLUMNS), ceil_div(h, SSIM_COMPARE_ROWS), 1},
    };
    for (int k = 0; k < SSIM_SUMS; k++) {
        const bool is_wanted = wanted >> k & 1;
        args.terms |= is_wanted ? bits[k] : 0;
        run.buffers[2 + k] = vmaf_program_scratch(
            program, is_wanted ? (uint64_t)w * h * sizeof(uint64_t) : UNUSED_SIZE);
    }
    vmaf_program_run(program, stage, &run);
    SsimSums sums = {0};
    for (int k = 0; k < SSIM_SUMS; k++) {
        if (!(wanted >> k & 1))
            continue;
        const VmafOrderedSum sum = {
            .terms = run.buffers[2 + k], .count = w * h, .is_f64 = 1, .magnitude = 1};
        uint32_t next = stage + 1; /* all sums are made at the same time */
        sums.of[k] = vmaf_program_ordered_sum(program, &next, &sum);
    }
    return sums;
}

float ssim_mean_of_bits(uint64_t bits, uint32_t w, uint32_t h)
{
    double sum;
    memcpy(&sum, &bits, sizeof(sum));
    return ssim_mean(sum, w, h);
}

/* SSIM of luma, in floating point: ordered sums of similarity. */

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    const uint32_t factor = float_ssim_factor(options, geometry->w[0], geometry->h[0]);
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
    return float_ssim_factor(pass->options[pass->n_requests - 1], geometry->w[0], geometry->h[0]) ==
           float_ssim_factor(pass->options[0], geometry->w[0], geometry->h[0]);
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
    const uint32_t factor = float_ssim_factor(pass->options[0], geometry->w[0], geometry->h[0]);
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
    const uint32_t factor = float_ssim_factor(options, geometry->w[0], geometry->h[0]);
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
