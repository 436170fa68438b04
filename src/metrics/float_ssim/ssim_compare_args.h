/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_COMPARE_ARGS_H
#define METRICS_FLOAT_SSIM_SSIM_COMPARE_ARGS_H

#include "dialect/types.h"

/* Positions of the window that a work-group covers. */
#define SSIM_COMPARE_COLUMNS 32
#define SSIM_COMPARE_ROWS    40

/* The terms that are wanted, as bits. */
#define SSIM_TERM_INDEX     1
#define SSIM_TERM_LUMINANCE 2
#define SSIM_TERM_CONTRAST  4
#define SSIM_TERM_STRUCTURE 8

struct ssim_compare_args {
    i32 w, h;   /* of the images, in samples */
    i32 stride; /* of a row of either image, in samples */
    i32 depth;  /* bits per sample */
    i32 terms;  /* SSIM_TERM_* */
};
KERNEL_STRUCT(ssim_compare_args)

#endif
