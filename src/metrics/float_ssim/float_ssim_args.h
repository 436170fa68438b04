/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_SSIM_ARGS_H
#define METRICS_FLOAT_SSIM_FLOAT_SSIM_ARGS_H

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
