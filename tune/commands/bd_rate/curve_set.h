/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_BD_RATE_CURVE_SET_H
#define TUNE_COMMANDS_BD_RATE_CURVE_SET_H

/* Rate-quality curves from files: one for each source. */

#include "common/messages.h"
#include "tune/engine/bd_rate.h"
#include "tune/rows/row.h"

typedef struct SourceCurve {
    char *source; /* what distinguishes it from others (row_source); "": unknown */
    char *name;   /* for people */
    RatePoint *points;
    size_t n;
} SourceCurve;

typedef struct CurveSet {
    SourceCurve *curves; /* in the order in which they came */
    size_t n;
} CurveSet;

/* Selects rows, and the number of them that is the score. NULL texts: any. */
typedef struct CurveFilter {
    const char *encoder, *preset;
    const char *metric; /* a key of rows, or a feature; of CSV with a header, a column */
} CurveFilter;

/*
 * A file of rows (its first character is a brace), or CSV: rate and metric on each line, or in
 * columns that a header names; lines that begin with # are comments. Rows that failed, or that
 * lack the rate or the metric, do not count; a point that is there twice does once. 0; -EINVAL with
 * a message if a line is damaged, nothing is left, or rows of several encoders are; the error of
 * reading the file; -ENOMEM.
 */
int curve_set_load(CurveSet *set, const char *path, const CurveFilter *filter, Message *message);

/* Makes the same curves from rows. */
int curve_set_of_rows(CurveSet *set, const Row *rows, size_t n, const CurveFilter *filter,
                      Message *message);

/* The curve of a source; NULL: there is none. */
const SourceCurve *curve_set_find(const CurveSet *set, const char *source);

void curve_set_free(CurveSet *set);

#endif
