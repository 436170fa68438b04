/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm_kernels.h"

void float_adm_kernels_init(FloatAdmKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT(float_adm_kernels_fill_wavelet, cpu_flags)(kernels);
    ISA_SELECT(float_adm_kernels_fill_decouple, cpu_flags)(kernels);
    ISA_SELECT(float_adm_kernels_fill_masking, cpu_flags)(kernels);
}
