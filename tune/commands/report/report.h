/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_H
#define TUNE_COMMANDS_REPORT_REPORT_H

/*
 * What a report says, whatever it is printed as: a subject for each source or search, with curves,
 * figures, tables and notes. A report is filled without looking at errors; whether there was memory
 * for all of it, report_is_whole tells at the end. Texts belong to the report.
 */

#include "tune/engine/encode_point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A measured encode in a plot. */
typedef struct ReportPoint {
    double kbps, score;
    const char *label; /* "CRF 23", and what else tells it from others */
} ReportPoint;

typedef struct ReportPoints {
    ReportPoint *points;
    size_t n;
} ReportPoints;

typedef struct ReportCurve {
    const char *name;
    int style; /* colour and dashes: those of the same name have the same in all subjects */
    ReportPoints points; /* in any order */
} ReportCurve;

/* A number that is shown large. */
typedef struct ReportFigure {
    const char *name, *value, *note;
} ReportFigure;

enum { REPORT_MAX_COLUMNS = 10, REPORT_NO_CURVE = -1 };

/* A row of a table: the first cell is its name. */
typedef struct ReportRow {
    const char *cells[REPORT_MAX_COLUMNS];
    int curve; /* of the subject, which it is about, or REPORT_NO_CURVE */
} ReportRow;

typedef struct ReportTable {
    const char *caption;
    const char *columns[REPORT_MAX_COLUMNS];
    size_t n_columns;
    bool is_long; /* for those who want to look: folded away where that is possible */
    ReportRow *rows;
    size_t n;
} ReportTable;

typedef struct ReportSubject {
    const char *kind;   /* "Corpus" ... */
    const char *title;  /* of the source, or what is searched */
    const char *metric; /* what the scores are */
    ReportCurve *curves;
    size_t n_curves;
    double target;       /* NAN: none */
    ReportPoints hull;   /* in order of bitrate */
    ReportPoints chosen; /* rungs, answers */
    ReportFigure *figures;
    size_t n_figures;
    ReportTable *tables;
    size_t n_tables;
    const char **notes;
    size_t n_notes;
} ReportSubject;

typedef struct Report {
    const char *title; /* NULL: by its subjects */
    ReportSubject *subjects;
    size_t n;
    char **texts;
    size_t n_texts;
    bool is_short_of_memory;
} Report;

/* Initialise with {0}. */
void report_free(Report *report);
bool report_is_whole(const Report *report);

/* A text of the report, of one line: control characters become blanks. "" without memory. */
const char *report_text(Report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number with `decimals` places; "—" if it is not finite. */
const char *report_number(Report *report, double number, int decimals);
/* The same with its sign and a percent sign, of a fraction. */
const char *report_percent(Report *report, double fraction);

/*
 * Each appends an empty element. What is pointed to stays there until the next one of its kind is
 * appended. Without memory there is nowhere to write to: NULL, and the caller stops.
 */
ReportSubject *report_add_subject(Report *report);
ReportCurve *report_add_curve(Report *report, ReportSubject *subject, const char *name);
ReportTable *report_add_table(Report *report, ReportSubject *subject, const char *caption);
ReportRow *report_add_row(Report *report, ReportTable *table);

void report_add_point(Report *report, ReportPoints *points, double kbps, double score,
                      const char *label);
void report_add_column(ReportTable *table, const char *name);
void report_add_figure(Report *report, ReportSubject *subject, ReportFigure figure);
void report_add_note(Report *report, ReportSubject *subject, const char *note);

/* Sets the hull of the subject: of all points of its curves, over the logarithm of bitrate. */
void report_find_hull(Report *report, ReportSubject *subject);

#endif
