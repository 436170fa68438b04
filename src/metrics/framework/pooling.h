/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_POOLING_H
#define METRICS_FRAMEWORK_POOLING_H

/* What becomes of the scores of an interval. */

#include <stdbool.h>
#include <stddef.h>

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

/* -- statistics of the distribution of scores, beyond those that libvmaf pools -- */

enum { STATISTIC_NAME_SIZE = 8, MAX_STATISTICS = 32 };

enum StatisticKind { STATISTIC_PERCENTILE, STATISTIC_DEVIATION };

typedef struct Statistic {
    char name[STATISTIC_NAME_SIZE]; /* as printed */
    enum StatisticKind kind;
    unsigned percent; /* of a percentile */
} Statistic;

typedef struct StatisticList {
    unsigned count;
    Statistic items[MAX_STATISTICS];
} StatisticList;

/* One of p0 to p100, median, stddev, of `length` bytes. */
bool statistic_parse(Statistic *statistic, const char *name, size_t length);

/* Names separated by commas; one that occurs again is left out. -EINVAL for unknown or empty ones,
 * -E2BIG for too many. NULL and "": none. */
int statistic_list_parse(StatisticList *list, const char *text);

/* How many scores pool_statistics will look at. */
size_t pool_sample_count(uint32_t low, uint32_t high, unsigned n_subsample);

/*
 * Statistics of the scores that pool_series pools. A percentile is interpolated linearly between
 * the neighbours in the sorted scores (type 7 of Hyndman and Fan, Sample quantiles in statistical
 * packages, 1996); the deviation is that of a population. NaN if a score is not finite.
 *
 * `scratch` has room for all of them. 0; -EINVAL as pool_series.
 */
int pool_statistics(const Series *series, uint32_t low, uint32_t high, unsigned n_subsample,
                    const StatisticList *list, double *scratch, double values[]);

/* -- scores as reports show them: a column for each key, and aggregates over all frames -- */

typedef struct ScoreColumn {
    const char *name; /* as printed */
    const Series *scores;
} ScoreColumn;

typedef struct ScoreAggregate {
    const char *name;
    double value;
} ScoreAggregate;

#endif
