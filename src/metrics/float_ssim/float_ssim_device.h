/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_SSIM_DEVICE_H
#define METRICS_FLOAT_SSIM_FLOAT_SSIM_DEVICE_H

#include "ordered_sum.h"
#include "program.h"

#include <libvmaf/backend.h>
#include <stdbool.h>

/* Code that float_ssim and float_ms_ssim share: images, and the sums of similarity over them. */

/* Both pictures, or images made from them. */
typedef struct SsimImages {
    VmafBufferName side[2]; /* reference, distorted */
    uint32_t w, h, stride;  /* size, and samples from row to row */
    uint32_t sample_bits;   /* bits in memory: 8 or 16 for pictures, 32 for binary32 numbers */
    uint32_t depth;         /* bits per sample of the pictures */
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
    partial_sum of[SSIM_SUMS]; /* set for the sums that are wanted */
} SsimSums;

/* Luma of the pictures. */
SsimImages ssim_images_of_luma(VmafProgram *program, const VmafGeometry *geometry);
/* Memory for images of w x h binary32 numbers. */
SsimImages ssim_images_create(VmafProgram *program, const SsimImages *like, uint32_t w, uint32_t h);

/* Returns the one of three names of a kernel, for samples of 8, 16 and 32 bits, that reads such
 * images. */
const char *ssim_kernel(const SsimImages *images, const char *const names[3]);

/* Returns true if kernels can bind the buffers for all sums of images of this size; otherwise `why`
 * receives the reason. */
bool ssim_admits(uint32_t w, uint32_t h, VmafBackendReason *why);

/* Adds kernels, from a stage on, that compute the sums of a set (1 << SSIM_SUM_*). */
SsimSums ssim_similarity(VmafProgram *program, uint32_t stage, const SsimImages *images,
                         unsigned wanted);

/* Returns the mean over the positions in w x h samples, from the bits of their sum. */
float ssim_mean_of_bits(uint64_t bits, uint32_t w, uint32_t h);

#endif
