/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOTION_FLOAT_MOTION_REDUCED_ARGS_H
#define METRICS_FLOAT_MOTION_FLOAT_MOTION_REDUCED_ARGS_H

#include "dialect/types.h"

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
