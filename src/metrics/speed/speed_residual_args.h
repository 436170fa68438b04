/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_RESIDUAL_ARGS_H
#define METRICS_SPEED_SPEED_RESIDUAL_ARGS_H

#include "dialect/types.h"

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
