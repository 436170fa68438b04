/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_INTERNAL_H
#define TUNE_COMMANDS_REPORT_INTERNAL_H

/*
 * What a report says, whatever it is printed as: a subject for each source or search, with curves,
 * numbers, tables and notes. A report is filled without looking at errors; whether there was memory
 * for all of it, report_is_whole tells at the end. Texts belong to the report.
 */

#include "common/messages.h"
#include "tune/engine/encode_point.h"
#include "tune/rows/row.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
typedef struct ReportNumber {
    const char *name, *value, *note;
} ReportNumber;

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
    ReportNumber *numbers;
    size_t n_numbers;
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

bool report_is_whole(const Report *report);

/* A text of the report, of one line: control characters become blanks. "" without memory. */
const char *report_text(Report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number with `decimals` places; "—" if it is not finite. */
const char *report_number(Report *report, double number, int decimals);
/* A value of an encoder's quality parameter; "—" for none: NAN, or below 0. */
const char *report_quality(Report *report, double q);
/* A number with its sign and a percent sign, of a fraction. */
const char *report_percent(Report *report, double fraction);

/*
 * Each appends an empty element. What is pointed to stays there until the next one of its kind is
 * appended. Without memory there is nowhere to write to: NULL, and the caller stops.
 */
ReportSubject *report_add_subject(Report *report);
ReportCurve *report_add_curve(Report *report, ReportSubject *subject, const char *name);
ReportTable *report_add_table(Report *report, ReportSubject *subject, const char *caption,
                              const char *const *columns, size_t n);
ReportRow *report_add_row(Report *report, ReportTable *table);

void report_add_point(Report *report, ReportPoints *points, double kbps, double score,
                      const char *label);
void report_add_number(Report *report, ReportSubject *subject, const char *name, const char *value,
                       const char *note);
void report_add_note(Report *report, ReportSubject *subject, const char *note);

/* Sets the hull of the subject: of all points of its curves, over the logarithm of bitrate. */
void report_find_hull(Report *report, ReportSubject *subject);

/* A subject for each source of the rows: a curve for each encoder and preset, what each needs for
 * the target, and how the curves differ on average. The report keeps nothing of the rows. */
void report_add_corpus(Report *report, const Row *rows, size_t n, double target);

/* A subject that says what each encoder needs for the target, if rows are of several sources. */
void report_add_encoders(Report *report, const Row *rows, size_t n, double target);

/* The result of compare, ladder or bisect as a subject: what it lacks is left out. `target` stands
 * in where it has none; NAN: none. False: it is no such document. */
bool report_add_document(Report *report, const json_t *json, double target);

typedef struct ReportTargets {
    double rows;      /* of corpora */
    double documents; /* of results that do not say theirs; NAN: none */
} ReportTargets;

/* The plot of a subject: score over the logarithm of bitrate. Nothing without points. 0; -ENOMEM.
 */
int rd_plot_print(const ReportSubject *subject, FILE *out);

/* The sign of a curve in plots: a piece of its line with a point. */
void rd_plot_print_sign(const ReportCurve *curve, FILE *out);

/* One self-contained page that loads nothing and needs no script. 0; -ENOMEM; -EIO. */
int report_print_html(const Report *report, FILE *out);

/* The page of one result of compare, ladder or bisect, whose reference it takes; NULL: there was no
 * memory for it. 0; -ENOMEM; -EIO. */
int report_print_page(json_t *json, FILE *out);

/* The same without plots. */
void report_print_markdown(const Report *report, FILE *out);

/* report.css, for what pages of reports have beyond those of common/html/parts.h; the build makes
 * it. */
extern const char report_style_sheet[];
extern const size_t report_style_sheet_size;

#endif
