/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_kernels.h"

#include "support/isa_variant.h"

ISA_DECLARE(SpeedKernels, speed_kernels);

void speed_kernels_init(SpeedKernels *kernels, unsigned cpu_flags)
{
    *kernels = *ISA_SELECT(speed_kernels, cpu_flags);
}
