/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ANSNR_FLOAT_ANSNR_KERNEL_H
#define METRICS_FLOAT_ANSNR_FLOAT_ANSNR_KERNEL_H

#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define FLOAT_ANSNR_COLUMNS 124
#define FLOAT_ANSNR_ROWS    16
/* Filtered samples are in units of a code value divided by this. */
#define FLOAT_ANSNR_UNITS 16

struct float_ansnr_squares_args {
    i32 w, h;   /* of luma, in samples */
    i32 stride; /* of a row of either picture, in samples */
    i32 centre; /* sample that is taken for 0 */
    /* Taps of the filter for the distorted picture in those units, bits of binary32. The filter
     * equals its transpose: from the corner, down and across. */
    u32 tap00, tap01, tap02, tap11, tap12, tap22;
};
KERNEL_STRUCT(float_ansnr_squares_args)

#endif
