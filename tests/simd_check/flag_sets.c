/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "simd_check/simd_check.h"
#include "support/cpu.h"

#ifdef __aarch64__

const SimdFlagSet simd_flag_sets[] = {{"c", 0}, {"neon", CPU_NEON}, {0}};

#else

enum {
    SSE = CPU_SSE2 | CPU_SSSE3 | CPU_SSE41,
    AVX2 = SSE | CPU_AVX2,
    AVX_VNNI = AVX2 | CPU_AVX_VNNI,
    AVX512 = AVX2 | CPU_AVX512,
    AVX512_ICL = AVX512 | CPU_AVX512_ICL,
};

const SimdFlagSet simd_flag_sets[] = {
    {"c", 0},
    {"sse4.1", SSE},
    {"avx2", AVX2},
    {"avxvnni", AVX_VNNI},
    {"avx512", AVX512},
    {"avx512icl", AVX512_ICL},
    {0},
};

#endif

int simd_is_available(const SimdFlagSet *set)
{
    return (cpu_flags(0) & set->flags) == set->flags;
}
