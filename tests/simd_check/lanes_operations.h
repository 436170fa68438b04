/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SIMD_CHECK_LANES_OPERATIONS_H
#define TESTS_SIMD_CHECK_LANES_OPERATIONS_H

/* Compares every operation of src/core/support/vector_lanes.h with plain C, on random operands; one
 * function for each instruction set that the compiler has. */
typedef void CheckLanesOperations(void);
CheckLanesOperations check_lanes_operations_scalar, check_lanes_operations_avx2,
    check_lanes_operations_avx512, check_lanes_operations_neon;

#endif
