/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_CONSTANTS_H
#define METRICS_PSNR_HVS_PSNR_HVS_CONSTANTS_H

/* Constants of PSNR-HVS-M. Kernels include this too: nothing but macros. */

#define PSNR_HVS_PLANES       3
#define PSNR_HVS_BLOCK        8 /* side of a block */
#define PSNR_HVS_COEFFICIENTS (PSNR_HVS_BLOCK * PSNR_HVS_BLOCK)
#define PSNR_HVS_STEP         7 /* from one block to the next: they overlap by a sample */
#define PSNR_HVS_MIN_DEPTH    8
#define PSNR_HVS_MAX_DEPTH    12
#define PSNR_HVS_MAX_SAMPLE   ((1 << PSNR_HVS_MAX_DEPTH) - 1) /* bits above it are dropped */

#endif
