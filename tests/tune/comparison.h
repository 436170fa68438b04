/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_COMPARISON_H
#define TESTS_TUNE_COMPARISON_H

/* Searches by the steps that an encoder has, ours and the one that ab-av1 0.11.7 documents, under
 * the rules that record_curves.py states. */

#include "tests/tune/rd_curves.h"

typedef enum ComparedSearch {
    COMPARED_OURS,
    COMPARED_AB_AV1,
    COMPARED_AB_AV1_THOROUGH,
    COMPARED_BEST, /* knows all encodes, and makes none: the cheapest that reaches the target */
    N_COMPARED_SEARCHES,
} ComparedSearch;

/* Curves that searches are compared over. */
typedef struct ComparedCurves {
    const RdCurves *curves;
    /* What priors are fitted to, for each search without its clip; and by that, the optimum is of
     * whole numbers after isotonic regression. NULL: the engine's priors, and of all encodes. */
    const RdCurves *fitted;
} ComparedCurves;

typedef enum ComparedHalf {
    COMPARED_WHOLE,
    COMPARED_DEVELOPMENT, /* clips whose curves were looked at while the search was changed */
    COMPARED_HELD_BACK,
} ComparedHalf;

/* What of the curves a row is of. */
typedef struct ComparedPart {
    const char *name;
    const char *encoder; /* NULL: all */
    bool only_fractions; /* encoders with fractions of whole numbers */
    ComparedHalf half;
} ComparedPart;

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

Comparison compare_searches(const ComparedCurves *compared, ComparedSearch kind,
                            const ComparedPart *part);

/* The lowest bitrate at which a monotone cubic has that score; NAN if its ends do not enclose it.
 * The cubic is through all encodes or, `isotonic`, through those at whole numbers, after isotonic
 * regression. */
double rd_curve_optimum(const RdCurve *curve, double target, bool isotonic);

/* The tables of docs/tune_search.md have rows of at most this. */
enum { COMPARISON_ROW_SIZE = 200 };

/* Row number i; false after the last. */
bool comparison_row(const ComparedCurves *compared, int i, char row[COMPARISON_ROW_SIZE]);

#endif
