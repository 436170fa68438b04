/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BD_RATE_CSV_POINTS_H
#define TUNE_COMMANDS_BD_RATE_CSV_POINTS_H

#include "common/messages.h"
#include "tune/engine/bd_rate.h"

#include <stddef.h>

typedef struct CsvPoints {
    RatePoint *points; /* to be freed */
    size_t n;
} CsvPoints;

/*
 * Points of a text, one on each line: rate and quality, or the columns that the first line names:
 * "rate" or "bitrate_kbps", and `metric` or "metric". Empty lines, and those that begin with #, are
 * skipped. 0; -EINVAL with a message; -ENOMEM. Nothing is to be freed after an error.
 */
int csv_points_parse(CsvPoints *points, const char *text, const char *metric, Message *message);

#endif
