/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_AXIS_H
#define HTML_AXIS_H

#include <stddef.h>

#include "html/text.h"

/* Range of an axis, and the numbers that are written beside it. */
typedef struct Axis {
    double low, high; /* low < high */
    double step;      /* ticks are at multiples of it */
    int decimals;     /* that tell neighbouring ticks apart */
} Axis;

/* From low to high, widened to whole steps; about `n` ticks. What is not finite counts as 0. */
Axis axis_of_values(double low, double high, unsigned n);

/* Exactly from low to high; steps are seconds and minutes that people count in if is_time. */
Axis axis_of_range(double low, double high, unsigned n, int is_time);

/* Position of a value, 0 to 1. */
double axis_place(const Axis *axis, double value);

/* First tick, and the number of ticks. */
double axis_first_tick(const Axis *axis);
size_t axis_ticks(const Axis *axis);

#endif
