/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ansnr/ansnr_kernels.h"

#include "support/isa_variant.h"

ISA_DECLARE(AnsnrKernels, ansnr_rows);

const AnsnrKernels *ansnr_kernels(unsigned cpu_flags)
{
    return ISA_SELECT(ansnr_rows, cpu_flags);
}
