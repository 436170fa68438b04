/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"

#include "feature/vif/vif_simd.h"
#include "support/cpu.h"

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    vif_kernels_init_scalar(kernels);
#ifdef VMAF_ISA_TWINS
    if (cpu_flags & CPU_AVX2)
        vif_kernels_init_avx2(kernels);
    if (cpu_flags & CPU_AVX512)
        vif_kernels_init_avx512(kernels);
    if (cpu_flags & CPU_AVX512_ICL)
        vif_kernels_init_avx512icl(kernels);
#else
    (void)cpu_flags;
#endif
}
