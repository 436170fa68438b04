/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reports as HTML, Markdown and CSV. */
#include "tune/commands/report_internal.h"

#include "tune/session/output.h"

#include <math.h>
#include <string.h>

static const char *text_of(const json_t *json, const char *key)
{
    return json_string_value(json_object_get(json, key));
}

/* The title of the report, or what its only subject is called. */
static const char *report_title(const Report *report)
{
    if (report->title)
        return report->title;
    return json_array_size(report->subjects) == 1
               ? text_of(json_array_get(report->subjects, 0), "title")
               : "Encoder tuning";
}

static const char *value_text(const json_t *value, const char *format,
                              char number[HTML_NUMBER_SIZE])
{
    return json_is_string(value)
               ? json_string_value(value)
               : report_number(number, json_is_number(value) ? json_number_value(value) : NAN,
                               format);
}

/* A head without what it says of its cells. */
static const char *head_text(const json_t *head, char name[HTML_NUMBER_SIZE])
{
    const char *text = json_string_value(head);
    snprintf(name, HTML_NUMBER_SIZE, "%.*s", (int)strcspn(text, ":="), text);
    return name;
}

/* The format of the numbers of a column; "": it has texts. */
static const char *format_of(const json_t *heads, size_t column)
{
    const char *head = json_string_value(json_array_get(heads, column));
    head += strcspn(head, ":=");
    return *head == ':' ? head + 1 : "";
}

/* Parts of a figure; the unit begins with a blank, or is empty. */
typedef struct Figure {
    const char *name, *number, *note;
    char unit[32], text[HTML_NUMBER_SIZE];
} Figure;

static void unpack(const json_t *json, Figure *figure)
{
    const char *format;
    json_t *number;
    json_unpack((json_t *)json, "[s, o, s, s]", &figure->name, &number, &format, &figure->note);
    figure->number = value_text(number, format, figure->text);
    const char *unit = json_is_number(number) ? strchr(format, ' ') : NULL;
    snprintf(figure->unit, sizeof figure->unit, "%.*s", unit ? (int)strcspn(unit, "|") : 0,
             unit ? unit : "");
}

/* -- HTML -- */

