/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BD_RATE_BD_REPORT_H
#define TUNE_COMMANDS_BD_RATE_BD_REPORT_H

/* Deltas of curves, source by source and over all, and how they are printed. */

#include "tune/commands/bd_rate/curve_set.h"

#include <stdbool.h>

typedef struct BdRequest {
    BdOptions options;
    double percent; /* of the common interval, for the delta at one quality; NAN: none is wanted */
} BdRequest;

typedef struct BdDelta {
    BdStatus status;
    double value; /* NAN unless it is BD_OK */
} BdDelta;

typedef struct BdSource {
    const char *name; /* of the sets; "" if unknown */
    size_t n_reference, n_test;
    BdDelta rate, quality, rate_at; /* fractions of rates, points of quality */
} BdSource;

typedef struct BdReport {
    BdSource *sources; /* that both sets have */
    size_t n, n_alone; /* sources that one set has only */
    /* Over those that could be computed: geometric mean of ratios of rates, mean of differences of
     * quality. NAN if there is none. */
    double rate, quality, rate_at;
} BdReport;

/* The sets outlive the report. Two curves of unknown source, or one of them, belong together. 0;
 * -EINVAL with a message if no source is in both; -ENOMEM. Free with bd_report_free. */
int bd_report_make(BdReport *report, const CurveSet *reference, const CurveSet *test,
                   const BdRequest *request, Message *message);
void bd_report_free(BdReport *report);

/* What is said about both curves. */
typedef struct BdNames {
    const char *reference, *test, *metric;
} BdNames;

void bd_report_print_text(const BdReport *report, const BdRequest *request, const BdNames *names,
                          FILE *out);
/* 0; -ENOMEM; -EIO. */
int bd_report_print_json(const BdReport *report, const BdRequest *request, const BdNames *names,
                         FILE *out);

#endif
