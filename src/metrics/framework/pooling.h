/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_POOLING_H
#define METRICS_FRAMEWORK_POOLING_H

#include "libvmaf/libvmaf.h"
#include "support/series.h"

/* All poolings of the scores of an interval, computed in one pass in the order of indices. */
typedef struct Pooled {
    double min, max, mean, harmonic_mean;
} Pooled;

/*
 * Pools the scores at indices low..high, both included, that are divisible by n_subsample (0 and 1:
 * all). -EINVAL if low > high, if there is no such index, or if a score is missing.
 */
int pool_series(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                Pooled *pooled);
/* The value for a method; -EINVAL for an unknown one. */
int pooled_by_method(const Pooled *pooled, enum VmafPoolingMethod method, double *score);

#endif
