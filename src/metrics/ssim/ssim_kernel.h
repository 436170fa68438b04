/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_KERNEL_H
#define METRICS_SSIM_SSIM_KERNEL_H

/* The window: 256 times a Gaussian of standard deviation 1.5, by distance from the centre. */
#define INTEGER_SSIM_RADIUS 4
#define INTEGER_SSIM_WINDOW 68, 55, 28, 9, 2

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define SSIM_TERMS_COLUMNS 120
#define SSIM_TERMS_ROWS    4

struct ssim_terms_args {
    u64 c1, c2;               /* of a pixel of weight 1, binary64 */
    u64 c1_inside, c2_inside; /* of one whose window lies inside the picture, of weight 65536 */
    i32 w, h;                 /* of luma, in samples */
    i32 stride;               /* of a row of either picture, in samples */
};
KERNEL_STRUCT(ssim_terms_args)

#endif

#endif
