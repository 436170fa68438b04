/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_ARGS_H
#define METRICS_PSNR_HVS_PSNR_HVS_ARGS_H

#include "dialect/types.h"

#define PSNR_HVS_GROUP 32 /* blocks that a group does */

/* Places of PsnrHvsWeights, as an array. */
#define PSNR_HVS_SENSITIVITY    0
#define PSNR_HVS_MASKING        64
#define PSNR_HVS_WHOLE_SCALE    128
#define PSNR_HVS_QUADRANT_SCALE 129

struct psnr_hvs_errors_args {
    i32 across;                  /* blocks in a row of the plane */
    i32 first, end;              /* blocks that are done */
    i32 ref_stride, dist_stride; /* of a row, in samples */
};
KERNEL_STRUCT(psnr_hvs_errors_args)

#endif
