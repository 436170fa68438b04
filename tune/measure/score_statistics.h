/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SCORE_STATISTICS_H
#define TUNE_MEASURE_SCORE_STATISTICS_H

/* Scores of frames become one number. */

#include <stdbool.h>
#include <stddef.h>

typedef enum ScorePool {
    POOL_MEAN,
    POOL_HARMONIC_MEAN,
    POOL_MIN,
    POOL_P1, /* the score that 1 % of the frames do not exceed, and so on */
    POOL_P5,
    POOL_P10,
} ScorePool;

typedef struct PooledScores {
    size_t frames;
    double mean, harmonic_mean, min, max;
    double deviation; /* of the population */
    double p1, p5, p10;
} PooledScores;

/* Pools n scores, in order of frames. 0; -EINVAL if n is 0 or a score is not finite; -ENOMEM. */
int pool_scores(const double *scores, size_t n, PooledScores *pooled);

/* The same where a score counts as often as its weight says, which is above 0. */
int pool_weighted_scores(const double *scores, const double *weights, size_t n,
                         PooledScores *pooled);

double pooled_score(const PooledScores *pooled, ScorePool pool);

/* "mean", "harmonic_mean", "min", "p1", "p5", "p10"; NULL for another number. */
const char *score_pool_name(ScorePool pool);
/* False if there is none of that name. */
bool score_pool_named(const char *name, ScorePool *pool);

/* The name of a score without the prefix "integer_". */
const char *score_plain_name(const char *name);

#endif
