/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_KERNEL_H
#define METRICS_PSNR_PSNR_KERNEL_H

#include "dialect/types.h"

/* Samples that a work-group covers: words of 4 bytes across, rows down. */
#define PSNR_SSE_WORDS 32
#define PSNR_SSE_ROWS  64

struct psnr_sse_args {
    i32 w, h;                    /* of the plane, in samples */
    i32 ref_stride, dist_stride; /* of a row, in words of 4 bytes */
};
KERNEL_STRUCT(psnr_sse_args)

#endif
