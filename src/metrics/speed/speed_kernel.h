/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_KERNEL_H
#define METRICS_SPEED_SPEED_KERNEL_H

#include "dialect/types.h"

/* Decimated samples of a row that a work-group computes: with the usual 9 taps of the low-pass,
 * each lane but two filters one column. */
#define SPEED_LOW_PASS_COLUMNS 14
/* More taps than any low-pass has. */
#define SPEED_LOW_PASS_MAX_TAPS 35

/* Where a sample of the resized plane comes from, along one axis. */
struct speed_tap {
    u32 index;  /* of the column or row of the plane */
    u32 weight; /* binary32 */
};
KERNEL_STRUCT(speed_tap)

struct speed_low_pass_args {
    i32 w;       /* of the decimated plane */
    i32 stride;  /* of a row of the plane, in samples */
    i32 n_taps;  /* of the low-pass */
    i32 n_parts; /* samples along an axis that a resized one is made of */
    i32 is_difference;
    i32 centre;        /* what is subtracted from samples if that is not another plane */
    i32 is_normalised; /* resized samples are divided by the sum of their weights */
    u32 factor;        /* binary32: of the result, or of that sum */
};
KERNEL_STRUCT(speed_low_pass_args)

/* Samples that a work-group computes, one for each lane. */
#define SPEED_RESIDUAL_COLUMNS 32
#define SPEED_RESIDUAL_ROWS    4

struct speed_residual_args {
    i32 w, h;               /* of a decimated plane */
    i32 plane_stride;       /* from one to the next, in samples */
    i32 blocks_w, blocks_h; /* of a residual plane; they follow each other */
    i32 n_taps;             /* of the local mean */
};
KERNEL_STRUCT(speed_residual_args)

#endif
