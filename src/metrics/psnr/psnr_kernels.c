/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr/psnr_kernels.h"

void psnr_kernels_init(PsnrKernels *kernels, unsigned bpc, unsigned cpu_flags)
{
    ISA_SELECT_NEON(psnr_kernels_fill, cpu_flags)(kernels, bpc);
}
