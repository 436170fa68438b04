/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/score_statistics.h"

#include "metrics/common/order_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int pool_scores(const double *scores, size_t n, PooledScores *pooled)
{
    double sum = 0, inverse_sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(scores[i]))
            return -EINVAL;
        sum += scores[i];
        inverse_sum += 1 / (scores[i] + 1);
    }
    double *sorted = n ? malloc(n * sizeof(*sorted)) : NULL;
    if (!sorted)
        return n ? -ENOMEM : -EINVAL;
    memcpy(sorted, scores, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare_scores);
    *pooled = (PooledScores){
        .frames = n,
        .mean = sum / (double)n,
        .harmonic_mean = (double)n / inverse_sum - 1,
        .min = sorted[0],
        .max = sorted[n - 1],
        .deviation = population_deviation(scores, n),
        .p1 = percentile_of_sorted(sorted, n, 1),
        .p5 = percentile_of_sorted(sorted, n, 5),
        .p10 = percentile_of_sorted(sorted, n, 10),
    };
    free(sorted);
    return 0;
}

typedef struct WeightedScore {
    double score, weight;
} WeightedScore;

static int compare_weighted(const void *a, const void *b)
{
    return compare_scores(&((const WeightedScore *)a)->score, &((const WeightedScore *)b)->score);
}

/* Scores lie at the middles of their weights, which of equal ones is where percentiles of as many
 * scores have them. */
static double weighted_percentile(const WeightedScore *sorted, size_t n, double sum, double percent)
{
    const double first = sorted[0].weight / 2, last = sum - sorted[n - 1].weight / 2;
    const double place = first + (last - first) * percent / 100;
    double at = first;
    for (size_t i = 1; i < n; i++) {
        const double next = at + (sorted[i - 1].weight + sorted[i].weight) / 2;
        if (place <= next)
            return sorted[i - 1].score +
                   (sorted[i].score - sorted[i - 1].score) * (place - at) / (next - at);
        at = next;
    }
    return sorted[n - 1].score;
}

int pool_weighted_scores(const double *scores, const double *weights, size_t n,
                         PooledScores *pooled)
{
    double weight = 0, sum = 0, inverse_sum = 0;
    int err = pool_scores(scores, n, pooled);
    WeightedScore *sorted = err ? NULL : calloc(n, sizeof(*sorted));
    if (!sorted)
        return err ? err : -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = (WeightedScore){scores[i], weights[i]};
        weight += weights[i];
        sum += weights[i] * scores[i];
        inverse_sum += weights[i] / (scores[i] + 1);
    }
    qsort(sorted, n, sizeof(*sorted), compare_weighted);
    /* Rounding takes no mean out of the range of its scores. */
    pooled->mean = fmin(fmax(sum / weight, sorted[0].score), sorted[n - 1].score);
    pooled->harmonic_mean =
        fmin(fmax(weight / inverse_sum - 1, sorted[0].score), sorted[n - 1].score);
    pooled->p1 = weighted_percentile(sorted, n, weight, 1);
    pooled->p5 = weighted_percentile(sorted, n, weight, 5);
    pooled->p10 = weighted_percentile(sorted, n, weight, 10);
    free(sorted);
    return 0;
}

static const struct {
    const char *name;
    size_t offset;
} pools[] = {
    [POOL_MEAN] = {"mean", offsetof(PooledScores, mean)},
    [POOL_HARMONIC_MEAN] = {"harmonic_mean", offsetof(PooledScores, harmonic_mean)},
    [POOL_MIN] = {"min", offsetof(PooledScores, min)},
    [POOL_P1] = {"p1", offsetof(PooledScores, p1)},
    [POOL_P5] = {"p5", offsetof(PooledScores, p5)},
    [POOL_P10] = {"p10", offsetof(PooledScores, p10)},
};

enum { N_POOLS = sizeof(pools) / sizeof(pools[0]) };

double pooled_score(const PooledScores *pooled, ScorePool pool)
{
    return *(const double *)(const void *)((const char *)pooled + pools[pool].offset);
}

const char *score_pool_name(ScorePool pool)
{
    return (unsigned)pool < N_POOLS ? pools[pool].name : NULL;
}

bool score_pool_named(const char *name, ScorePool *pool)
{
    for (unsigned i = 0; i < N_POOLS; i++)
        if (!strcmp(name, pools[i].name)) {
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
