/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_kernels.h"
#include "simd_check/simd_check.h"

static void compare(unsigned cpu_flags)
{
    VifKernels kernels;
    vif_kernels_init(&kernels, cpu_flags);
}

const SimdCheck check_vif = {"vif", compare, compare};
