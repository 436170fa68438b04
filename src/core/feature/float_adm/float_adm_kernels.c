/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_adm/float_adm_kernels.h"

void float_adm_kernels_init(FloatAdmKernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    float_adm_kernels_init_scalar_wavelet(kernels);
    float_adm_kernels_init_scalar_decouple(kernels);
    float_adm_kernels_init_scalar_masking(kernels);
}
