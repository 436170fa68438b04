/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ciede/ciede_kernels.h"

#include "metrics/common/math/math_variants.h"
#include "support/isa_variant.h"

ISA_DECLARE(CiedeKernels, ciede_kernels);

void ciede_kernels_init(CiedeKernels *kernels, unsigned cpu_flags)
{
#ifdef VMAF_ISA_VARIANTS
    if (!math_has_fma()) /* those for AVX2 need it */
        cpu_flags &= ~(unsigned)CPU_AVX2;
#endif
    *kernels = *ISA_SELECT(ciede_kernels, cpu_flags);
}
