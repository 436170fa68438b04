/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"

#include "feature/vif/vif_pairs.h"
#include "feature/vif/vif_simd.h"
#include "support/cpu.h"

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    vif_kernels_init_portable(kernels);
#ifdef VMAF_ISA_VARIANTS
    if (cpu_flags & CPU_AVX512_ICL)
        kernels->pairs = &vif_pairs_avx512icl;
    else if (cpu_flags & CPU_AVX512)
        kernels->pairs = &vif_pairs_avx512;
#ifdef VMAF_AVX_VNNI
    else if ((cpu_flags & CPU_AVX2) && (cpu_flags & CPU_AVX_VNNI))
        kernels->pairs = &vif_pairs_avxvnni;
#endif
    else if (cpu_flags & CPU_AVX2)
        kernels->pairs = &vif_pairs_avx2;
#elif defined(VMAF_NEON)
    if (cpu_flags & CPU_NEON)
        vif_kernels_init_neon(kernels);
#else
    (void)cpu_flags;
#endif
}
