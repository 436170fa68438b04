/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report/report.h"

#include "common/html/parts.h"
#include "tune/engine/choice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends an element of zero bytes to an array of *n; NULL without memory. */
static void *append(Report *report, void *array, size_t *n, size_t size)
{
    void **elements = array;
    /* Arrays grow by doubling: their room is the power of two that holds them. */
    if ((*n & (*n - 1)) == 0) {
        void *more = realloc(*elements, (*n ? 2 * *n : 1) * size);
        if (!more) {
            report->is_short_of_memory = true;
            return NULL;
        }
        *elements = more;
    }
    return memset((char *)*elements + (*n)++ * size, 0, size);
}

static void subject_free(ReportSubject *subject)
{
    for (size_t i = 0; i < subject->n_curves; i++)
        free(subject->curves[i].points.points);
    for (size_t i = 0; i < subject->n_tables; i++)
        free(subject->tables[i].rows);
    free(subject->curves);
    free(subject->hull.points);
    free(subject->chosen.points);
    free(subject->figures);
    free(subject->tables);
    free(subject->notes);
}

void report_free(Report *report)
{
    for (size_t i = 0; i < report->n; i++)
        subject_free(&report->subjects[i]);
    for (size_t i = 0; i < report->n_texts; i++)
        free(report->texts[i]);
    free(report->subjects);
    free(report->texts);
    *report = (Report){0};
}

bool report_is_whole(const Report *report)
{
    return !report->is_short_of_memory;
}

const char *report_text(Report *report, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    char **place = text ? append(report, &report->texts, &report->n_texts, sizeof(*place)) : NULL;
    if (!place) {
        free(text);
        report->is_short_of_memory = true;
        return "";
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    *place = text;
    return text;
}

const char *report_number(Report *report, double number, int decimals)
{
    char text[HTML_NUMBER_SIZE];
    if (!isfinite(number))
        return "\xe2\x80\x94";
    return report_text(report, "%s", html_number(text, number, decimals));
}

const char *report_percent(Report *report, double fraction)
{
    char text[HTML_NUMBER_SIZE];
    if (!isfinite(fraction))
        return "\xe2\x80\x94";
    html_number(text, 100 * fraction, 1);
    return report_text(report, "%s%s\xe2\x80\xaf%%", fraction >= 0.0005 ? "+" : "", text);
}

ReportSubject *report_add_subject(Report *report)
{
    ReportSubject *subject =
        append(report, &report->subjects, &report->n, sizeof(*report->subjects));
    if (subject)
        *subject = (ReportSubject){.kind = "", .title = "", .metric = "VMAF", .target = NAN};
    return subject;
}

/* The style of a curve of the same name, else a new one. */
static int style_of(const Report *report, const char *name)
{
    int next = 0;
    for (size_t s = 0; s < report->n; s++)
        for (size_t c = 0; c < report->subjects[s].n_curves; c++) {
            const ReportCurve *curve = &report->subjects[s].curves[c];
            if (curve->name && !strcmp(curve->name, name))
                return curve->style;
            next = curve->style >= next ? curve->style + 1 : next;
        }
    return next;
}

ReportCurve *report_add_curve(Report *report, ReportSubject *subject, const char *name)
{
    const int style = style_of(report, name);
    ReportCurve *curve =
        append(report, &subject->curves, &subject->n_curves, sizeof(*subject->curves));
    if (curve)
        *curve = (ReportCurve){.name = name, .style = style};
    return curve;
}

ReportTable *report_add_table(Report *report, ReportSubject *subject, const char *caption)
{
    ReportTable *table =
        append(report, &subject->tables, &subject->n_tables, sizeof(*subject->tables));
    if (table)
        table->caption = caption;
    return table;
}

ReportRow *report_add_row(Report *report, ReportTable *table)
{
    ReportRow *row = append(report, &table->rows, &table->n, sizeof(*table->rows));
    for (size_t i = 0; row && i < REPORT_MAX_COLUMNS; i++)
        row->cells[i] = "";
    if (row)
        row->curve = REPORT_NO_CURVE;
    return row;
}

void report_add_point(Report *report, ReportPoints *points, double kbps, double score,
                      const char *label)
{
    if (!isfinite(kbps) || kbps <= 0 || !isfinite(score))
        return;
    ReportPoint *point = append(report, &points->points, &points->n, sizeof(*point));
    if (point)
        *point = (ReportPoint){kbps, score, label};
}

void report_add_column(ReportTable *table, const char *name)
{
    if (table->n_columns < REPORT_MAX_COLUMNS)
        table->columns[table->n_columns++] = name;
}

void report_add_figure(Report *report, ReportSubject *subject, ReportFigure figure)
{
    ReportFigure *place =
        append(report, &subject->figures, &subject->n_figures, sizeof(*subject->figures));
    if (place)
        *place = figure;
}

void report_add_note(Report *report, ReportSubject *subject, const char *note)
{
    const char **place =
        append(report, &subject->notes, &subject->n_notes, sizeof(*subject->notes));
    if (place)
        *place = note;
}

void report_find_hull(Report *report, ReportSubject *subject)
{
    size_t n = 0;
    for (size_t c = 0; c < subject->n_curves; c++)
        n += subject->curves[c].points.n;
    EncodePoint *points = calloc(n + 1, sizeof(*points));
    if (!points) {
        report->is_short_of_memory = true;
        return;
    }
    n = 0;
    for (size_t c = 0; c < subject->n_curves; c++)
        for (size_t i = 0; i < subject->curves[c].points.n; i++) {
            const ReportPoint *point = &subject->curves[c].points.points[i];
            points[n++] = (EncodePoint){.kbps = point->kbps, .score = point->score};
        }
    n = convex_hull(points, n, HULL_LOG);
    for (size_t i = 0; i < n; i++)
        report_add_point(report, &subject->hull, points[i].kbps, points[i].score, "");
    free(points);
}
