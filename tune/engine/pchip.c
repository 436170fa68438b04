/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/pchip.h"

#include <math.h>

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

static double antiderivative(const double c[4], double t)
{
    return t * (c[0] + t * (c[1] / 2 + t * (c[2] / 3 + t * c[3] / 4)));
}

double pchip_integral(const double *x, const double *y, const double *slopes, size_t n, double from,
                      double to)
{
    double sum = 0;
    for (size_t i = interval_of(x, n, from); i + 1 < n && x[i] < to; i++) {
        const double left = fmax(from, x[i]), right = fmin(to, x[i + 1]);
        double c[4];
        cubic_of(x, y, slopes, i, c);
        sum += antiderivative(c, right - x[i]) - antiderivative(c, left - x[i]);
    }
    return sum;
}
