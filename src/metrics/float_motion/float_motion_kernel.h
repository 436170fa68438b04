/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_KERNEL_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_KERNEL_H

#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define FLOAT_MOTION_COLUMNS 124
#define FLOAT_MOTION_ROWS    16

struct float_motion_rows_args {
    i32 w, h;             /* of the plane, in samples */
    i32 stride;           /* of a row of either picture, in samples */
    i32 centre;           /* sample that is taken for 0 */
    u32 tap0, tap1, tap2; /* of the filter, bits of binary32: its first one to the centre */
};
KERNEL_STRUCT(float_motion_rows_args)

/* Where a sample of the reduced picture lies, in a row or a column of the full one: between its
 * samples first and second, so far from the first (bits of binary32). */
struct reduced_place {
    u32 first, second, fraction;
};
KERNEL_STRUCT(reduced_place)

struct float_motion_reduced_args {
    i32 w;                    /* of the full picture, in samples */
    i32 w_reduced, h_reduced; /* of the reduced one */
};
KERNEL_STRUCT(float_motion_reduced_args)

#endif
