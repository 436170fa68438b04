/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_KERNELS_H
#define METRICS_PSNR_PSNR_KERNELS_H

#include <stdint.h>

#include "support/isa_variant.h"

/* The inner loop of PSNR, one row at a time. */
typedef struct PsnrKernels {
    /* Sum of the squared differences of w samples. */
    uint64_t (*row_sse)(const void *ref, const void *dist, unsigned w);
} PsnrKernels;

/* Kernels for a bit depth of 8 to 16. */
void psnr_kernels_init(PsnrKernels *kernels, unsigned bpc, unsigned cpu_flags);
ISA_DECLARE_FUNCTION_NEON(psnr_kernels_fill, (PsnrKernels *, unsigned bpc));

#endif
