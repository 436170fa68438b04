/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_ARGS_H
#define METRICS_SSIM_SSIM_ARGS_H

#include "dialect/types.h"

/* Pixels that a work-group covers. */
#define SSIM_TERMS_COLUMNS 120
#define SSIM_TERMS_ROWS    4

struct ssim_terms_args {
    u64 c1, c2;               /* of a pixel of weight 1, binary64 */
    u64 c1_inside, c2_inside; /* of one whose window lies inside the picture, of weight 65536 */
    i32 w, h;                 /* of luma, in samples */
    i32 stride;               /* of a row of either picture, in samples */
};
KERNEL_STRUCT(ssim_terms_args)

#endif
