/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ORDERED_SUM_KERNEL_H
#define METRICS_COMMON_ORDERED_SUM_KERNEL_H

/*
 * Sums of floating-point numbers that are rounded after each term. While such a sum stays between
 * two powers of two it is a whole number of units in its last place, 2^F to 2^(F + 1) of them, with
 * the F below; a term adds its own number of units, rounded to the nearest whole number, and of two
 * that are as near the one that makes the sum even. The library (metrics/common/ordered_sum.h) and
 * kernels (kernels/reduce/ordered_units.h) count such units in place of additions.
 */
#define ORDERED_SUM_FRACTION_F32 23
#define ORDERED_SUM_FRACTION_F64 52

#endif
