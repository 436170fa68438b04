/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_kernels.h"

void ssimulacra2_kernels_init(Ssimulacra2Kernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT(ssimulacra2_init_colour, cpu_flags)(kernels);
    ISA_SELECT(ssimulacra2_init_blur, cpu_flags)(kernels);
    ISA_SELECT(ssimulacra2_init_maps, cpu_flags)(kernels);
}
