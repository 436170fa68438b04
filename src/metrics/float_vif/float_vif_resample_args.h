/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_RESAMPLE_ARGS_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_RESAMPLE_ARGS_H

#include "dialect/types.h"

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
