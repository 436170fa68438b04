/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/math/math_functions.h"
#include "support/cases.h"
#include "support/cpu.h"

CASE(levels_are_those_that_the_compiler_sees)
{
    unsigned flags = cpu_flags(0);
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    assert_int_equal(!!(flags & CPU_SSE2), !!__builtin_cpu_supports("sse2"));
    assert_int_equal(!!(flags & CPU_SSSE3), !!__builtin_cpu_supports("ssse3"));
    assert_int_equal(!!(flags & CPU_SSE41), !!__builtin_cpu_supports("sse4.1"));
    assert_int_equal(!!(flags & CPU_AVX2), !!__builtin_cpu_supports("avx2"));
#ifdef __x86_64__
    assert_int_equal(math_has_fma(), !!__builtin_cpu_supports("fma"));
#endif
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512cd");
    assert_int_equal(!!(flags & CPU_AVX512), avx512);
    int ice_lake = avx512 && __builtin_cpu_supports("avx512ifma") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                   __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg") &&
                   __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni") &&
                   __builtin_cpu_supports("vpclmulqdq");
    /* Not every compiler can be asked for VAES, which all of these processors have. */
    assert_int_equal(!!(flags & CPU_AVX512_ICL), ice_lake);
#elif defined(__aarch64__)
    assert_int_equal(flags, CPU_NEON);
#else
    assert_int_equal(flags, 0);
#endif
}

CASE(a_set_bit_of_the_mask_disables)
{
    unsigned all = cpu_flags(0);
    for (unsigned bit = CPU_SSE2; bit <= CPU_AVX_VNNI; bit <<= 1)
        assert_int_equal(cpu_flags(bit), all & ~bit);
    assert_int_equal(cpu_flags(UINT64_MAX), 0);
    assert_int_equal(cpu_flags(UINT64_C(1) << 32), all); /* bits without a meaning */
}
