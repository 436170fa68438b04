/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_HALVE_ARGS_H
#define METRICS_FLOAT_SSIM_SSIM_HALVE_ARGS_H

#include "dialect/types.h"

/* Samples of the smaller image that a work-group covers. */
#define SSIM_HALVE_COLUMNS 32
#define SSIM_HALVE_ROWS    8

struct ssim_halve_args {
    i32 w, h;   /* of the image, in samples */
    i32 stride; /* of its rows, in samples */
    i32 depth;  /* bits per sample */
    i32 next_w; /* of the smaller image */
    i32 next_h;
    i32 next_stride; /* of its rows, in samples */
};
KERNEL_STRUCT(ssim_halve_args)

#endif
