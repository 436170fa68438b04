/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_vif/float_vif_kernels.h"

void float_vif_kernels_init(FloatVifKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT(float_vif_kernels_fill_filter, cpu_flags)(kernels);
    ISA_SELECT(float_vif_kernels_fill_information, cpu_flags)(kernels);
}
