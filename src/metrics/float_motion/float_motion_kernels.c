/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_motion/float_motion_kernels.h"

#include "support/isa_variant.h"

ISA_DECLARE(FloatMotionKernels, float_motion_rows);
ISA_DECLARE(FloatMotionBlocks, float_motion_blocks);

const FloatMotionKernels *float_motion_kernels(unsigned cpu_flags)
{
    return ISA_SELECT(float_motion_rows, cpu_flags);
}

const FloatMotionBlocks *float_motion_blocks(unsigned cpu_flags)
{
    return ISA_SELECT(float_motion_blocks, cpu_flags);
}
