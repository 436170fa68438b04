/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_KERNEL_H
#define METRICS_VIF_VIF_KERNEL_H

/* Constants of VIF. Macros, because kernels include them too. */

#define VIF_SCALES 4

/*
 * The window of each scale, from the centre outwards: a Gaussian of 2^(4-s) + 1 taps with a
 * deviation of a fifth of its length, in units of 1/65536; both sides sum to 65536. The window of
 * scale s both makes its image from that of scale s - 1 and measures it.
 */
#define VIF_RADIUS(s) (8 >> (s))
#define VIF_WINDOW_0  7784u, 7455u, 6547u, 5274u, 3896u, 2640u, 1640u, 935u, 489u
#define VIF_WINDOW_1  14692u, 12590u, 7925u, 3663u, 1244u
#define VIF_WINDOW_2  26386u, 16004u, 3571u
#define VIF_WINDOW_3  43728u, 10904u

/* Variance of the sensor's noise: 2, in 1/65536 of a squared grey level. */
#define VIF_NOISE_VARIANCE 131072

/* The unit of logarithms, and the number of entries of their table; see vif_log_steps in vif.h. */
#define VIF_LOG_UNIT  2048
#define VIF_LOG_STEPS 4096

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define VIF_TILE_COLUMNS 112
#define VIF_TILE_ROWS    8

/* The most limits of the gain that fit into a kernel's arguments. */
#define VIF_MAX_LIMITS 2

/* Sums of a scale, of which each limit has its own VIF_SUM_LOG_NUM, one after the other. Sum k of
 * group g is the partial sum number k * groups + g. */
#define VIF_SUM_LOG_DEN       0
#define VIF_SUM_FLAT_VARIANCE 1
#define VIF_SUM_FLAT_COUNT    2
#define VIF_SUM_LOG_NUM       3
#define VIF_SUMS(limits)      (3 + (limits))

/* The limit of the gain. */
struct vif_limit {
    u64 mantissa, square_mantissa; /* of the limit and of its square, as binary64 */
    i32 exponent, square_exponent; /* as dialect/binary64.h has it */
    u32 free_to, limited_from;     /* in units of 2^-24: gains up to free_to are not limited, those
                                      above limited_from are */
};
KERNEL_STRUCT(vif_limit)

/* Also those of vif_decimate, which has no limits. */
struct vif_scale_args {
    vif_limit limits[VIF_MAX_LIMITS];
    i32 w, h;           /* of the scale, in samples */
    i32 stride;         /* of a row of either picture, in samples */
    i32 depth;          /* bits per sample */
    i32 next_w, next_h; /* of the next scale */
    i32 next_stride;    /* of its rows, in samples */
    i32 next_dist;      /* where its distorted picture begins */
    i32 leftovers;      /* scale 2: where they go, in the buffer of the next scale;
                           scale 3: where they are, in the buffer of the reference */
};
KERNEL_STRUCT(vif_scale_args)

#endif

#endif
