/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_BEYOND_ARGS_H
#define METRICS_CAMBI_CAMBI_BEYOND_ARGS_H

#include "dialect/types.h"

/* Samples that a work-group covers. */
#define CAMBI_BEYOND_COLUMNS 1024
#define CAMBI_BEYOND_ROWS    8

struct cambi_beyond_args {
    i32 w, h;   /* of luma, in samples */
    i32 stride; /* of a row, in samples */
    i32 depth;  /* bits per sample */
};
KERNEL_STRUCT(cambi_beyond_args)

#endif
