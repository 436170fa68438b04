/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/pooling.h"

#include <errno.h>

int pool_series(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                Pooled *pooled)
{
    if (low > high)
        return -EINVAL;

    unsigned step = n_subsample > 1 ? n_subsample : 1;
    double min = 0, max = 0, sum = 0, inverse_sum = 0;
    uint32_t count = 0;
    uint64_t first = ((uint64_t)low + step - 1) / step * step;
    for (uint64_t i = first; i <= high; i += step) {
        double score;
        if (!series_get(series, (uint32_t)i, &score))
            return -EINVAL;
        sum += score;
        inverse_sum += 1.0 / (score + 1.0);
        if (count == 0 || score < min)
            min = score;
        if (count == 0 || score > max)
            max = score;
        count++;
    }
    if (count == 0)
        return -EINVAL;
    *pooled = (Pooled){
        .min = min,
        .max = max,
        .mean = sum / count,
        .harmonic_mean = count / inverse_sum - 1.0,
    };
    return 0;
}

int pooled_by_method(const Pooled *pooled, enum VmafPoolingMethod method, double *score)
{
    switch (method) {
    case VMAF_POOL_METHOD_MIN:
        *score = pooled->min;
        return 0;
    case VMAF_POOL_METHOD_MAX:
        *score = pooled->max;
        return 0;
    case VMAF_POOL_METHOD_MEAN:
        *score = pooled->mean;
        return 0;
    case VMAF_POOL_METHOD_HARMONIC_MEAN:
        *score = pooled->harmonic_mean;
        return 0;
    default:
        return -EINVAL;
    }
}
