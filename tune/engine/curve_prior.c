/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/search.h"

#include <math.h>
#include <string.h>

/* Scores near 100 would be infinitely far away without the half. */
static const double saturation = 100.5;

/* Deviations from a line are alike within such a distance: of u, or of units of quality. */
static const double range_of_missing = 0.5, range_in_units = 8;

/* Two encodes of neighbouring k are not exactly where a smooth curve would have them, in units. */
static const double roughness = 0.1;

static double scaled(const CurvePrior *prior, double score)
{
    return prior->scale == CURVE_LINEAR ? -score : log(fmax(saturation - score, 0.05));
}

static double range_of(const CurvePrior *prior)
{
    return prior->scale == CURVE_LINEAR ? range_in_units / prior->slope : range_of_missing;
}

/* How much k at u_1 and at u_2, distances from the reference, have in common. */
static double covariance(const CurvePrior *prior, double u_1, double u_2)
{
    const double distance = (u_1 - u_2) / range_of(prior);
    return prior->position_sd * prior->position_sd + prior->slope_sd * prior->slope_sd * u_1 * u_2 +
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
    const double at = scaled(prior, score) - reference;
    if (n > CURVE_MAX_POINTS)
        n = CURVE_MAX_POINTS;
    for (size_t i = 0; i < n; i++) {
        u[i] = scaled(prior, points[i].score) - reference;
        rest[i] = points[i].k - (prior->position + prior->slope * u[i]);
        shared[i] = covariance(prior, u[i], at);
        for (size_t j = 0; j <= i; j++)
            m[i][j] = covariance(prior, u[i], u[j]);
        m[i][i] += roughness * roughness;
    }
    factorise(m, n);
    substitute(m, n, rest);
    substitute(m, n, shared);
    double k = prior->position + prior->slope * at, variance = covariance(prior, at, at);
    for (size_t i = 0; i < n; i++) {
        k += shared[i] * rest[i];
        variance -= shared[i] * shared[i];
    }
    return (CurveEstimate){.k = k, .sd = sqrt(fmax(variance, roughness * roughness))};
}

/* Fitted to the curves of tests/tune/rd_curves.txt (tests/tune/simulate_searches.c prints the
 * numbers), of a height of 360 or less. Other videos differ more in position than those few, so
 * that is wider. */
typedef struct KnownCurve {
    const char *encoder;
    double q_at_90, q_sd;   /* at a height of 1080: 4 less than at 360 */
    double slope, slope_sd; /* units of q for each unit of ln(100.5 - VMAF) */
    double deviation;
} KnownCurve;

static const KnownCurve known_curves[] = {
    {"libx264", 24.1, 3, 5.7, 2.3, 0.35},
    {"libx265", 24.6, 3, 6.4, 2.5, 0.32},
    {"libsvtav1", 42.3, 5, 14.3, 7.2, 0.84},
};

static const double reference_vmaf = 90;

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
    CurvePrior prior = {.scale = CURVE_MISSING_SCORE, .reference_score = reference_vmaf};
    for (size_t i = 0; encoder && i < sizeof(known_curves) / sizeof(known_curves[0]); i++) {
        const KnownCurve *known = &known_curves[i];
        if (strcmp(encoder, known->encoder) != 0)
            continue;
        prior.position = known->q_at_90 + height_offset(height) - qualities->lowest;
        prior.position_sd = known->q_sd;
        prior.slope = known->slope;
        prior.slope_sd = known->slope_sd;
        prior.deviation = known->deviation;
        return prior;
    }
    const double range = qualities->highest - qualities->lowest;
    prior.position = range / 2;
    prior.position_sd = range / 6;
    prior.slope = range / 8;
    prior.slope_sd = range / 16;
    prior.deviation = range / 80;
    return prior;
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
    const double slope = (curve_crossing(prior, points, n, further).k - k) / way;
    next.position = k;
    next.position_sd = position_sd;
    next.slope_sd = prior->slope_sd / 2;
    if (slope > prior->slope / 4)
        next.slope = slope;
    return next;
}
