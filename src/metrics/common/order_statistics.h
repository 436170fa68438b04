/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ORDER_STATISTICS_H
#define METRICS_COMMON_ORDER_STATISTICS_H

/* Statistics of the scores of a video, for all reports. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The score that `percent` of n ascending scores do not exceed, interpolated linearly between
 * neighbours (type 7 of Hyndman and Fan, Sample quantiles in statistical packages, 1996). The place
 * is computed in integers, so that whole places are exact. n is not 0, percent at most 100.
 */
static inline double percentile_of_sorted(const double *sorted, size_t n, unsigned percent)
{
    enum { WHOLE = 100 };
    const uint64_t place = (uint64_t)(n - 1) * percent;
    const size_t below = (size_t)(place / WHOLE);
    const double part = (double)(place % WHOLE) / WHOLE;
    if (part == 0.0)
        return sorted[below];
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

/* Standard deviation of a population of n scores, summed up in their order. n is not 0. */
static inline double population_deviation(const double *scores, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += scores[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (scores[i] - mean) * (scores[i] - mean);
    return sqrt(squares / (double)n);
}

/* For qsort, of finite scores. */
static inline int compare_scores(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
