/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_FLAT_ARGS_H
#define METRICS_CAMBI_CAMBI_FLAT_ARGS_H

#include "dialect/types.h"

/* Pixels of the resized picture that a work-group covers; even. */
#define CAMBI_FLAT_COLUMNS 58
#define CAMBI_FLAT_ROWS    16

struct cambi_flat_args {
    i32 w, h;       /* of the resized picture */
    i32 stride;     /* of a row of luma, in samples */
    i32 depth;      /* bits per sample */
    i32 is_resized; /* `positions` tells which samples are taken: w columns, then h rows */
    i32 smooths;
    i32 threshold; /* a pixel counts if more of those around it are flat */
    i32 step;      /* 2: of the result, only even columns of even rows are kept; else 1 */
    i32 out_w;     /* columns of the result */
};
KERNEL_STRUCT(cambi_flat_args)

#endif
