/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_kernels.h"

#include "metrics/vif/vif_simd.h"

/* Row by row, without the gain. */
static void fill_filter(VifKernels *kernels, unsigned cpu_flags)
{
    vif_fill_filter_portable(kernels);
#ifdef VMAF_NEON
    if (cpu_flags & CPU_NEON)
        vif_fill_filter_neon(kernels);
#else
    (void)cpu_flags;
#endif
}

static const VifPairKernels *pairs_for(unsigned cpu_flags)
{
#ifdef VMAF_ISA_VARIANTS
    if (cpu_flags & CPU_AVX512_ICL)
        return &vif_pairs_avx512icl;
    if (cpu_flags & CPU_AVX512)
        return &vif_pairs_avx512;
#ifdef VMAF_AVX_VNNI
    if (cpu_flags & CPU_AVX2 && cpu_flags & CPU_AVX_VNNI)
        return &vif_pairs_avxvnni;
#endif
    if (cpu_flags & CPU_AVX2)
        return &vif_pairs_avx2;
#else
    (void)cpu_flags;
#endif
    return NULL;
}

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    fill_filter(kernels, cpu_flags);
    kernels->gain = ISA_SELECT_PORTABLE(vif_gain, cpu_flags);
    if (kernels->gain == &vif_gain_portable)
        kernels->gain_again = vif_gain_portable_again;
    kernels->pairs = pairs_for(cpu_flags);
}
