/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/math/fused.h"

#ifdef MATH_FMA_FOUND

bool math_fma_found;

/* Bits of CPUID leaf 1 in ECX: the instructions, and that the system keeps the registers which XCR0
 * names; and the bits of XCR0 that are needed. */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, SSE_AND_AVX_REGISTERS = 6 };

/* Runs before anything else. Compilers have __builtin_cpu_supports for it, but not all have the
 * part of it that belongs to the runtime. */
__attribute__((constructor)) static void find_fma(void)
{
    unsigned leaf = 1, ebx, ecx = 0, edx, kept;
    __asm__("cpuid" : "+a"(leaf), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (!(ecx & FMA) || !(ecx & OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(kept), "=d"(edx) : "c"(0));
    math_fma_found = (kept & SSE_AND_AVX_REGISTERS) == SSE_AND_AVX_REGISTERS;
}

#else

typedef int MathNothing; /* a source is not empty */

#endif
