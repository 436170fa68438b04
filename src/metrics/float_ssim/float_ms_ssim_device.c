/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM of luma over five scales, in floating point: ordered sums of similarity at each. */

#include <libvmaf/backend_records.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_device.h"
#include "metrics/float_ssim/float_ssim_kernel.h"
#include "program.h"

enum { SCALES = MS_SSIM_SCALES };

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    (void)options;
    return ssim_admits(geometry->w[0], geometry->h[0], why);
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    (void)pass;
    return true;
}

static SsimImages halved(VmafProgram *program, uint32_t stage, const SsimImages *images)
{
    static const char *const names[] = {"ssim_halve_8", "ssim_halve_16", "ssim_halve_32"};
    const SsimImages next = ssim_images_create(program, images, ssim_pyramid_size(images->w),
                                               ssim_pyramid_size(images->h));
    const ssim_halve_args args = {
        .w = (int32_t)images->w,
        .h = (int32_t)images->h,
        .stride = (int32_t)images->stride,
        .depth = (int32_t)images->depth,
        .next_w = (int32_t)next.w,
        .next_h = (int32_t)next.h,
        .next_stride = (int32_t)next.stride,
    };
    for (int p = 0; p < 2; p++) {
        const VmafProgramRun run = {
            .kernel = ssim_kernel(images, names),
            .buffers = {images->side[p],
                        vmaf_program_table(program, ssim_pyramid_taps, sizeof(ssim_pyramid_taps)),
                        next.side[p]},
            .args = &args,
            .args_size = sizeof(args),
            .groups = {ceil_div(next.w, SSIM_HALVE_COLUMNS), ceil_div(next.h, SSIM_HALVE_ROWS), 1},
        };
        vmaf_program_run(program, stage, &run);
    }
    return next;
}

/* Set of the sums of a scale that a request wants. */
static unsigned sums_of(const FloatMsSsimOptions *options, int scale)
{
    const bool with_luminance = options->enable_lcs || scale == SCALES - 1;
    return 1u << SSIM_SUM_CONTRAST | 1u << SSIM_SUM_STRUCTURE |
           (with_luminance ? 1u << SSIM_SUM_LUMINANCE : 0);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    SsimImages images = ssim_images_of_luma(program, geometry);
    for (int s = 0; s < SCALES; s++) {
        unsigned wanted = 0;
        for (uint32_t r = 0; r < pass->n_requests; r++)
            wanted |= sums_of(pass->options[r], s);
        const SsimSums sums = ssim_similarity(program, (uint32_t)s, &images, wanted);
        for (uint32_t r = 0; r < pass->n_requests; r++) {
            for (int k = 0; k < SSIM_SUMS; k++) {
                if (sums_of(pass->options[r], s) >> k & 1)
                    vmaf_program_result(program, r, &sums.of[k]);
            }
        }
        if (s < SCALES - 1)
            images = halved(program, (uint32_t)s, &images);
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordFloatMsSsim);
}

static void decode(const VmafGeometry *geometry, const void *opaque,
                   const VmafMetricResults *results, void *record)
{
    uint32_t w = geometry->w[0], h = geometry->h[0];
    const uint64_t *sums = results->sums;
    VmafRecordFloatMsSsim means;
    memset(&means, 0, sizeof(means));
    for (int s = 0; s < SCALES; s++) {
        if (sums_of(opaque, s) >> SSIM_SUM_LUMINANCE & 1)
            means.luminance[s] = ssim_mean_of_bits(*sums++, w, h);
        means.contrast[s] = ssim_mean_of_bits(*sums++, w, h);
        means.structure[s] = ssim_mean_of_bits(*sums++, w, h);
        w = ssim_pyramid_size(w);
        h = ssim_pyramid_size(h);
    }
    memcpy(record, &means, sizeof(means));
}

const VmafMetric vmaf_metric_float_ms_ssim = {
    .name = "float_ms_ssim",
    .record = VMAF_RECORD_FLOAT_MS_SSIM,
    .record_version = VMAF_RECORD_FLOAT_MS_SSIM_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = MS_SSIM_MINIMUM_SIZE,
    .height_min = MS_SSIM_MINIMUM_SIZE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = float_ms_ssim_option_specs,
    .options_size = sizeof(FloatMsSsimOptions),
    .declines = "more than 2^24 positions of the window",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
