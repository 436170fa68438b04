/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_CONFIDENCE_H
#define TUNE_ENGINE_CONFIDENCE_H

/*
 * Intervals around predicted scores from what earlier predictions missed by: split conformal
 * prediction (Lei et al., Distribution-free predictive inference for regression, 2018).
 */

#include <stdbool.h>
#include <stddef.h>

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
