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

/* Results of a function of two arguments, the second of them that of the column; or of functions of
 * one argument, one in each column. */
typedef struct SpecialRow {
    double x, results[13];
} SpecialRow;

typedef struct SpecialRows {
    const SpecialRow *rows;
    size_t n, columns;
    const double *y;
} SpecialRows;

/* "power" are for both pow and powf. */
extern const SpecialCases special_cases_of_exp, special_cases_of_log, special_cases_of_log2,
    special_cases_of_log10, special_cases_of_pow, special_cases_of_powf, special_cases_of_sin,
    special_cases_of_cos, special_cases_of_atan2;
extern const SpecialRows special_rows_of_power, special_rows_of_few_powers, special_rows_of_atan2,
    special_rows_of_logs, special_rows_of_sin_cos;

#endif
