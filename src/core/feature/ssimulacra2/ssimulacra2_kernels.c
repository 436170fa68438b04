/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssimulacra2/ssimulacra2_kernels.h"

void ssimulacra2_kernels_init(Ssimulacra2Kernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    ssimulacra2_init_colour(kernels);
    ssimulacra2_init_blur(kernels);
    ssimulacra2_init_maps(kernels);
}
