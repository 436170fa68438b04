/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/psnr/psnr_kernels.h"

void psnr_kernels_init(PsnrKernels *kernels, unsigned bpc, unsigned cpu_flags)
{
    (void)cpu_flags;
    psnr_kernels_init_scalar(kernels, bpc);
#ifdef VMAF_ISA_VARIANTS
    if (cpu_flags & CPU_AVX512)
        psnr_kernels_init_avx512(kernels, bpc);
    else if (cpu_flags & CPU_AVX2)
        psnr_kernels_init_avx2(kernels, bpc);
#elif defined(VMAF_NEON)
    if (cpu_flags & CPU_NEON)
        psnr_kernels_init_neon(kernels, bpc);
#endif
}
