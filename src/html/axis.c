/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/axis.h"

#include <math.h>

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
    const double power = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5, 10};
    for (unsigned i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        if (factors[i] * power >= least * (1 - 1e-9))
            return factors[i] * power;
    }
    return 10 * power;
}

/* Seconds in which people count. */
static double time_step(double least)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    if (least < 1)
        return round_step(least);
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i] >= least)
            return steps[i];
    }
    return 86400 * ceil(least / 86400);
}

static int decimals_of(double step)
{
    const int decimals = (int)ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
}

Axis axis_of_values(double low, double high, unsigned n)
{
    low = isfinite(low) ? low : 0;
    high = isfinite(high) ? high : 0;
    /* Differences that are nothing but rounding are no range. */
    const double least = fmax(fmax(fabs(low), fabs(high)) * 1e-6, 1e-6);
    if (high - low < least) {
        const double middle = low / 2 + high / 2, half = fmax(fabs(middle) * 0.05, 10 * least);
        low = middle - half;
        high = middle + half;
    }
    const double step = round_step((high / n - low / n));
    Axis axis = {floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step,
                 decimals_of(step)};
    if (!isfinite(axis.low) || !isfinite(axis.high))
        return (Axis){low, high, step, 0};
    return axis;
}

Axis axis_of_range(double low, double high, unsigned n, int is_time)
{
    if (!(high > low))
        high = low + 1;
    const double least = (high - low) / n;
    const double step = is_time ? time_step(least) : fmax(round_step(least), 1);
    return (Axis){low, high, step, decimals_of(step)};
}

double axis_place(const Axis *axis, double value)
{
    const double place = (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

double axis_first_tick(const Axis *axis)
{
    return ceil(axis->low / axis->step - 1e-9) * axis->step;
}

size_t axis_ticks(const Axis *axis)
{
    const double n = floor((axis->high - axis_first_tick(axis)) / axis->step + 1e-9) + 1;
    return n >= 1 && n < 100 ? (size_t)n : 0;
}
