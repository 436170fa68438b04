/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRICS_FLOAT_SSIM_SSIM_TERMS_H
#define VMAF_SDK_METRICS_FLOAT_SSIM_SSIM_TERMS_H

#include <stdbool.h>

#include <libvmaf/backend.h>

#include "ordered_sum.h"
#include "program.h"

/* What float_ssim and float_ms_ssim share: images, and the sums of similarity over them. */

/* Both pictures, or what was made of them. */
typedef struct SsimImages {
    VmafBufferName side[2]; /* reference, distorted */
    uint32_t w, h, stride;  /* in samples */
    uint32_t sample_bits;   /* in memory: 8 or 16 of pictures, 32 of binary32 numbers */
    uint32_t depth;         /* of the pictures */
} SsimImages;

/* Sums over all positions of the window. */
enum {
    SSIM_SUM_INDEX,
    SSIM_SUM_LUMINANCE,
    SSIM_SUM_CONTRAST,
    SSIM_SUM_STRUCTURE,
    SSIM_SUMS,
};
typedef struct SsimSums {
    partial_sum of[SSIM_SUMS]; /* those that are wanted */
} SsimSums;

/* Luma of the pictures. */
SsimImages ssim_images_of_luma(VmafProgram *program, const VmafGeometry *geometry);
/* Memory for images of w x h binary32 numbers. */
SsimImages ssim_images_create(VmafProgram *program, const SsimImages *like, uint32_t w, uint32_t h);

/* "8", "16" or "32": how the names of kernels end that read such images. */
const char *ssim_kernel(const SsimImages *images, const char *const names[3]);

/* Whether kernels can bind what images of this size need, for all sums of an image; if not, says
 * why. */
bool ssim_admits(uint32_t w, uint32_t h, VmafBackendReason *why);

/* Kernels from a stage on that compute the sums of a set (1 << SSIM_SUM_*). */
SsimSums ssim_similarity(VmafProgram *program, uint32_t stage, const SsimImages *images,
                         unsigned wanted);

/* The mean over the positions in w x h samples, of the bits of their sum. */
float ssim_mean_of_bits(uint64_t bits, uint32_t w, uint32_t h);

#endif
