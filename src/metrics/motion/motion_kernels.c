/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion_kernels.h"

void motion_kernels_init(MotionKernels *kernels, unsigned bpc, unsigned cpu_flags)
{
    ISA_SELECT_PORTABLE(motion_kernels_fill, cpu_flags)(kernels, bpc);
}
