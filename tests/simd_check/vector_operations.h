/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SIMD_CHECK_VECTOR_OPERATIONS_H
#define TESTS_SIMD_CHECK_VECTOR_OPERATIONS_H

#include <stdint.h>

/* Operands of as many bytes as the widest vectors have. */
typedef union VectorBlock {
    uint8_t u8[64];
    int16_t s16[32];
    uint16_t u16[32];
    int32_t s32[16];
    uint32_t u32[16];
    int64_t s64[8];
    uint64_t u64[8];
    float f[16];
} VectorBlock;

enum { VECTOR_OPERANDS = 8 };

/* Compares every operation of src/core/support/vector.h with plain C; one function for each
 * instruction set that the compiler has. */
typedef void CheckVectorOperations(const VectorBlock operands[VECTOR_OPERANDS]);
CheckVectorOperations check_vector_operations_avx2, check_vector_operations_avxvnni,
    check_vector_operations_avx512, check_vector_operations_avx512icl, check_vector_operations_neon;

#endif
