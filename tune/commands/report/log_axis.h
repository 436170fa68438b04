/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_LOG_AXIS_H
#define TUNE_COMMANDS_REPORT_LOG_AXIS_H

/* A logarithmic axis of values above 0. */

#include <stddef.h>

enum { LOG_AXIS_MAX_TICKS = 9 };

typedef struct LogAxis {
    double low, high; /* low < high */
    double ticks[LOG_AXIS_MAX_TICKS];
    size_t n_ticks;
} LogAxis;

/* A little wider than from low to high, with ticks at numbers that people like. */
LogAxis log_axis(double low, double high);

/* Position of a value: 0 to 1 inside of the axis. */
double log_axis_place(const LogAxis *axis, double value);

#endif
