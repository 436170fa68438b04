/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_kernels.h"

void ssim_kernels_init(SsimKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT_NEON(ssim_kernels_fill_filter, cpu_flags)(kernels);
    ISA_SELECT(ssim_kernels_fill_rows, cpu_flags)(kernels);
    ISA_SELECT(ssim_kernels_fill_pyramid, cpu_flags)(kernels);
    ISA_SELECT_NEON(ssim_kernels_fill_picture_pyramid, cpu_flags)(kernels);
}
