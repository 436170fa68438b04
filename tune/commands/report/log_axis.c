/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report/log_axis.h"

#include "common/html/parts.h"

#include <math.h>

/* Part of the axis that is free beyond the outermost values. */
#define MARGIN 0.04

/* Multiples of powers of ten, from few ticks to many. */
static const double few[] = {1, 10};
static const double thirds[] = {1, 3, 10};
static const double classic[] = {1, 2, 5, 10};
static const double more[] = {1, 1.5, 2, 3, 5, 7, 10};
static const double *const sets[] = {more, classic, thirds, few};

static void add_tick(LogAxis *axis, size_t *n, double tick)
{
    if (tick < axis->low * (1 - 1e-9) || tick > axis->high * (1 + 1e-9))
        return;
    if (*n < LOG_AXIS_MAX_TICKS)
        axis->ticks[*n] = tick;
    ++*n;
}

/* Their number, which may be too large. */
static size_t put_ticks(LogAxis *axis, const double *multiples)
{
    size_t n = 0;
    const int first = (int)floor(log10(axis->low)), last = (int)floor(log10(axis->high));
    for (int power = first; power <= last; power++)
        for (const double *multiple = multiples; *multiple < 10; multiple++)
            add_tick(axis, &n, *multiple * pow(10, power));
    return n;
}

/* Equal steps, for narrow ranges. */
static size_t put_linear_ticks(LogAxis *axis)
{
    const Axis linear = axis_of_values(axis->low, axis->high, 6);
    size_t n = 0;
    for (size_t i = 0; i < axis_ticks(&linear); i++)
        add_tick(axis, &n, axis_first_tick(&linear) + (double)i * linear.step);
    return n;
}

LogAxis log_axis(double low, double high)
{
    LogAxis axis;
    if (!(high > low * 1.01)) {
        low *= 0.9;
        high *= 1.1;
    }
    const double room = pow(high / low, MARGIN);
    axis.low = low / room;
    axis.high = high * room;
    axis.n_ticks = 0;
    if (axis.high / axis.low < 3.5) {
        axis.n_ticks = put_linear_ticks(&axis);
    } else {
        size_t i = 0;
        do
            axis.n_ticks = put_ticks(&axis, sets[i]);
        while (axis.n_ticks > LOG_AXIS_MAX_TICKS && ++i < sizeof(sets) / sizeof(sets[0]));
    }
    if (axis.n_ticks > LOG_AXIS_MAX_TICKS)
        axis.n_ticks = LOG_AXIS_MAX_TICKS;
    return axis;
}

double log_axis_place(const LogAxis *axis, double value)
{
    return log(value / axis->low) / log(axis->high / axis->low);
}
