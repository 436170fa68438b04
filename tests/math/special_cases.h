/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_MATH_SPECIAL_CASES_H
#define TESTS_MATH_SPECIAL_CASES_H

/* Zeros, infinities, over- and underflow, exact results, and the limits of what a formula is used
 * for. */

#include <stddef.h>

typedef struct SpecialCase {
    double x, y, result; /* y only if there are two arguments */
} SpecialCase;

typedef struct SpecialCases {
    const SpecialCase *cases;
    size_t n;
} SpecialCases;

/* "power" are for both pow and powf. */
extern const SpecialCases special_cases_of_exp, special_cases_of_log, special_cases_of_log2,
    special_cases_of_log10, special_cases_of_power, special_cases_of_pow, special_cases_of_powf,
    special_cases_of_sin, special_cases_of_cos, special_cases_of_atan2;

#endif
