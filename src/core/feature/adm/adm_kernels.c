/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm_kernels.h"

void adm_kernels_init(AdmKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT_NEON(adm_kernels_fill_wavelet, cpu_flags)(kernels);
    ISA_SELECT_NEON(adm_kernels_fill_coarse, cpu_flags)(kernels);
    ISA_SELECT_NEON(adm_kernels_fill_decouple, cpu_flags)(kernels);
    ISA_SELECT_NEON(adm_kernels_fill_masking, cpu_flags)(kernels);
}
