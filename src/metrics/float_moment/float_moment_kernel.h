/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOMENT_FLOAT_MOMENT_KERNEL_H
#define METRICS_FLOAT_MOMENT_FLOAT_MOMENT_KERNEL_H

#include "dialect/types.h"

/* Samples that a work-group covers: words of 4 bytes across, rows down. */
#define FLOAT_MOMENT_WORDS 32
#define FLOAT_MOMENT_ROWS  64
/* Partial sums of a group: of the samples, of their squares. */
#define FLOAT_MOMENT_SUMS 2

struct float_moment_sums_args {
    i32 w, h;   /* of the plane, in samples */
    i32 stride; /* of a row, in words of 4 bytes */
};
KERNEL_STRUCT(float_moment_sums_args)

#endif
