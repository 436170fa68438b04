/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/motion/motion_kernels.h"

void motion_kernels_init(MotionKernels *kernels, unsigned bpc, unsigned cpu_flags)
{
    (void)cpu_flags;
    motion_kernels_init_scalar(kernels, bpc);
#ifdef VMAF_ISA_VARIANTS
    if (cpu_flags & CPU_AVX512)
        motion_kernels_init_avx512(kernels, bpc);
    else if (cpu_flags & CPU_AVX2)
        motion_kernels_init_avx2(kernels, bpc);
#elif defined(VMAF_NEON)
    if (cpu_flags & CPU_NEON)
        motion_kernels_init_neon(kernels, bpc);
#endif
}
