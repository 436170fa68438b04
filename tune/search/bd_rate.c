/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/bd_rate.h"

#include "tune/search/choice.h"

#include <math.h>
#include <stdlib.h>

/* -- interpolation -- */

/* Slope at an end, from the two intervals next to it: h are their widths, d their inclinations. */
static double end_slope(double h_0, double h_1, double d_0, double d_1)
{
    const double slope = ((2 * h_0 + h_1) * d_0 - h_0 * d_1) / (h_0 + h_1);
    if (slope * d_0 <= 0)
        return 0;
    if (d_0 * d_1 <= 0 && fabs(slope) > 3 * fabs(d_0))
        return 3 * d_0;
    return slope;
}

static double inclination(const double *x, const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* A weighted harmonic mean of both sides; 0 at an extremum. */
static double inner_slope(const double *x, const double *y, size_t i)
{
    const double d_left = inclination(x, y, i - 1), d_right = inclination(x, y, i);
    if (d_left * d_right <= 0)
        return 0;
    const double h_left = x[i] - x[i - 1], h_right = x[i + 1] - x[i];
    const double w_left = 2 * h_right + h_left, w_right = h_right + 2 * h_left;
    return (w_left + w_right) / (w_left / d_left + w_right / d_right);
}

void pchip_slopes(const double *x, const double *y, size_t n, double *slopes)
{
    if (n == 2) {
        slopes[0] = slopes[1] = inclination(x, y, 0);
        return;
    }
    const size_t last = n - 1;
    slopes[0] = end_slope(x[1] - x[0], x[2] - x[1], inclination(x, y, 0), inclination(x, y, 1));
    for (size_t i = 1; i < last; i++)
        slopes[i] = inner_slope(x, y, i);
    slopes[last] = end_slope(x[last] - x[last - 1], x[last - 1] - x[last - 2],
                             inclination(x, y, last - 1), inclination(x, y, last - 2));
}

/* The interval that `at` is in. */
static size_t interval_of(const double *x, size_t n, double at)
{
    size_t i = 0;
    while (i + 2 < n && at >= x[i + 1])
        i++;
    return i;
}

/* Coefficients of the cubic of interval i, in powers of the distance from its left end. */
static void cubic_of(const double *x, const double *y, const double *slopes, size_t i, double c[4])
{
    const double h = x[i + 1] - x[i], d = inclination(x, y, i);
    c[0] = y[i];
    c[1] = slopes[i];
    c[2] = (3 * d - 2 * slopes[i] - slopes[i + 1]) / h;
    c[3] = (slopes[i] + slopes[i + 1] - 2 * d) / (h * h);
}

double pchip_value(const double *x, const double *y, const double *slopes, size_t n, double at)
{
    double c[4];
    const size_t i = interval_of(x, n, at);
    cubic_of(x, y, slopes, i, c);
    const double t = at - x[i];
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* -- deltas -- */

enum { N_SAMPLES = 100 };

/* A curve as it is compared: y over ascending x, with slopes. */
typedef struct Curve {
    double *x, *y, *slopes; /* one block, which is that of x */
    size_t n;
} Curve;

typedef enum Axes { RATE_OVER_QUALITY, QUALITY_OVER_RATE } Axes;

static int compare_quality(const void *a, const void *b)
{
    const EncodePoint *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? 1 : -1;
    return (x->kbps > y->kbps) - (x->kbps < y->kbps);
}

static BdStatus copy_points(const RateCurve *given, EncodePoint *points)
{
    for (size_t i = 0; i < given->n; i++) {
        const double rate = given->points[i].rate, quality = given->points[i].quality;
        if (!(rate > 0) || isinf(rate))
            return BD_BAD_RATE;
        if (isnan(quality) || quality == -INFINITY)
            return BD_BAD_QUALITY;
        points[i] = (EncodePoint){.kbps = rate, .score = isinf(quality) ? 100 : quality};
    }
    return BD_OK;
}

static BdStatus check_order(const EncodePoint *points, size_t n)
{
    if (n < BD_MIN_POINTS)
        return BD_TOO_FEW_POINTS;
    for (size_t i = 1; i < n; i++) {
        if (points[i].score <= points[i - 1].score)
            return BD_QUALITY_NOT_INCREASING;
        if (points[i].kbps <= points[i - 1].kbps)
            return BD_RATE_NOT_INCREASING;
    }
    return BD_OK;
}

static BdStatus make_curve(Curve *curve, const RateCurve *given, bool hull, Axes axes)
{
    size_t n = given->n;
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    curve->x = calloc(n + 1, 3 * sizeof(*curve->x));
    BdStatus status = points && curve->x ? copy_points(given, points) : BD_OUT_OF_MEMORY;
    if (status == BD_OK) {
        if (hull)
            n = convex_hull(points, n, HULL_LINEAR);
        qsort(points, n, sizeof(*points), compare_quality);
        status = check_order(points, n);
    }
    if (status == BD_OK) {
        *curve = (Curve){curve->x, curve->x + n, curve->x + 2 * n, n};
        for (size_t i = 0; i < n; i++) {
            const double rate = log(points[i].kbps), quality = points[i].score;
            curve->x[i] = axes == QUALITY_OVER_RATE ? rate : quality;
            curve->y[i] = axes == QUALITY_OVER_RATE ? quality : rate;
        }
        pchip_slopes(curve->x, curve->y, n, curve->slopes);
    }
    free(points);
    return status;
}

/* Both curves and the interval of x that they have in common. */
typedef struct Comparison {
    Curve reference, test;
    double low, high;
} Comparison;

static void comparison_free(Comparison *comparison)
{
    free(comparison->reference.x);
    free(comparison->test.x);
}

static BdStatus compare(Comparison *comparison, const RateCurve *reference, const RateCurve *test,
                        const BdOptions *options, Axes axes)
{
    *comparison = (Comparison){0};
    Curve *a = &comparison->reference, *b = &comparison->test;
    BdStatus status = make_curve(a, reference, options->hull, axes);
    if (status == BD_OK)
        status = make_curve(b, test, options->hull, axes);
    if (status == BD_OK) {
        comparison->low = fmax(a->x[0], b->x[0]);
        comparison->high = fmin(a->x[a->n - 1], b->x[b->n - 1]);
        if (axes == RATE_OVER_QUALITY) {
            comparison->low = fmax(comparison->low, options->min_quality);
            comparison->high = fmin(comparison->high, options->max_quality);
        }
        if (!(comparison->high > comparison->low))
            status = BD_NO_OVERLAP;
    }
    if (status != BD_OK)
        comparison_free(comparison);
    return status;
}

static double value_at(const Curve *curve, double x)
{
    return pchip_value(curve->x, curve->y, curve->slopes, curve->n, x);
}

static double antiderivative(const double c[4], double t)
{
    return t * (c[0] + t * (c[1] / 2 + t * (c[2] / 3 + t * c[3] / 4)));
}

/* The integral of the cubics themselves. */
static double exact_integral(const Curve *curve, double from, double to)
{
    const double *x = curve->x;
    const size_t n = curve->n;
    double sum = 0;
    for (size_t i = interval_of(x, n, from); i + 1 < n && x[i] < to; i++) {
        const double left = fmax(from, x[i]), right = fmin(to, x[i + 1]);
        double c[4];
        cubic_of(x, curve->y, curve->slopes, i, c);
        sum += antiderivative(c, right - x[i]) - antiderivative(c, left - x[i]);
    }
    return sum;
}

/* Trapezoids between equally spaced samples. */
static double sampled_integral(const Curve *curve, double low, double high)
{
    const double step = (high - low) / (N_SAMPLES - 1);
    double sum = (value_at(curve, low) + value_at(curve, high)) / 2;
    for (int i = 1; i < N_SAMPLES - 1; i++)
        sum += value_at(curve, low + i * step);
    return sum * step;
}

static double integral(const Curve *curve, double low, double high, bool exact)
{
    return exact ? exact_integral(curve, low, high) : sampled_integral(curve, low, high);
}

static BdStatus mean_difference(const RateCurve *reference, const RateCurve *test,
                                const BdOptions *options, Axes axes, double *difference)
{
    Comparison comparison;
    const BdStatus status = compare(&comparison, reference, test, options, axes);
    if (status != BD_OK)
        return status;
    const double low = comparison.low, high = comparison.high;
    *difference = (integral(&comparison.test, low, high, options->exact) -
                   integral(&comparison.reference, low, high, options->exact)) /
                  (high - low);
    comparison_free(&comparison);
    return BD_OK;
}

BdStatus bd_rate(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                 double *fraction)
{
    double difference;
    const BdStatus status =
        mean_difference(reference, test, options, RATE_OVER_QUALITY, &difference);
    if (status == BD_OK)
        *fraction = exp(difference) - 1;
    return status;
}

/* -- confidence -- */

/* The square of what the mean changes if `point` is left out; NAN without memory. */
static double squared_change(const Comparison *comparison, const Curve *curve, size_t point,
                             bool exact)
{
    const size_t n = curve->n - 1;
    double *x = calloc(n, 3 * sizeof(*x)), *y = x + n, *slopes = y + n;
    if (!x)
        return NAN;
    for (size_t i = 0; i < n; i++) {
        x[i] = curve->x[i + (i >= point)];
        y[i] = curve->y[i + (i >= point)];
    }
    pchip_slopes(x, y, n, slopes);
    const Curve rest = {x, y, slopes, n};
    const double low = comparison->low, high = comparison->high;
    const double change =
        (integral(&rest, low, high, exact) - integral(curve, low, high, exact)) / (high - low);
    free(x);
    return change * change;
}

BdStatus bd_rate_uncertainty(const RateCurve *reference, const RateCurve *test,
                             const BdOptions *options, double *half_width)
{
    Comparison comparison;
    const BdStatus status = compare(&comparison, reference, test, options, RATE_OVER_QUALITY);
    if (status != BD_OK)
        return status;
    const Curve *const curves[] = {&comparison.reference, &comparison.test};
    double sum = 0;
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 1; i + 1 < curves[c]->n; i++)
            sum += squared_change(&comparison, curves[c], i, options->exact);
    comparison_free(&comparison);
    if (isnan(sum))
        return BD_OUT_OF_MEMORY;
    *half_width = 2 * sqrt(sum);
    return BD_OK;
}

BdInterval bd_interval(double fraction, double half_width)
{
    return (BdInterval){(1 + fraction) * exp(-half_width) - 1,
                        (1 + fraction) * exp(half_width) - 1};
}

BdStatus bd_quality(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                    double *difference)
{
    return mean_difference(reference, test, options, QUALITY_OVER_RATE, difference);
}

BdStatus bd_rate_at(const RateCurve *reference, const RateCurve *test, const BdOptions *options,
                    double percent, double *fraction)
{
    Comparison comparison;
    const BdStatus status = compare(&comparison, reference, test, options, RATE_OVER_QUALITY);
    if (status != BD_OK)
        return status;
    const double at = comparison.low + (comparison.high - comparison.low) * percent / 100;
    *fraction = exp(value_at(&comparison.test, at) - value_at(&comparison.reference, at)) - 1;
    comparison_free(&comparison);
    return BD_OK;
}

const char *bd_status_text(BdStatus status)
{
    static const char *const texts[] = {
        [BD_OK] = "no error",
        [BD_TOO_FEW_POINTS] = "a curve has fewer than 4 points",
        [BD_BAD_RATE] = "a rate is not a number above 0",
        [BD_BAD_QUALITY] = "a quality is not a number",
        [BD_RATE_NOT_INCREASING] = "a point of higher quality has no higher rate",
        [BD_QUALITY_NOT_INCREASING] = "two points of a curve have the same quality",
        [BD_NO_OVERLAP] = "the curves have no interval in common",
        [BD_OUT_OF_MEMORY] = "out of memory",
    };
    return texts[status];
}
