/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_OUTPUT_REPORT_INTERNAL_H
#define TUNE_OUTPUT_REPORT_INTERNAL_H

/*
 * What a report says, whatever it is printed as, is a list of subjects, one for each source or
 * search, in JSON:
 *
 *   subject  {kind, title, metric, target: number or null, curves: {NAME: points}, hull: points,
 *             chosen: points, numbers: [large ...], tables: [table ...], notes: [text ...]}
 *   points   [[kbps, score, label] ...] in order of bitrate
 *   large    [name, number, unit, note]: a number that is shown large; a unit begins with a blank
 *   table    {caption, heads: [name ...], are_texts: [flag ...], is_long, rows: [[text ...] ...]}:
 *            a row begins with its name, and is about the curve of that name if there is one
 *
 * Numbers become texts by formats: "2", so many decimals; "g", as many as it takes; "%", of a
 * fraction, with its sign. A unit can follow behind a blank; in large ones, behind | what is said
 * where there is no number.
 *
 * A report is filled without looking at errors, and values may be NULL, as they are without memory:
 * whether there was some for all of it is known at the end.
 */

#include "common/html/parts.h"
#include "tune/measure/row.h"
#include "tune/search/bd_rate.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Report {
    const char *title; /* NULL: by its subjects */
    json_t *subjects;
    json_t *styles; /* of curves, by their names: the same in all subjects */
    bool is_short_of_memory;
} Report;

/* Appends a new reference. */
void report_add(Report *report, json_t *array, json_t *value);

/* A text of one line: control characters become blanks. A new reference; NULL without memory. */
json_t *report_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number by its format; "—" if it is not finite. */
const char *report_format(char text[HTML_NUMBER_SIZE], double number, const char *format);

/* References that functions return are borrowed; those that they are given are taken over. Formats
 * at the end of arguments are those of printf. */
json_t *report_subject(Report *report, json_t *kind, json_t *title, double target);
/* The points of a curve; an empty one if there is none of the name. */
json_t *report_curve(Report *report, json_t *subject, const char *name);
/* What is no point, as it has no score or bitrate, is left out. The label is empty without q. */
void report_point(Report *report, json_t *points, double kbps, double score, const char *label,
                  double q) __attribute__((format(printf, 5, 0)));
void report_number(Report *report, json_t *subject, const char *name, double number,
                   const char *format, const char *note, ...) __attribute__((format(printf, 6, 7)));
/* An empty one is none. */
void report_note(Report *report, json_t *subject, const char *note, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A table of a list of objects, a row each. Heads have | between them; what is behind their = tells
 * the cell: the first of these keys, with commas between them, that the object has (A/B: the key B
 * of an object; #0, #1: its place in the list); without =, the name is the key. A "k" behind the
 * format is for thousandths; "t" is the format of texts that Markdown puts at the left; "g" leaves
 * out what is below 0, which "G" does not. `is_long`: it is for those who want to look, and folded
 * away where that is possible.
 */
void report_table(Report *report, json_t *subject, const char *heads, const json_t *list,
                  bool is_long, const char *caption, ...) __attribute__((format(printf, 6, 7)));
/* A number of an object by such keys, else NAN. */
double report_at(const json_t *object, const char *keys);

/* Points [rate, quality ...] as a curve, whose points are to be freed; without memory it has none.
 */
RateCurve report_rates(const json_t *points);

/* Sets the hull of the subject: of all points of its curves, over the logarithm of bitrate. */
void report_find_hull(Report *report, json_t *subject);

/* A subject for each source of the rows: a curve for each encoder and preset, what each needs for
 * the target, and how the curves differ on average; before them, if there are several sources, one
 * that says what each encoder needs for the target. The report keeps nothing of the rows. */
void report_add_corpus(Report *report, const Row *rows, size_t n, double target);

/* The result of another subcommand as a subject: what it lacks is left out. `target` stands in
 * where it has none; NAN: none. False: it is no such document. */
bool report_add_document(Report *report, const json_t *json, double target);

/* The delta of a codec against the baseline, in the document of compare; NULL: none. */
const json_t *compared_delta(const json_t *document, const char *codec);

/* The plot of a subject: score over the logarithm of bitrate. Nothing without points. */
void rd_plot_print(const Report *report, const json_t *subject, FILE *out);

/* The sign of a curve in plots: a piece of its line with a point. Nothing if the subject has no
 * curve of that name. */
void rd_plot_print_sign(const Report *report, const json_t *subject, const char *name, FILE *out);

/* One self-contained page that loads nothing and needs no script. */
void report_print_html(const Report *report, FILE *out);

/* The same without plots. */
void report_print_markdown(const Report *report, FILE *out);

void report_free(Report *report);

/* Its first table alone, as Markdown or CSV. */
void report_print_table(const Report *report, bool is_csv, FILE *out);

/* report.css, for what pages of reports have beyond those of common/html/parts.h; the build makes
 * it. */
extern const char report_style_sheet[];
extern const size_t report_style_sheet_size;

#endif
