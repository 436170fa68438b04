/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_POOL_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_POOL_H

/* From sums over pixels to the score: norms, their weights, and the final curve. */

#include "libvmaf/backend_records.h"
#include "metrics/ssimulacra2/ssimulacra2_weights.h"

/* Not finite if a sum with a weight is not. */
double ssimulacra2_weighted_norms(const VmafRecordSsimulacra2 *record,
                                  const Ssimulacra2Sizes *sizes);

/* 100 for no error; not bounded below. */
double ssimulacra2_score(double weighted_norms);

#endif
