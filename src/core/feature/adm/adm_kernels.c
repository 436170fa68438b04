/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm_kernels.h"

void adm_kernels_init(AdmKernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    adm_kernels_init_scalar_wavelet(kernels);
    adm_kernels_init_scalar_decouple(kernels);
    adm_kernels_init_scalar_masking(kernels);
}
