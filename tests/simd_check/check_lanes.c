/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stddef.h>

#include "simd_check/lanes_operations.h"
#include "simd_check/simd_check.h"
#include "support/cpu.h"

/* The operations on vectors that plain C has, too. */

static CheckLanesOperations *operations_of(unsigned cpu_flags)
{
#ifdef CHECK_AVX512
    if (cpu_flags & CPU_AVX512)
        return check_lanes_operations_avx512;
#endif
#ifdef CHECK_AVX2
    if (cpu_flags & CPU_AVX2)
        return check_lanes_operations_avx2;
#endif
#ifdef CHECK_NEON
    if (cpu_flags & CPU_NEON)
        return check_lanes_operations_neon;
#endif
    (void)cpu_flags;
    return check_lanes_operations_scalar;
}

static void compare(unsigned cpu_flags)
{
    for (unsigned round = 0; round < 256; round++)
        operations_of(cpu_flags)();
}

static void measure(unsigned cpu_flags)
{
    (void)cpu_flags; /* most operations are one instruction */
}

const SimdCheck check_lanes = {"lanes", compare, measure};
