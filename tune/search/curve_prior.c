/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/search.h"

#include <math.h>
#include <string.h>

/* Scores near 100 would be infinitely far away without the half. */
static const double saturation = 100.5;

/* Deviations from a line are alike within such a distance: of u, or of units of quality. */
static const double range_of_missing = 0.5, range_in_units = 8;

/* Saturation below 100 is told apart up to a score of about 99. */
static const double most_saturation = 8;

static double scaled(const CurvePrior *prior, double score)
{
    return prior->scale == CURVE_LINEAR ? -score : log(fmax(saturation - score, 0.05));
}

static double range_of(const CurvePrior *prior)
{
    return prior->scale == CURVE_LINEAR ? range_in_units / prior->slope : range_of_missing;
}

/* Encodes of neighbouring k are not exactly where a smooth curve would have them: by so much, in
 * units. Recordings of 30 to 150 frames have 0.04 to 0.09 of x264; longer ones have less. */
static double noise_of(const CurvePrior *prior)
{
    return prior->scale == CURVE_LINEAR ? 0.1 : prior->slope / 100;
}

/*
 * Videos differ in the score that they saturate at, which may be 97 as well as 100; so much of that
 * shows at a score. If the missing score is m + s instead of m, its logarithm differs by s / m.
 */
static double saturation_at(const CurvePrior *prior, double u)
{
    return prior->scale == CURVE_LINEAR ? 0 : fmin(exp(-u), most_saturation) - 1;
}

static double expected(const CurvePrior *prior, double u)
{
    return prior->position + prior->slope * u + prior->bend * saturation_at(prior, u);
}

/* How much k at u_1 and at u_2, distances from the reference, have in common. */
static double covariance(const CurvePrior *prior, double u_1, double u_2)
{
    const double distance = (u_1 - u_2) / range_of(prior);
    const double bends = saturation_at(prior, u_1) * saturation_at(prior, u_2);
    return prior->position_sd * prior->position_sd + prior->slope_sd * prior->slope_sd * u_1 * u_2 +
           prior->bend_sd * prior->bend_sd * bends +
           prior->deviation * prior->deviation * exp(-distance * distance / 2);
}

/* Lower triangle of a matrix whose square is the given one, in place (Cholesky). */
static void factorise(double m[CURVE_MAX_POINTS][CURVE_MAX_POINTS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= m[i][k] * m[j][k];
            m[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / m[j][j];
        }
    }
}

static void substitute(double m[CURVE_MAX_POINTS][CURVE_MAX_POINTS], size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            x[i] -= m[i][j] * x[j];
        x[i] /= m[i][i];
    }
}

CurveEstimate curve_crossing(const CurvePrior *prior, const CurvePoint *points, size_t n,
                             double score)
{
    double m[CURVE_MAX_POINTS][CURVE_MAX_POINTS], u[CURVE_MAX_POINTS];
    double rest[CURVE_MAX_POINTS], shared[CURVE_MAX_POINTS];
    const double reference = scaled(prior, prior->reference_score);
    const double at = scaled(prior, score) - reference, noise = noise_of(prior);
    if (n > CURVE_MAX_POINTS)
        n = CURVE_MAX_POINTS;
    for (size_t i = 0; i < n; i++) {
        u[i] = scaled(prior, points[i].score) - reference;
        rest[i] = points[i].k - expected(prior, u[i]);
        shared[i] = covariance(prior, u[i], at);
        for (size_t j = 0; j <= i; j++)
            m[i][j] = covariance(prior, u[i], u[j]);
        m[i][i] += noise * noise;
    }
    factorise(m, n);
    substitute(m, n, rest);
    substitute(m, n, shared);
    double k = expected(prior, at), variance = covariance(prior, at, at);
    for (size_t i = 0; i < n; i++) {
        k += shared[i] * rest[i];
        variance -= shared[i] * shared[i];
    }
    return (CurveEstimate){.k = k, .sd = sqrt(fmax(variance, 0) + noise * noise)};
}

/*
 * Fitted to the curves of tests/tune/rd_curves.txt, of a height of 360 or less, where `fit_curve`
 * of tests/tune/rd_curves.c has the formula (tests/tune/simulate_searches.c prints the numbers).
 * They are few, so other videos are expected to differ more: in position twice as much, in slope
 * half as much again.
 */
static const struct {
    const char *encoder;
    CurvePrior prior; /* position: q at a height of 1080, which is 4 less than at 360 */
} known_encoders[] = {
    {"libx264", {CURVE_MISSING_SCORE, 90, 23.9, 3, 6.9, 1.8, 1.0, 1.3, 0.15}},
    {"libx265", {CURVE_MISSING_SCORE, 90, 24.4, 3, 7.0, 1.6, 0.5, 1.5, 0.15}},
    {"libsvtav1", {CURVE_MISSING_SCORE, 90, 42.2, 5, 14.2, 5.4, 0.1, 4.2, 0.5}},
};

/* Smaller pictures are looked at from farther away, so they may be compressed more. */
static double height_offset(int height)
{
    if (height >= 2160)
        return -2;
    if (height >= 1080)
        return 0;
    return height >= 720 ? 2 : 4;
}

CurvePrior curve_prior_of_vmaf(const char *encoder, const QualityRange *qualities, int height)
{
    const double range = qualities->highest - qualities->lowest;
    for (size_t i = 0; encoder && i < sizeof(known_encoders) / sizeof(known_encoders[0]); i++) {
        CurvePrior prior = known_encoders[i].prior;
        prior.position += height_offset(height) - qualities->lowest;
        if (!strcmp(encoder, known_encoders[i].encoder))
            return prior;
    }
    return (CurvePrior){.scale = CURVE_MISSING_SCORE,
                        .reference_score = 90,
                        .position = range / 2,
                        .position_sd = range / 6,
                        .slope = range / 8,
                        .slope_sd = range / 16,
                        .deviation = range / 80};
}

CurvePrior curve_prior_of_low_pool(const CurvePrior *mean)
{
    CurvePrior prior = *mean;
    prior.position -= mean->slope / 3;
    prior.position_sd = hypot(mean->position_sd, mean->slope / 3);
    prior.deviation = 1.5 * mean->deviation;
    return prior;
}

CurvePrior curve_prior_unknown(const QualityRange *qualities, double target, double per_unit)
{
    const double range = qualities->highest - qualities->lowest, slope = 1 / per_unit;
    return (CurvePrior){.scale = CURVE_LINEAR,
                        .reference_score = target,
                        .position = range / 2,
                        .position_sd = range / 4,
                        .slope = slope,
                        .slope_sd = slope / 2,
                        .deviation = range / 80};
}

CurvePrior curve_prior_of_neighbour(const CurvePrior *prior, const CurvePoint *points, size_t n,
                                    double position_sd)
{
    CurvePrior next = *prior;
    if (!n)
        return next;
    /* The line through the estimates at the reference and some way further. */
    const double way = prior->scale == CURVE_LINEAR ? range_in_units / prior->slope : 1;
    const double reference = scaled(prior, prior->reference_score);
    const double further = prior->scale == CURVE_LINEAR ? prior->reference_score - way
                                                        : saturation - exp(reference + way);
    const double k = curve_crossing(prior, points, n, prior->reference_score).k;
    const double bent = prior->bend * saturation_at(prior, way);
    const double slope = (curve_crossing(prior, points, n, further).k - k - bent) / way;
    next.position = k;
    next.position_sd = position_sd;
    next.slope_sd = prior->slope_sd / 2;
    if (slope > prior->slope / 4)
        next.slope = slope;
    return next;
}
