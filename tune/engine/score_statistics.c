/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/score_statistics.h"

#include "metrics/common/order_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void pool_sorted(const double *sorted, size_t n, PooledScores *pooled)
{
    pooled->min = sorted[0];
    pooled->max = sorted[n - 1];
    pooled->p1 = percentile_of_sorted(sorted, n, 1);
    pooled->p5 = percentile_of_sorted(sorted, n, 5);
    pooled->p10 = percentile_of_sorted(sorted, n, 10);
}

int pool_scores(const double *scores, size_t n, PooledScores *pooled)
{
    if (!n)
        return -EINVAL;
    double sum = 0, inverse_sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(scores[i]))
            return -EINVAL;
        sum += scores[i];
        inverse_sum += 1 / (scores[i] + 1);
    }
    double *sorted = calloc(n, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, scores, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare_scores);
    *pooled = (PooledScores){
        .frames = n,
        .mean = sum / (double)n,
        .harmonic_mean = (double)n / inverse_sum - 1,
        .deviation = population_deviation(scores, n),
    };
    pool_sorted(sorted, n, pooled);
    free(sorted);
    return 0;
}

double pooled_score(const PooledScores *pooled, ScorePool pool)
{
    switch (pool) {
    case POOL_MEAN:
        return pooled->mean;
    case POOL_HARMONIC_MEAN:
        return pooled->harmonic_mean;
    case POOL_MIN:
        return pooled->min;
    case POOL_P1:
        return pooled->p1;
    case POOL_P5:
        return pooled->p5;
    case POOL_P10:
        return pooled->p10;
    }
    return NAN;
}

static const char *const pool_names[] = {
    [POOL_MEAN] = "mean", [POOL_HARMONIC_MEAN] = "harmonic_mean",
    [POOL_MIN] = "min",   [POOL_P1] = "p1",
    [POOL_P5] = "p5",     [POOL_P10] = "p10",
};

enum { N_POOLS = sizeof(pool_names) / sizeof(pool_names[0]) };

const char *score_pool_name(ScorePool pool)
{
    return (unsigned)pool < N_POOLS ? pool_names[pool] : NULL;
}

bool score_pool_named(const char *name, ScorePool *pool)
{
    for (unsigned i = 0; i < N_POOLS; i++)
        if (!strcmp(name, pool_names[i])) {
            *pool = (ScorePool)i;
            return true;
        }
    return false;
}

const char *score_plain_name(const char *name)
{
    static const char prefix[] = "integer_";
    return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}
