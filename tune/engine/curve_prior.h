/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_CURVE_PRIOR_H
#define TUNE_ENGINE_CURVE_PRIOR_H

/*
 * What is known of score over compression before, and after, encodes are measured.
 *
 * The compression index k at which a video has a score is nearly a straight line over a function u
 * of the score: for VMAF, the logarithm of what is missing to 100. (Bitrate falls by the same
 * factor with each step of k, so this is a power law of the missing quality over bitrate.) Two
 * numbers of that line differ between videos, its position and its slope, and their distribution is
 * the prior; how far curves deviate from lines is a third. Encodes make of it the posterior of a
 * Gaussian process over u, which goes through all that was measured.
 */

#include "tune/engine/knob.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum CurveScale {
    CURVE_MISSING_SCORE, /* u = ln(100.5 - score), for scores that saturate at 100 */
    CURVE_LINEAR,        /* u = -score, for PSNR and the like */
} CurveScale;

typedef struct CurvePrior {
    CurveScale scale;
    double reference_score;       /* where the position is */
    double position, position_sd; /* compression index there */
    double slope, slope_sd;       /* steps of the index for each unit of u; above 0 */
    double deviation;             /* of curves from their line, in steps, as a standard deviation */
} CurvePrior;

typedef struct CurvePoint {
    double k, score;
} CurvePoint;

typedef struct CurveEstimate {
    double k, sd; /* where the score is reached */
} CurveEstimate;

enum { CURVE_MAX_POINTS = 24 };

/* Finds where the curve through n points has that score. Points beyond CURVE_MAX_POINTS are not
 * used. */
CurveEstimate curve_crossing(const CurvePrior *prior, const CurvePoint *points, size_t n,
                             double score);

/*
 * What is known of the mean VMAF of an encoder (ffmpeg's name), for a video of that height. For
 * other encoders, or NULL: the middle of the quality parameter's range, and little certainty.
 */
CurvePrior curve_prior_of_vmaf(const char *encoder, const Knob *knob, int height);

/* The prior for a pool of lower scores, such as the minimum: the same scores come at less
 * compression, and with less certainty. */
CurvePrior curve_prior_of_low_pool(const CurvePrior *mean);

/* The prior for a metric that nothing is known about, whose scores fall by `per_step` with each
 * step of the quality parameter, give or take a factor of 2. */
CurvePrior curve_prior_unknown(const Knob *knob, double target, double per_step);

/*
 * After n points of a video, what to expect of a similar one, such as the next shot: its line, with
 * `position_sd` and half the uncertainty of slope.
 */
CurvePrior curve_prior_of_neighbour(const CurvePrior *prior, const CurvePoint *points, size_t n,
                                    double position_sd);

#endif