static void put_head(const Report *report, FILE *out)
{
    /* Nothing is loaded from anywhere, and nothing could be. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n",
          out);
    html_put_element(out, "<title>", report_title(report),
                     " \xe2\x80\x93 encoder tuning</title>\n<style>\n");
    fwrite(html_style_sheet, 1, html_style_sheet_size, out);
    fwrite(report_style_sheet, 1, report_style_sheet_size, out);
    html_put_element(out,
                     "</style>\n</head>\n<body>\n<header><p class=\"kind\">Encoder tuning</p><h1>",
                     report_title(report), "</h1></header>\n<main>\n");
}

static void put_figures(const json_t *figures, FILE *out)
{
    size_t i;
    json_t *one;
    if (!json_array_size(figures))
        return;
    fputs("<div class=\"figures answers\"><ul>", out);
    json_array_foreach(figures, i, one)
    {
        Figure figure;
        unpack(one, &figure);
        html_put_element(out, "<li><span class=\"name\">", figure.name, "</span>");
        html_put_element(out, "<span>", figure.number, "");
        if (*figure.unit)
            html_put_element(out, "<span class=\"unit\">", figure.unit + 1, "</span>");
        fputs("</span>", out);
        if (*figure.note)
            html_put_element(out, "<small>", figure.note, "</small>");
        fputs("</li>", out);
    }
    fputs("</ul></div>\n", out);
}

static void put_html_row(const Report *report, const json_t *subject, const json_t *heads,
                         const json_t *row, FILE *out)
{
    size_t i;
    json_t *value;
    char number[HTML_NUMBER_SIZE];
    json_array_foreach(row, i, value)
    {
        const char *text = value_text(value, format_of(heads, i), number);
        fputs(!i                  ? "<tr><th scope=\"row\">"
              : strlen(text) > 24 ? "<td class=\"text\">"
                                  : "<td>",
              out);
        if (!i)
            rd_plot_print_sign(report, subject, text, out);
        html_put_element(out, "", text, i ? "</td>" : "</th>");
    }
    fputs("</tr>\n", out);
}

/* Nothing without rows, or of another kind. */
static void put_html_tables(const Report *report, const json_t *subject, bool is_long, FILE *out)
{
    char name[HTML_NUMBER_SIZE];
    size_t t, i;
    json_t *table, *head, *row;
    json_array_foreach(json_object_get(subject, "tables"), t, table)
    {
        const json_t *heads = json_object_get(table, "heads"),
                     *rows = json_object_get(table, "rows");
        const char *caption = text_of(table, "caption");
        if (!json_array_size(rows) || is_long != json_is_true(json_object_get(table, "is_long")))
            continue;
        if (is_long)
            html_put_element(out, "<details><summary>", caption, "</summary>");
        fputs("<div class=\"scroll\"><table class=\"numbers\">", out);
        if (!is_long)
            html_put_element(out, "<caption>", caption, "</caption>");
        fputs("<thead><tr>", out);
        json_array_foreach(heads, i, head)
            html_put_element(out, "<th scope=\"col\">", head_text(head, name), "</th>");
        fputs("</tr></thead><tbody>\n", out);
        json_array_foreach(rows, i, row) put_html_row(report, subject, heads, row, out);
        fputs("</tbody></table></div>", out);
        fputs(is_long ? "</details>\n" : "\n", out);
    }
}

static void put_notes(const json_t *notes, FILE *out)
{
    size_t i;
    json_t *note;
    if (!json_array_size(notes))
        return;
    fputs("<ul class=\"remarks\">", out);
    json_array_foreach(notes, i, note)
        html_put_element(out, "<li>", json_string_value(note), "</li>");
    fputs("</ul>\n", out);
}

void report_print_html(const Report *report, FILE *out)
{
    size_t i;
    json_t *subject;
    put_head(report, out);
    json_array_foreach(report->subjects, i, subject)
    {
        fprintf(out, "<section aria-labelledby=\"subject-%zu\"><h2 id=\"subject-%zu\">", i + 1,
                i + 1);
        html_put_element(out, "<small>", text_of(subject, "kind"), "</small>");
        html_put_element(out, "", text_of(subject, "title"), "</h2>\n");
        put_figures(json_object_get(subject, "figures"), out);
        rd_plot_print(report, subject, out);
        put_html_tables(report, subject, false, out);
        put_notes(json_object_get(subject, "notes"), out);
        put_html_tables(report, subject, true, out);
        fputs("</section>\n", out);
    }
    fputs("</main>\n<footer>vmaf-tune</footer>\n</body>\n</html>\n", out);
}

/* -- Markdown and CSV -- */

static void put_cell(const char *text, size_t column, bool is_csv, FILE *out)
{
    if (is_csv) {
        fputs(column ? "," : "", out);
        csv_text(out, text);
    } else {
        fputs(column ? " | " : "| ", out);
        markdown_text(out, text);
    }
}

/* In CSV, numbers are plain, and what is not known is empty. */
static const char *plain_text(const json_t *value, const char *format,
                              char number[HTML_NUMBER_SIZE])
{
    if (!json_is_number(value))
        return json_string_value(value);
    snprintf(number, HTML_NUMBER_SIZE, *format == 'g' ? "%g" : "%.3f", json_number_value(value));
    return number;
}

static void put_table(const json_t *table, bool is_csv, FILE *out)
{
    const json_t *heads = json_object_get(table, "heads");
    const char *end = is_csv ? "\n" : " |\n";
    char name[HTML_NUMBER_SIZE];
    size_t i, k;
    json_t *row, *value;
    json_array_foreach(heads, i, value) put_cell(head_text(value, name), i, is_csv, out);
    fputs(end, out);
    for (i = 0; i < json_array_size(heads) && !is_csv; i++)
        fputs(i ? "---:|" : "|---|", out);
    fputs(is_csv ? "" : "\n", out);
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        json_array_foreach(row, k, value)
        {
            char number[HTML_NUMBER_SIZE];
            const char *format = format_of(heads, k);
            put_cell(is_csv ? plain_text(value, format, number) : value_text(value, format, number),
                     k, is_csv, out);
        }
        fputs(end, out);
    }
}

void report_print_table(const Report *report, bool is_csv, FILE *out)
{
    const json_t *subject = json_array_get(report->subjects, 0);
    put_table(json_array_get(json_object_get(subject, "tables"), 0), is_csv, out);
}

/* "- " and a text. */
static void put_markdown_item(const char *text, FILE *out)
{
    fputs("- ", out);
    markdown_text(out, text);
}

void report_print_markdown(const Report *report, FILE *out)
{
    size_t s, i;
    json_t *subject, *one;
    fputs("# ", out);
    markdown_text(out, report_title(report));
    fputc('\n', out);
    json_array_foreach(report->subjects, s, subject)
    {
        fprintf(out, "\n## %s: ", text_of(subject, "kind"));
        markdown_text(out, text_of(subject, "title"));
        fputs("\n\n", out);
        json_array_foreach(json_object_get(subject, "figures"), i, one)
        {
            Figure figure;
            unpack(one, &figure);
            put_markdown_item(figure.name, out);
            fputs(": **", out);
            markdown_text(out, figure.number);
            fprintf(out, "%s**", figure.unit);
            if (*figure.note) {
                fputs(" (", out);
                markdown_text(out, figure.note);
                fputc(')', out);
            }
            fputc('\n', out);
        }
        json_array_foreach(json_object_get(subject, "notes"), i, one)
        {
            put_markdown_item(json_string_value(one), out);
            fputc('\n', out);
        }
        json_array_foreach(json_object_get(subject, "tables"), i, one)
        {
            if (!json_array_size(json_object_get(one, "rows")))
                continue;
            fputc('\n', out);
            markdown_text(out, text_of(one, "caption"));
            fputs("\n\n", out);
            put_table(one, false, out);
        }
    }
}
