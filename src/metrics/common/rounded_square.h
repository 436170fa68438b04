/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ROUNDED_SQUARE_H
#define METRICS_COMMON_ROUNDED_SQUARE_H

#include <stdint.h>

/*
 * Sums of squares that the floating-point metrics round to binary32 one by one. Squares of samples
 * up to 12 bits are exact; those of 16-bit samples lose bits, here too. The rounded squares are
 * integers and their sum over a row is exact, so rows may be added in any order.
 */

/* Sum of squares of w 16-bit samples, each rounded to 24 significant bits. */
uint64_t rounded_square_sum(const uint16_t *samples, unsigned w);
/* The same for the differences of two rows. */
uint64_t rounded_square_difference_sum(const uint16_t *a, const uint16_t *b, unsigned w);

#endif
