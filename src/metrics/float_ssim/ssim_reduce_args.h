/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_REDUCE_ARGS_H
#define METRICS_FLOAT_SSIM_SSIM_REDUCE_ARGS_H

#include "dialect/types.h"

/* Samples of the reduced picture that a work-group covers. */
#define SSIM_REDUCE_COLUMNS 32
#define SSIM_REDUCE_ROWS    4

/* The largest factor for which the kernel is exact. */
#define SSIM_REDUCE_MAX_FACTOR 64

struct ssim_reduce_args {
    i32 w, h;   /* of the picture, in samples */
    i32 stride; /* of its rows, in samples */
    i32 depth;  /* bits per sample */
    i32 factor;
    u32 share;     /* 1 / factor^2, bits of binary32 */
    i32 reduced_w; /* of the reduced picture */
    i32 reduced_h;
    i32 reduced_stride; /* of its rows, in samples */
};
KERNEL_STRUCT(ssim_reduce_args)

#endif
