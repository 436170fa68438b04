/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_CPU_H
#define CORE_SUPPORT_CPU_H

#include <stdint.h>

/* Instruction sets; the bit values are those of --cpumask, where a set bit disables. */
enum {
    CPU_SSE2 = 1 << 0,
    CPU_SSSE3 = 1 << 1,
    CPU_SSE41 = 1 << 2,
    CPU_AVX2 = 1 << 3,
    CPU_AVX512 = 1 << 4,
    CPU_AVX512_ICL = 1 << 5,
    CPU_AVX_VNNI = 1 << 6, /* of use with AVX2; libvmaf has no such bit */
    CPU_NEON = CPU_SSE2,   /* on Arm the same bit */
};

/* Instruction sets of this processor less those that the mask disables. */
unsigned cpu_flags(uint64_t disabled_mask);

#endif
