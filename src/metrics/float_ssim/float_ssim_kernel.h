/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_FLOAT_SSIM_KERNEL_H
#define METRICS_FLOAT_SSIM_FLOAT_SSIM_KERNEL_H

/* Numbers of SSIM that the library and kernels share: macros that any of their compilers takes.
 * Binary32 numbers stand with their bits, for kernels, which compute with these. */

/* The Gaussian window exp(-x^2 / 4.5), normalised, rounded to six decimals; one half with the
 * centre. It adds up to 1.000002. */
#define SSIM_TAPS          11
#define SSIM_TAP_0(number) number(0.001028f, 0x3a86bdf5u)
#define SSIM_TAP_1(number) number(0.007599f, 0x3bf90108u)
#define SSIM_TAP_2(number) number(0.036001f, 0x3d1375c9u)
#define SSIM_TAP_3(number) number(0.109361f, 0x3ddff8a9u)
#define SSIM_TAP_4(number) number(0.213006f, 0x3e5a1e3fu)
#define SSIM_TAP_5(number) number(0.266012f, 0x3e8832bau)
#define SSIM_OUTER_TAPS(n) SSIM_TAP_0(n), SSIM_TAP_1(n), SSIM_TAP_2(n)
#define SSIM_INNER_TAPS(n) SSIM_TAP_3(n), SSIM_TAP_4(n), SSIM_TAP_5(n)
#define SSIM_WINDOW(n)     SSIM_OUTER_TAPS(n), SSIM_INNER_TAPS(n)

/* The low-pass filter between the scales of MS-SSIM. */
#define SSIM_PYRAMID_RADIUS 4
#define SSIM_PYRAMID_TAPS   (2 * SSIM_PYRAMID_RADIUS + 1)

/* The constants of the paper, (0.01 L)^2, (0.03 L)^2 and half of that with L = 255, each operation
 * rounded to binary32. */
#define SSIM_C1(number) number(6.50249958f, 0x40d0147au)
#define SSIM_C2(number) number(58.5224953f, 0x426a1709u)
#define SSIM_C3(number) number(29.2612476f, 0x41ea1709u)

/* What the macros above are given. */
#define SSIM_NUMBER(number, bits) number
#define SSIM_BITS(number, bits)   bits

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
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

#endif
