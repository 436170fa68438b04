/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"

#include "feature/vif/vif_simd.h"
#include "support/cpu.h"

#ifdef VMAF_ISA_VARIANTS
static void choose_vectors(VifKernels *kernels, unsigned cpu_flags)
{
    if (cpu_flags & CPU_AVX512) {
        kernels->gain = vif_gain_avx512;
        kernels->pairs = &vif_pairs_avx512;
    } else if (cpu_flags & CPU_AVX2) {
        kernels->gain = vif_gain_avx2;
        kernels->pairs = &vif_pairs_avx2;
    }
#ifdef VMAF_AVX_VNNI
    if (kernels->pairs == &vif_pairs_avx2 && cpu_flags & CPU_AVX_VNNI)
        kernels->pairs = &vif_pairs_avxvnni;
#endif
    if (cpu_flags & CPU_AVX512_ICL)
        kernels->pairs = &vif_pairs_avx512icl;
}
#elif defined(VMAF_NEON)
static void choose_vectors(VifKernels *kernels, unsigned cpu_flags)
{
    if (!(cpu_flags & CPU_NEON))
        return;
    vif_fill_filter_neon(kernels);
    kernels->gain = vif_gain_neon;
}
#else
static void choose_vectors(VifKernels *kernels, unsigned cpu_flags)
{
    (void)kernels;
    (void)cpu_flags;
}
#endif

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    vif_fill_filter_portable(kernels);
    kernels->gain = vif_gain_portable;
    choose_vectors(kernels, cpu_flags);
}
