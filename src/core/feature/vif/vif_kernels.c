/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"

#include "feature/vif/vif_simd.h"
#include "support/cpu.h"

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    vif_kernels_init_scalar(kernels);
#ifdef __x86_64__
    if (cpu_flags & CPU_AVX2)
        vif_kernels_init_avx2(kernels);
#else
    (void)cpu_flags;
#endif
}
