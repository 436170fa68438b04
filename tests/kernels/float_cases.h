/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FLOAT_CASES_H
#define TESTS_KERNELS_FLOAT_CASES_H

#include <stdint.h>

#include "kernels/float_check_args.h"

/* Operands of binary32 and binary64 as bits: mostly near where something is decided, such as equal
 * exponents, cancellation, ties, overflow, and the border of the denormals. */
typedef struct FloatCase {
    uint32_t a, b, c;
} FloatCase;

typedef struct DoubleCase {
    uint64_t a, b;
} DoubleCase;

/* Of a random sequence whose state is not 0. */
FloatCase float_case(uint64_t *state);
DoubleCase double_case(uint64_t *state);

/* The results by the machine's own arithmetic, with the one NaN of the dialect. */
void float_expected(FloatCase given, uint32_t results[FLOAT_RESULTS]);
void double_expected(DoubleCase given, uint64_t results[DOUBLE_RESULTS]);

#endif
