/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_SCORE_STATISTICS_H
#define TUNE_ENGINE_SCORE_STATISTICS_H

/* Scores of frames become one number, and predicted scores get an interval. */

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

double pooled_score(const PooledScores *pooled, ScorePool pool);

/* "mean", "harmonic_mean", "min", "p1", "p5", "p10"; NULL for another number. */
const char *score_pool_name(ScorePool pool);
/* False if there is none of that name. */
bool score_pool_named(const char *name, ScorePool *pool);

/* The name of a score without the prefix "integer_". */
const char *score_plain_name(const char *name);

/* -- intervals -- */

/*
 * Intervals around predicted scores from what earlier predictions missed by: split conformal
 * prediction (Lei et al., Distribution-free predictive inference for regression, 2018).
 */
typedef struct Calibration {
    double half_width;
    bool calibrated; /* false: too few residuals, so that no width has the coverage of alpha */
} Calibration;

/*
 * Calibrates by n residuals, whose signs do not matter; all but the part alpha of predictions are
 * to be within the interval. 0; -EINVAL if n is 0, a residual is not finite or alpha not in (0, 1);
 * -ENOMEM.
 */
int calibrate(const double *residuals, size_t n, double alpha, Calibration *calibration);

typedef struct ScoreInterval {
    double low, high;
} ScoreInterval;

/* Within [0, 100]. */
ScoreInterval calibrated_interval(const Calibration *calibration, double predicted);

typedef enum Confidence { CONFIDENCE_TIGHT, CONFIDENCE_MIDDLE, CONFIDENCE_WIDE } Confidence;

typedef struct ConfidenceWidths {
    double tight; /* up to this */
    double wide;  /* from this on */
} ConfidenceWidths;

#define CONFIDENCE_DEFAULT_TIGHT 2.0
#define CONFIDENCE_DEFAULT_WIDE  5.0

/* Confidence in an interval of that width; MIDDLE if it is NAN. 0; -EINVAL if it is negative. */
int confidence_of(double width, const ConfidenceWidths *widths, Confidence *confidence);

#endif
