/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssim/ssim_kernels.h"

#include "support/isa_variant.h"

ISA_DECLARE(IntegerSsimKernels, integer_ssim_kernels);

void integer_ssim_kernels_init(IntegerSsimKernels *kernels, unsigned cpu_flags)
{
    *kernels = *ISA_SELECT(integer_ssim_kernels, cpu_flags);
}
