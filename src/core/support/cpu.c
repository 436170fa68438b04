/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cpu.h"

#include <stdatomic.h>

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <stdbool.h>

/* Register contents of Intel SDM volume 2, instruction CPUID. */
enum {
    LEAF_FEATURES = 1,
    LEAF_EXTENDED_FEATURES = 7,
};

#define BIT(n) (1u << (n))

/* Leaf 1 */
#define EDX1_SSE2    BIT(26)
#define ECX1_SSSE3   BIT(9)
#define ECX1_SSE41   BIT(19)
#define ECX1_OSXSAVE BIT(27)
#define ECX1_AVX     BIT(28)

/* Leaf 7 */
#define EBX7_AVX2 BIT(5)
/* F, DQ, CD, BW, VL: what every AVX-512 processor since Skylake has. */
#define EBX7_AVX512 (BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31))
/* Ice Lake adds IFMA; VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ. */
#define EBX7_AVX512_ICL BIT(21)
#define ECX7_AVX512_ICL (BIT(1) | BIT(6) | BIT(8) | BIT(9) | BIT(10) | BIT(11) | BIT(12) | BIT(14))

/* Leaf 7, subleaf 1 */
#define EAX7_1_AVX_VNNI BIT(4)

/* Extended control register 0: which registers the operating system saves. */
#define XCR0_YMM (BIT(1) | BIT(2))
#define XCR0_ZMM (XCR0_YMM | BIT(5) | BIT(6) | BIT(7))

static bool has(unsigned value, unsigned bits)
{
    return (value & bits) == bits;
}

static unsigned read_xcr0(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool has_avx_vnni(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(LEAF_EXTENDED_FEATURES, 1, &eax, &ebx, &ecx, &edx) &&
           has(eax, EAX7_1_AVX_VNNI);
}

static unsigned detect(void)
{
    unsigned eax, ebx = 0, ecx = 0, edx = 0;
    unsigned flags = 0;

    if (!__get_cpuid(LEAF_FEATURES, &eax, &ebx, &ecx, &edx))
        return 0;
    if (has(edx, EDX1_SSE2))
        flags |= CPU_SSE2;
    if (has(ecx, ECX1_SSSE3))
        flags |= CPU_SSSE3;
    if (has(ecx, ECX1_SSE41))
        flags |= CPU_SSE41;

    /* Wide registers are of use only if the operating system keeps them across task switches. */
    if (!has(ecx, ECX1_OSXSAVE | ECX1_AVX))
        return flags;
    unsigned saved = read_xcr0();
    if (!has(saved, XCR0_YMM) ||
        !__get_cpuid_count(LEAF_EXTENDED_FEATURES, 0, &eax, &ebx, &ecx, &edx))
        return flags;
    if (!has(ebx, EBX7_AVX2))
        return flags;
    flags |= CPU_AVX2;
    if (has_avx_vnni())
        flags |= CPU_AVX_VNNI;

    if (!has(saved, XCR0_ZMM) || !has(ebx, EBX7_AVX512))
        return flags;
    flags |= CPU_AVX512;
    if (has(ebx, EBX7_AVX512_ICL) && has(ecx, ECX7_AVX512_ICL))
        flags |= CPU_AVX512_ICL;
    return flags;
}

#elif defined(__aarch64__)

static unsigned detect(void)
{
    return CPU_NEON; /* part of the architecture */
}

#else

static unsigned detect(void)
{
    return 0;
}

#endif

#define KNOWN (1u << 31)

unsigned cpu_flags(uint64_t disabled_mask)
{
    /* Virtual machines leave these instructions to their host, which takes tens of microseconds
     * each. */
    static atomic_uint known;
    unsigned flags = atomic_load_explicit(&known, memory_order_relaxed);
    if (!flags) {
        flags = detect() | KNOWN;
        atomic_store_explicit(&known, flags, memory_order_relaxed);
    }
    return flags & ~KNOWN & ~(unsigned)disabled_mask;
}
