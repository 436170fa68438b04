/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"

void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    vif_kernels_init_scalar(kernels);
}
