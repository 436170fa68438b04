/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_COMPARISON_H
#define TESTS_TUNE_COMPARISON_H

/* Searches by the steps that an encoder has, ours and the one that ab-av1 0.11.7 documents, under
 * the rule that record_curves.py states. */

#include "tests/tune/rd_curves.h"

typedef enum ComparedSearch {
    COMPARED_OURS,
    COMPARED_AB_AV1,
    COMPARED_AB_AV1_THOROUGH,
    N_COMPARED_SEARCHES,
} ComparedSearch;

/* Of numbers that are the better the lower they are. */
typedef struct Spread {
    double mean, worst_tenth;
} Spread;

/* Sorts them. */
Spread spread_of(double *values, size_t n);

typedef struct Comparison {
    size_t searches;
    size_t unanswered; /* which count in `encodes` only */
    Spread encodes;
    Spread error;     /* of the score */
    Spread bits_over; /* percent above the optimum */
    bool misses;      /* an answer is below its target */
} Comparison;

/* Over curves of one encoder; NULL: all. */
Comparison compare_searches(const RdCurves *curves, ComparedSearch kind, const char *encoder);

/* The lowest bitrate at which the curve has that score; NAN if its ends do not enclose it. */
double rd_curve_optimum(const RdCurve *curve, double target);

/* The tables of docs/tune.md have rows of at most this. */
enum { COMPARISON_ROW_SIZE = 200 };

/* Row number i; false after the last. */
bool comparison_row(const RdCurves *curves, int i, char row[COMPARISON_ROW_SIZE]);

#endif
