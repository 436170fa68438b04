/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_PCHIP_H
#define TUNE_ENGINE_PCHIP_H

/*
 * Piecewise cubic Hermite interpolation that keeps data monotone: Fritsch and Carlson, Monotone
 * piecewise cubic interpolation (1980), with the slopes of Fritsch and Butland (1984).
 */

#include <stddef.h>

/* Slopes at n points of ascending x; of two points, those of the line. n is at least 2. */
void pchip_slopes(const double *x, const double *y, size_t n, double *slopes);

/* The interpolation at `at`; outside of [x[0], x[n - 1]], the cubic of the nearest interval. */
double pchip_value(const double *x, const double *y, const double *slopes, size_t n, double at);

/* Integral from `from` to `to`, both within [x[0], x[n - 1]], from <= to. */
double pchip_integral(const double *x, const double *y, const double *slopes, size_t n, double from,
                      double to);

#endif
