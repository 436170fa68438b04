/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune report: what reports are made of, and how results become them. */
#include "tune/command/report.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/text.h"
#include "tune/command/commands.h"
#include "tune/measure/row_file.h"
#include "tune/options/options.h"
#include "tune/options/output.h"
#include "tune/output/report_internal.h"
#include "tune/search/choice.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* -- what it says -- */

void report_add(Report *report, json_t *array, json_t *value)
{
    report->is_short_of_memory |= json_array_append_new(array, value) != 0;
}

static json_t *text_of(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        return NULL;
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
    json_t *json = json_text_or_null(text);
    free(text);
    return json;
}

json_t *report_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *json = text_of(format, arguments);
    va_end(arguments);
    return json;
}

const char *report_format(char text[HTML_NUMBER_SIZE], double number, const char *format)
{
    if (!isfinite(number))
        return "\xe2\x80\x94";
    if (*format == 'g' || *format == 'G') {
        snprintf(text, HTML_NUMBER_SIZE, "%g", number);
    } else if (*format == '%') {
        char digits[HTML_NUMBER_SIZE];
        snprintf(text, HTML_NUMBER_SIZE, "%s%.40s\xe2\x80\xaf%%", number >= 0.0005 ? "+" : "",
                 html_number(digits, 100 * number, 1));
    } else {
        html_number(text, number, *format == 't' ? 0 : *format - '0');
    }
    return text;
}

json_t *report_subject(Report *report, json_t *kind, json_t *title, double target)
{
    json_t *subject =
        json_pack("{s:o, s:o, s:s, s:o, s:{}, s:[], s:[], s:[], s:[], s:[]}", "kind", kind, "title",
                  title, "metric", "VMAF", "target", json_number_or_null(target), "curves", "hull",
                  "chosen", "numbers", "tables", "notes");
    if (!report->subjects)
        report->subjects = json_array();
    report_add(report, report->subjects, subject);
    return subject;
}

json_t *report_curve(Report *report, json_t *subject, const char *name)
{
    json_t *curves = json_object_get(subject, "curves"), *points = json_object_get(curves, name);
    if (points)
        return points;
    points = json_array();
    if (!report->styles)
        report->styles = json_object();
    int err = json_object_set_new(curves, name, points);
    if (!json_object_get(report->styles, name))
        err |= json_object_set_new(report->styles, name,
                                   json_integer((json_int_t)json_object_size(report->styles)));
    report->is_short_of_memory |= err != 0;
    return err ? NULL : points;
}

static double part_of(const json_t *point, size_t i)
{
    return json_number_value(json_array_get(point, i));
}

void report_point(Report *report, json_t *points, double kbps, double score, const char *label,
                  double q)
{
    if (!isfinite(kbps) || kbps <= 0 || !isfinite(score))
        return;
    size_t i = json_array_size(points);
    for (; i; i--) {
        const json_t *before = json_array_get(points, i - 1);
        const double other = part_of(before, 0);
        if (other < kbps || (other == kbps && part_of(before, 1) <= score))
            break;
    }
    json_t *point =
        json_pack("[f, f, o]", kbps, score, isnan(q) ? json_string("") : report_text(label, q));
    report->is_short_of_memory |= json_array_insert_new(points, i, point) != 0;
}

void report_number(Report *report, json_t *subject, const char *name, double number,
                   const char *format, const char *note, ...)
{
    const char *unit = isfinite(number) ? strchr(format, ' ') : NULL, *none = strchr(format, '|');
    const int length = unit ? (int)strcspn(unit, "|") : 0;
    char text[HTML_NUMBER_SIZE];
    va_list arguments;
    va_start(arguments, note);
    report_add(report, json_object_get(subject, "numbers"),
               json_pack("[o, s, o, o]", report_text("%s", name),
                         isnan(number) && none ? none + 1 : report_format(text, number, format),
                         report_text("%.*s", length, unit ? unit : ""), text_of(note, arguments)));
    va_end(arguments);
}

