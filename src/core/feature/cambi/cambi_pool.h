/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_CAMBI_CAMBI_POOL_H
#define CORE_FEATURE_CAMBI_CAMBI_POOL_H

#include "feature/cambi/cambi.h"

/*
 * Exact sums of contrasts. Contrasts are binary32 numbers, either 0 or at least 0.5 and below 2^18:
 * multiples of 2^-24.
 */

/* So many contrasts, in units of 2^-24, add up to less than 2^64. */
enum { CAMBI_SUMMABLE = 1 << 21 };

/* Adds `times` a number in units of 2^-24. */
static inline void cambi_sum_add(CambiSum *sum, uint64_t value, uint64_t times)
{
    sum->whole += (value >> 24) * times;
    sum->fraction += (value & 0xffffff) * times;
    sum->whole += sum->fraction >> 24;
    sum->fraction &= 0xffffff;
}

/* Rounded once. */
double cambi_sum_value(const CambiSum *sum);

/* Adds the k largest of n contrasts, 0 < k <= n, to a sum; leaves the contrasts in disorder. */
void cambi_sum_strongest(CambiSum *sum, float *contrasts, size_t n, size_t k);

#endif
