/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_ARGS_H
#define METRICS_MOTION_MOTION_ARGS_H

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