void report_note(Report *report, json_t *subject, const char *note, ...)
{
    va_list arguments;
    va_start(arguments, note);
    json_t *text = text_of(note, arguments);
    va_end(arguments);
    if (text && !json_string_length(text))
        json_decref(text);
    else
        report_add(report, json_object_get(subject, "notes"), text);
}

/* The first of the keys that the object has; NULL: none. */
static const json_t *member(const json_t *object, const char *keys)
{
    const json_t *value = NULL;
    for (size_t length; *keys && *keys != '|' && !value; keys += length + (keys[length] == ',')) {
        char path[128], *rest = path, *key;
        length = strcspn(keys, ",|");
        snprintf(path, sizeof path, "%.*s", (int)length, keys);
        for (value = object; (key = strsep(&rest, "/"));)
            value = json_object_get(value, key);
        if (json_is_null(value))
            value = NULL;
    }
    return value;
}

double report_at(const json_t *object, const char *keys)
{
    const json_t *value = member(object, keys);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *next_head(const char *head)
{
    head = strchr(head, '|');
    return head ? head + 1 : NULL;
}

/* The text of a head's cell. Qualities below 0 are none. */
static json_t *cell_of(const json_t *object, size_t place, const char *head)
{
    char name[64], text[HTML_NUMBER_SIZE];
    const size_t length = strcspn(head, ":=|"), equal = strcspn(head, "=|");
    const char *format = head[length] == ':' ? head + length + 1 : "0";
    snprintf(name, sizeof name, "%.*s", (int)length, head);
    const char *keys = head[equal] == '=' ? head + equal + 1 : name;
    const json_t *value = member(object, keys);
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (*keys == '#')
        return report_text("%zu", place + (keys[1] == '1'));
    if (json_is_string(value) && json_string_length(value))
        return report_text("%s", json_string_value(value));
    if (json_is_boolean(value))
        return json_string(json_is_true(value) ? "yes" : "no");
    if (*format == 'g' && number < 0)
        number = NAN;
    const char *unit = format + 1;
    for (; *format && *unit == 'k'; unit++)
        number /= 1000;
    return report_text("%s%.*s", report_format(text, number, format),
                       isfinite(number) ? (int)strcspn(unit, "=|") : 0, unit);
}

void report_table(Report *report, json_t *subject, const char *heads, const json_t *list,
                  bool is_long, const char *caption, ...)
{
    json_t *names = json_array(), *texts = json_array(), *rows = json_array(), *object;
    size_t i;
    for (const char *head = heads; head; head = next_head(head)) {
        const size_t length = strcspn(head, ":=|");
        report_add(report, names, report_text("%.*s", (int)length, head));
        report_add(report, texts, json_boolean(!strncmp(head + length, ":t", 2)));
    }
    json_array_foreach(list, i, object)
    {
        json_t *row = json_array();
        for (const char *head = heads; head; head = next_head(head))
            report_add(report, row, cell_of(object, i, head));
        report_add(report, rows, row);
    }
    va_list arguments;
    va_start(arguments, caption);
    report_add(report, json_object_get(subject, "tables"),
               json_pack("{s:o, s:o, s:o, s:b, s:o}", "caption", text_of(caption, arguments),
                         "heads", names, "are_texts", texts, "is_long", is_long, "rows", rows));
    va_end(arguments);
}

RateCurve report_rates(const json_t *points)
{
    const size_t n = json_array_size(points);
    RatePoint *rates = calloc(n + 1, sizeof(*rates));
    for (size_t i = 0; rates && i < n; i++)
        rates[i] = (RatePoint){part_of(json_array_get(points, i), 0),
                               part_of(json_array_get(points, i), 1)};
    return (RateCurve){rates, rates ? n : 0};
}

void report_find_hull(Report *report, json_t *subject)
{
    json_t *points, *all = json_array();
    const char *name;
    json_object_foreach(json_object_get(subject, "curves"), name, points)
        json_array_extend(all, points);
    size_t n = json_array_size(all);
    EncodePoint *hull = calloc(n + 1, sizeof(*hull));
    report->is_short_of_memory |= !hull;
    for (size_t i = 0; hull && i < n; i++)
        hull[i] = (EncodePoint){.kbps = part_of(json_array_get(all, i), 0),
                                .score = part_of(json_array_get(all, i), 1)};
    n = hull ? convex_hull(hull, n, HULL_LOG) : 0;
    for (size_t i = 0; i < n; i++)
        report_point(report, json_object_get(subject, "hull"), hull[i].kbps, hull[i].score, "%g",
                     NAN);
    json_decref(all);
    free(hull);
}

void report_free(Report *report)
{
    json_decref(report->subjects);
    json_decref(report->styles);
}

/* -- results -- */

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

/* Adds what a file holds: rows, or a result of another subcommand. `target`: NAN if none was given.
 * 0; negative errno and why. */
static int add_file(Report *report, const char *path, double target, Message *message)
{
    char *text;
    size_t size;
    Message why;
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    json_t *json = json_document_parse(text, size, &why, &err);
    if (err == -ENOMEM)
        message_set(message, err, "out of memory");
    else if (json && !json_is_object(json))
        err = message_set(message, -EINVAL, "expected rows, or a result of another subcommand");
    else if (report_add_document(report, json, target))
        err = 0;
    else /* what is no document may be rows */
        err = add_rows(report, text, size, isnan(target) ? 92 : target, message);
    json_decref(json);
    free(text);
    return err ? message_about_file(message, err, path) : 0;
}

static int print(const TuneCommand *command, const char *path, ReportForm form,
                 const Report *report, int err)
{
    TextBuffer text;
    VmafCLocaleScope locale;
    FILE *out = text_begin(&text);
    if (!out || report->is_short_of_memory)
        err = -ENOMEM;
    if (!err)
        err = vmaf_c_locale_enter(&locale);
    if (err)
        return result_print(&text, command, path, err);
    if (form == REPORT_HTML)
        report_print_html(report, out);
    else if (form == REPORT_MARKDOWN)
        report_print_markdown(report, out);
    else
        report_print_table(report, form == REPORT_CSV, out);
    vmaf_c_locale_leave(&locale);
    return result_print(&text, command, path, 0);
}

ReportForm report_form_of(const char *path)
{
    static const char *const endings[] = {".md", ".json", ".csv", ".html"};
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (int form = REPORT_MARKDOWN; dot && form <= REPORT_HTML; form++)
        if (!strcmp(dot, endings[form]))
            return (ReportForm)form;
    return REPORT_UNKNOWN;
}

int report_form_write(const TuneCommand *command, const char *path, ReportForm form, json_t *json)
{
    Report report = {0};
    if (!json || form == REPORT_JSON || form == REPORT_UNKNOWN)
        return result_print_json(command, path, json);
    const int err = report_add_document(&report, json, NAN) ? 0 : -EINVAL;
    const int status = print(command, path, form, &report, err);
    report_free(&report);
    json_decref(json);
    return status;
}

int report_file_write(const TuneCommand *command, const char *path, json_t *json)
{
    const ReportForm form = report_form_of(path);
    return report_form_write(command, path, form == REPORT_MARKDOWN ? REPORT_TABLE : form, json);
}

/* -- the subcommand -- */

typedef struct Settings {
    const char *title, *output;
    TextList inputs;
    double target;
    int format; /* 0: HTML; 1: Markdown; -1: by the name of the output */
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

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = NAN, .format = -1};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    OptionWords words;
    int status, err = 0;
    if (command_parse(command, &group, 1, argc, argv, &words, &status)) {
        Report report = {.title = settings.title};
        const bool is_markdown = settings.format < 0
                                     ? report_form_of(settings.output) == REPORT_MARKDOWN
                                     : settings.format;
        Message why;
        const size_t n = settings.inputs.n;
        for (size_t i = 0; i < n + words.n && !err; i++)
            err = add_file(&report, i < n ? settings.inputs.text[i] : words.word[i - n],
                           settings.target, &why);
        if (err)
            status =
                command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
        else if (!n && !words.n)
            status = command_fail(command, TUNE_USAGE, "a FILE is needed");
        else
            status = print(command, settings.output, is_markdown ? REPORT_MARKDOWN : REPORT_HTML,
                           &report, 0);
        report_free(&report);
    }
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
