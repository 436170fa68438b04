/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "simd_check/simd_check.h"
#include "simd_check/vector_operations.h"
#include "support/cpu.h"

/* The operations that all vector kernels are made of. */

/* Numbers at which signed and unsigned, rounding and saturation differ. */
static uint16_t edge_of(uint32_t random)
{
    static const uint16_t edges[] = {0,      1,      2,      0x3fff, 0x4000, 0x7ffe,
                                     0x7fff, 0x8000, 0x8001, 0xc000, 0xfffe, 0xffff};
    return edges[random % (sizeof(edges) / sizeof(edges[0]))];
}

static void fill(VectorBlock *block, unsigned round)
{
    for (int i = 0; i < 32; i++) {
        const uint32_t random = simd_random();
        switch (round % 4) {
        case 0:
            block->u16[i] = (uint16_t)random;
            break;
        case 1:
            block->u16[i] = edge_of(random);
            break;
        case 2: /* small numbers of 32 bits */
            block->u16[i] = (uint16_t)(i % 2 ? -(int)(block->u16[i - 1] & 1) : (int)random);
            break;
        default:
            block->u16[i] = random & 1 ? edge_of(random >> 1) : (uint16_t)(random >> 8);
        }
    }
}

static CheckVectorOperations *operations_of(unsigned cpu_flags)
{
#ifdef CHECK_AVX512ICL
    if (cpu_flags & CPU_AVX512_ICL)
        return check_vector_operations_avx512icl;
#endif
#ifdef CHECK_AVX512
    if (cpu_flags & CPU_AVX512)
        return check_vector_operations_avx512;
#endif
#ifdef CHECK_AVXVNNI
    if (cpu_flags & CPU_AVX_VNNI)
        return check_vector_operations_avxvnni;
#endif
#ifdef CHECK_AVX2
    if (cpu_flags & CPU_AVX2)
        return check_vector_operations_avx2;
#endif
#ifdef CHECK_NEON
    if (cpu_flags & CPU_NEON)
        return check_vector_operations_neon;
#endif
    (void)cpu_flags;
    return NULL;
}

static void compare(unsigned cpu_flags)
{
    CheckVectorOperations *check = operations_of(cpu_flags);
    if (!check)
        return;
    for (unsigned round = 0; round < 256; round++) {
        VectorBlock operands[VECTOR_OPERANDS];
        for (int k = 0; k < VECTOR_OPERANDS; k++)
            fill(&operands[k], round + (unsigned)k * (round / 4 % 4));
        check(operands);
    }
}

static void measure(unsigned cpu_flags)
{
    (void)cpu_flags; /* most operations are one instruction */
}

const SimdCheck check_vector = {"vector", compare, measure};
