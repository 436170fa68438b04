/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_KERNEL_H
#define METRICS_MOTION_MOTION_KERNEL_H

/* Constants of motion. Macros, because kernels include them too. */

/* The low-pass filter, a Gaussian with a standard deviation of about one pixel, by distance from
 * its centre, in units of 1/65536; both sides sum to 65536. */
#define MOTION_RADIUS 2
#define MOTION_TAP0   26386
#define MOTION_TAP1   16004
#define MOTION_TAP2   3571

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define MOTION_SAD_COLUMNS 124
#define MOTION_SAD_ROWS    16

struct motion_sad_args {
    i32 w, h;   /* of luma, in samples */
    i32 stride; /* of a row of either picture, in samples */
    i32 depth;  /* bits per sample */
};
KERNEL_STRUCT(motion_sad_args)

#endif

#endif
