/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_moment/float_moment_kernels.h"

#include "support/isa_variant.h"

ISA_DECLARE(FloatMomentKernels, float_moment_rows);

const FloatMomentKernels *float_moment_kernels(unsigned cpu_flags)
{
    return ISA_SELECT(float_moment_rows, cpu_flags);
}
