/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_KERNEL_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_KERNEL_H

/* The logarithm to base 2 of a mantissa, 1 <= m < 2, is a polynomial of m - 1: coefficients from
 * the eighth power to the first. */
#define FLOAT_VIF_LOG2_8 -0.012671635276421f
#define FLOAT_VIF_LOG2_7 0.064841182402670f
#define FLOAT_VIF_LOG2_6 -0.157048836463065f
#define FLOAT_VIF_LOG2_5 0.257167726303123f
#define FLOAT_VIF_LOG2_4 -0.353800560300520f
#define FLOAT_VIF_LOG2_3 0.480131410397451f
#define FLOAT_VIF_LOG2_2 -0.721314327952201f
#define FLOAT_VIF_LOG2_1 1.442694803896991f

/* A variance below it is none. */
#define FLOAT_VIF_EPSILON 1e-10f

/* The bits of these binary32 numbers. */
#define FLOAT_VIF_LOG2_8_BITS  0xbc4f9cb1u
#define FLOAT_VIF_LOG2_7_BITS  0x3d84cb74u
#define FLOAT_VIF_LOG2_6_BITS  0xbe20d169u
#define FLOAT_VIF_LOG2_5_BITS  0x3e83ab7du
#define FLOAT_VIF_LOG2_4_BITS  0xbeb52559u
#define FLOAT_VIF_LOG2_3_BITS  0x3ef5d3c9u
#define FLOAT_VIF_LOG2_2_BITS  0xbf38a80eu
#define FLOAT_VIF_LOG2_1_BITS  0x3fb8aa39u
#define FLOAT_VIF_EPSILON_BITS 0x2edbe6ffu

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Windows of usual and of any pictures reach so far. */
#define FLOAT_VIF_REACH_NARROW 8
#define FLOAT_VIF_REACH_WIDE   32

/* Pixels that a work-group covers, as many columns as it can see at that reach. */
#define FLOAT_VIF_LANES               128
#define FLOAT_VIF_NEIGHBOURS          7 /* in a row, pixels of a lane */
#define FLOAT_VIF_STRIPS(reach)       ((reach) == FLOAT_VIF_REACH_NARROW ? 16 : 8)
#define FLOAT_VIF_TILE_COLUMNS(reach) (FLOAT_VIF_STRIPS(reach) * FLOAT_VIF_NEIGHBOURS)
#define FLOAT_VIF_TILE_ROWS(reach)    (FLOAT_VIF_LANES / FLOAT_VIF_STRIPS(reach))

/* The same for samples of the next scale. */
#define FLOAT_VIF_NEXT_COLUMNS(reach) ((reach) == FLOAT_VIF_REACH_NARROW ? 56 : 32)
#define FLOAT_VIF_NEXT_ROWS           8

/* Sets of parameters for which a kernel measures the information. */
#define FLOAT_VIF_MAX_VARIANTS 2

/* The constants, words of 4 bytes: the window from the left, then the variants. */
#define FLOAT_VIF_WINDOW_SIZE (2 * FLOAT_VIF_REACH_WIDE + 1)
#define FLOAT_VIF_CONSTANTS                                                                        \
    (FLOAT_VIF_WINDOW_SIZE + FLOAT_VIF_MAX_VARIANTS * FLOAT_VIF_VARIANT_SIZE)

/* The words of each variant: binary32 numbers, and the noise as the halves of a binary64 one. */
#define FLOAT_VIF_GAIN_LIMIT    0
#define FLOAT_VIF_INVERSE_NOISE 1
#define FLOAT_VIF_FLAT_FACTOR   2
#define FLOAT_VIF_THRESHOLD     3
#define FLOAT_VIF_NOISE_UPPER   4
#define FLOAT_VIF_NOISE_LOWER   5
#define FLOAT_VIF_VARIANT_SIZE  6

struct float_vif_scale_args {
    i32 w, h;     /* of the scale, in samples */
    i32 stride;   /* of a row of either picture, in samples */
    i32 dist;     /* where the distorted picture begins in its buffer */
    i32 depth;    /* bits per sample, of the pictures themselves */
    i32 radius;   /* of the window */
    i32 variants; /* that are wanted */
};
KERNEL_STRUCT(float_vif_scale_args)

struct float_vif_reduce_args {
    i32 w, h;           /* of the scale, in samples */
    i32 stride;         /* of a row of either picture, in samples */
    i32 dist;           /* where the distorted picture begins in its buffer */
    i32 depth;          /* bits per sample, of the pictures themselves */
    i32 radius;         /* of the window */
    i32 next_w, next_h; /* of the next scale */
    i32 next_dist;      /* where its distorted picture begins; its rows have no gaps */
};
KERNEL_STRUCT(float_vif_reduce_args)

/* Samples that a work-group makes of each picture. */
#define FLOAT_VIF_RESAMPLE_COLUMNS 32
#define FLOAT_VIF_RESAMPLE_ROWS    8

/* Tap i of output sample x of n is element i * n + x. */
struct float_vif_tap {
    u32 index;  /* of the input sample */
    u32 weight; /* binary32 */
};
KERNEL_STRUCT(float_vif_tap)

struct float_vif_resample_args {
    i32 w, h;          /* of the output, in samples */
    i32 stride;        /* of a row of either input, in samples */
    i32 depth;         /* bits per sample of the inputs */
    i32 taps;          /* in each direction */
    i32 is_normalised; /* whether sums are divided by those of the weights */
    i32 dist;          /* where the distorted output begins; rows have no gaps */
};
KERNEL_STRUCT(float_vif_resample_args)

#endif

#endif
