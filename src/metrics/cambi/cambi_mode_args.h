/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_MODE_ARGS_H
#define METRICS_CAMBI_CAMBI_MODE_ARGS_H

#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define CAMBI_MODE_COLUMNS 64
#define CAMBI_MODE_ROWS    16

struct cambi_mode_args {
    i32 w, h;
    i32 first_code, n_codes; /* the band */
};
KERNEL_STRUCT(cambi_mode_args)

#endif
