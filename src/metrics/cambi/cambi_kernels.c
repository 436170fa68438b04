/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_kernels.h"

void cambi_kernels_init(CambiKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT(cambi_kernels_fill, cpu_flags)(kernels);
}
