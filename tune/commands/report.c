/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report_internal.h"

#include "common/html/parts.h"
#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/commands/commands.h"
#include "tune/engine/choice.h"
#include "tune/rows/row_file.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
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
    free(subject->numbers);
    free(subject->tables);
    free(subject->notes);
}

/* Initialise with {0}. */
static void report_free(Report *report)
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

const char *report_quality(Report *report, double q)
{
    return q >= 0 ? report_text(report, "%g", q) : "\xe2\x80\x94";
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

ReportTable *report_add_table(Report *report, ReportSubject *subject, const char *caption,
                              const char *const *columns, size_t n)
{
    ReportTable *table =
        append(report, &subject->tables, &subject->n_tables, sizeof(*subject->tables));
    if (!table)
        return NULL;
    table->caption = caption;
    for (size_t i = 0; i < n; i++)
        table->columns[table->n_columns++] = columns[i];
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

void report_add_number(Report *report, ReportSubject *subject, const char *name, const char *value,
                       const char *note)
{
    ReportNumber *place =
        append(report, &subject->numbers, &subject->n_numbers, sizeof(*subject->numbers));
    if (place)
        *place = (ReportNumber){name, value, note};
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

static int add_rows(Report *report, const char *text, size_t size, double target, Message *message)
{
    RowTable table;
    int err = rows_parse(&table, text, size, message);
    if (table.is_torn)
        print_error("vmaf-tune report: the last line of the rows is cut off, and left out");
    if (!err && !table.n)
        err = message_set(message, -EINVAL, "there is no row");
    if (!err)
        report_add_corpus(report, table.rows, table.n, target);
    row_table_free(&table);
    return err;
}

static int add_text(Report *report, const char *text, size_t size, const ReportTargets *targets,
                    Message *message)
{
    int err;
    Message why;
    json_t *json = json_document_parse(text, size, &why, &err);
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    err = 0; /* what is no document may be rows */
    if (!report_add_document(report, json, targets->documents))
        err = json && !json_is_object(json)
                  ? message_set(message, -EINVAL,
                                "expected rows, or a result of compare, ladder or bisect")
                  : add_rows(report, text, size, targets->rows, message);
    json_decref(json);
    return err;
}

/* Adds what a file holds: rows, or a result of another subcommand. 0; -EINVAL with a message if it
 * is neither; the error of reading it; -ENOMEM. */
static int report_add_file(Report *report, const char *path, const ReportTargets *targets,
                           Message *message)
{
    char *text;
    size_t size;
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = add_text(report, text, size, targets, message);
    free(text);
    return err ? message_about_file(message, err, path) : 0;
}

static int print_to(const Report *report, bool is_markdown, FILE *out)
{
    VmafCLocaleScope locale;
    int err = vmaf_c_locale_enter(&locale);
    if (!err && is_markdown)
        report_print_markdown(report, out);
    else if (!err)
        err = report_print_html(report, out);
    vmaf_c_locale_leave(&locale);
    return err;
}

int report_print_page(json_t *json, FILE *out)
{
    Report report = {0};
    const bool is_made = json && report_add_document(&report, json, NAN);
    const int err = is_made && report_is_whole(&report) ? print_to(&report, false, out) : -ENOMEM;
    report_free(&report);
    json_decref(json);
    return err;
}

enum Format { FORMAT_BY_NAME = -1, FORMAT_HTML, FORMAT_MARKDOWN };

typedef struct Settings {
    const char *title, *output;
    TextList inputs;
    double target;
    int format;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"input", "FILE", "the same as FILE behind the options", TEXTS_AT(inputs),
     .file = TUNE_FILE_READ},
    {"title", "TEXT", "what the report is called", TEXT_AT(title)},
    {"target-vmaf", "X", "the score to be reached (of a corpus, 92)", NUMBER_AT(target, 0, 0)},
    {"format", NULL, "how to print it (html, unless the output is called .md)",
     CHOICE_AT(format, "html|markdown")},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

static int print(const TuneCommand *command, const Settings *settings, const Report *report)
{
    const char *ending = settings->output ? strrchr(settings->output, '.') : NULL;
    const bool is_called_md = ending && !strcmp(ending, ".md");
    const bool is_markdown =
        settings->format == FORMAT_BY_NAME ? is_called_md : settings->format == FORMAT_MARKDOWN;
    TextBuffer text;
    FILE *out = text_begin(&text);
    const int err = out ? print_to(report, is_markdown, out) : -ENOMEM;
    return result_print(&text, command, settings->output, err);
}

static int add_files(Report *report, const Settings *settings, const OptionWords *words,
                     Message *why)
{
    const ReportTargets targets = {.rows = isnan(settings->target) ? 92 : settings->target,
                                   .documents = settings->target};
    int err = 0;
    for (size_t i = 0; i < settings->inputs.n && !err; i++)
        err = report_add_file(report, settings->inputs.text[i], &targets, why);
    for (size_t i = 0; i < words->n && !err; i++)
        err = report_add_file(report, words->word[i], &targets, why);
    if (!err && !report_is_whole(report))
        err = message_set(why, -ENOMEM, "out of memory");
    return err;
}

static int make(const TuneCommand *command, const Settings *settings, const OptionWords *words)
{
    if (!settings->inputs.n && !words->n)
        return command_fail(command, TUNE_USAGE, "a FILE is needed");
    Report report = {.title = settings->title};
    Message why;
    const int err = add_files(&report, settings, words, &why);
    const int status =
        err ? command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : print(command, settings, &report);
    report_free(&report);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = NAN, .format = FORMAT_BY_NAME};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    OptionWords words;
    int status;
    if (command_parse(command, &group, 1, argc, argv, &words, &status))
        status = make(command, &settings, &words);
    tune_options_free(&group, 1);
    return status;
}

const TuneCommand report_command = {
    .name = "report",
    .operands = "FILE...",
    .summary = "results of other subcommands as a page with plots",
    .examples = "  vmaf-tune report corpus.jsonl --output report.html\n"
                "  vmaf-tune report ladder.json compare.json --format markdown\n",
    .run = run,
};
