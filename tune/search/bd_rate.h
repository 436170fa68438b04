/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_BD_RATE_H
#define TUNE_SEARCH_BD_RATE_H

/*
 * Bjontegaard deltas: how two rate-quality curves differ on average (VCEG-M33), with piecewise
 * cubic interpolation that keeps them monotone, as is the practice since JCTVC-E137.
 */

#include <stdbool.h>
#include <stddef.h>

/* -- interpolation -- */

/*
 * Piecewise cubic Hermite interpolation that keeps data monotone: Fritsch and Carlson, Monotone
 * piecewise cubic interpolation (1980), with the slopes of Fritsch and Butland (1984).
 */

/* Slopes at n points of ascending x; of two points, those of the line. n is at least 2. */
void pchip_slopes(const double *x, const double *y, size_t n, double *slopes);

/* The interpolation at `at`; outside of [x[0], x[n - 1]], the cubic of the nearest interval. */
double pchip_value(const double *x, const double *y, const double *slopes, size_t n, double at);

/* -- deltas -- */

typedef struct RatePoint {
    double rate;    /* of any unit, the same for all that are compared; above 0 */
    double quality; /* higher is better */
} RatePoint;

typedef struct RateCurve {
    const RatePoint *points; /* in any order; a quality of +INFINITY is read as 100 */
    size_t n;
} RateCurve;

typedef struct BdOptions {
    bool hull;  /* compare upper convex hulls instead of all points */
    bool exact; /* integrate the cubics themselves instead of 100 samples of them */
    double min_quality, max_quality; /* compare only there; -INFINITY, INFINITY for everywhere */
} BdOptions;

typedef enum BdStatus {
    BD_OK,
    BD_TOO_FEW_POINTS,         /* fewer than 4 */
    BD_BAD_RATE,               /* a rate that is not a number above 0 */
    BD_BAD_QUALITY,            /* a quality that is not a number */
    BD_RATE_NOT_INCREASING,    /* of points in order of quality */
    BD_QUALITY_NOT_INCREASING, /* two points of the same quality */
    BD_NO_OVERLAP,             /* no interval that both curves have */
    BD_OUT_OF_MEMORY,
} BdStatus;

enum { BD_MIN_POINTS = 4 };

/*
 * *fraction: rate of `test` relative to `reference`, minus 1, at equal quality on average; negative
 * if it needs less. Touched only if all is well. Thread-safe.
 */
BdStatus bd_rate(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                 double *fraction);

/*
 * How far that may be off because curves are known at some points only, and not without noise:
 * twice the root of the sum of the squares of what it changes if each inner point is left out in
 * turn. *half_width is that of ln(1 + fraction), at about 95 % confidence. Touched only if all is
 * well. Thread-safe.
 */
BdStatus bd_rate_uncertainty(const RateCurve *reference, const RateCurve *test,
                             const BdOptions *options, double *half_width);

/* Fractions. */
typedef struct BdInterval {
    double low, high;
} BdInterval;

BdInterval bd_interval(double fraction, double half_width);

/* As bd_rate, at one quality: `percent` of the way from the lowest common one to the highest. */
BdStatus bd_rate_at(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                    double percent, double *fraction);

/* *difference: quality of `test` minus that of `reference` at equal rate, on average over the
 * logarithm of the rates that both have. The limits of quality are not looked at. */
BdStatus bd_quality(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                    double *difference);

/* English text for people. */
const char *bd_status_text(BdStatus status);

#endif
