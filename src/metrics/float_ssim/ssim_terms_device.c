/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_terms_device.h"

#include <stdio.h>
#include <string.h>

#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_args.h"
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
