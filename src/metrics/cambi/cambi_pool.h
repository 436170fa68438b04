/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_POOL_H
#define METRICS_CAMBI_CAMBI_POOL_H

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_kernels.h"

/*
 * Exact sums of contrasts. Contrasts are binary32 numbers, either 0 or at least 0.5 and below 2^18:
 * multiples of 2^-24.
 */

/* Rounded once. */
double cambi_sum_value(const CambiSum *sum);

/* Sums the k largest of n contrasts, 0 < k <= n, or all if k > n. The tally is that of all of them.
 * Leaves the contrasts in disorder. */
CambiSum cambi_sum_strongest(const CambiTally *tally, float *contrasts, size_t n, size_t k);

#endif
