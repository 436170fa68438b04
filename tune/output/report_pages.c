/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reports as HTML, Markdown and CSV. */
#include "tune/output/report_internal.h"

#include "common/json.h"
#include "tune/options/output.h"

#include <string.h>

/* The title of the report, or what its only subject is called. */
static const char *report_title(const Report *report)
{
    if (report->title)
        return report->title;
    return json_array_size(report->subjects) == 1
               ? json_text_of(json_array_get(report->subjects, 0), "title")
               : "Encoder tuning";
}

static const char *text_at(const json_t *list, size_t i)
{
    return json_string_value(json_array_get(list, i));
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

static void put_numbers(const json_t *numbers, FILE *out)
{
    size_t i;
    json_t *number;
    fputs(json_array_size(numbers) ? "<div class=\"figures answers\"><ul>" : "", out);
    json_array_foreach(numbers, i, number)
    {
        const char *unit = text_at(number, 2), *note = text_at(number, 3);
        html_put_element(out, "<li><span class=\"name\">", text_at(number, 0), "</span>");
        html_put_element(out, "<span>", text_at(number, 1), "");
        if (*unit)
            html_put_element(out, "<span class=\"unit\">", unit + 1, "</span>");
        if (*note)
            html_put_element(out, "</span><small>", note, "</small></li>");
        else
            fputs("</span></li>", out);
    }
    fputs(json_array_size(numbers) ? "</ul></div>\n" : "", out);
}

static void put_html_row(const Report *report, const json_t *subject, const json_t *row, FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    rd_plot_print_sign(report, subject, text_at(row, 0), out);
    html_put_element(out, "", text_at(row, 0), "</th>");
    for (size_t i = 1; i < json_array_size(row); i++)
        html_put_element(out, strlen(text_at(row, i)) > 24 ? "<td class=\"text\">" : "<td>",
                         text_at(row, i), "</td>");
    fputs("</tr>\n", out);
}

/* Nothing without rows, or of another kind. */
static void put_html_tables(const Report *report, const json_t *subject, bool is_long, FILE *out)
{
    size_t t, i;
    json_t *table, *head, *row;
    json_array_foreach(json_object_get(subject, "tables"), t, table)
    {
        const json_t *heads = json_object_get(table, "heads"),
                     *rows = json_object_get(table, "rows");
        const char *caption = json_text_of(table, "caption");
        if (!json_array_size(rows) || is_long != json_is_true(json_object_get(table, "is_long")))
            continue;
        if (is_long)
            html_put_element(out, "<details><summary>", caption, "</summary>");
        fputs("<div class=\"scroll\"><table class=\"numbers\">", out);
        if (!is_long)
            html_put_element(out, "<caption>", caption, "</caption>");
        fputs("<thead><tr>", out);
        json_array_foreach(heads, i, head)
            html_put_element(out, "<th scope=\"col\">", json_string_value(head), "</th>");
        fputs("</tr></thead><tbody>\n", out);
        json_array_foreach(rows, i, row) put_html_row(report, subject, row, out);
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
        html_put_element(out, "<small>", json_text_of(subject, "kind"), "</small>");
        html_put_element(out, "", json_text_of(subject, "title"), "</h2>\n");
        put_numbers(json_object_get(subject, "numbers"), out);
        rd_plot_print(report, subject, out);
        put_html_tables(report, subject, false, out);
        put_notes(json_object_get(subject, "notes"), out);
        put_html_tables(report, subject, true, out);
        fputs("</section>\n", out);
    }
    fputs("</main>\n<footer>vmaf-tune</footer>\n</body>\n</html>\n", out);
}

/* -- Markdown and CSV -- */

/* In CSV what is not known is empty, and a minus is that of numbers. */
static void put_line(const json_t *cells, bool is_csv, FILE *out)
{
    static const char none[] = "\xe2\x80\x94", minus[] = "\xe2\x88\x92";
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const char *text = text_at(cells, i);
        const bool is_negative = !strncmp(text, minus, sizeof minus - 1);
        fputs(is_csv ? i ? "," : "" : i ? " | " : "| ", out);
        fputs(is_csv && is_negative ? "-" : "", out);
        if (!is_csv)
            markdown_text(out, text);
        else if (strcmp(text, none) != 0)
            csv_text(out, is_negative ? text + sizeof minus - 1 : text);
    }
    fputs(is_csv ? "\n" : " |\n", out);
}

static void put_table(const json_t *table, bool is_csv, FILE *out)
{
    size_t i;
    json_t *row, *is_text;
    put_line(json_object_get(table, "heads"), is_csv, out);
    fputs(is_csv ? "" : "|", out);
    json_array_foreach(json_object_get(table, "are_texts"), i, is_text)
        fputs(is_csv                  ? ""
              : json_is_true(is_text) ? "---|"
                                      : "---:|",
              out);
    fputs(is_csv ? "" : "\n", out);
    json_array_foreach(json_object_get(table, "rows"), i, row) put_line(row, is_csv, out);
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
        fprintf(out, "\n## %s: ", json_text_of(subject, "kind"));
        markdown_text(out, json_text_of(subject, "title"));
        fputs("\n\n", out);
        json_array_foreach(json_object_get(subject, "numbers"), i, one)
        {
            put_markdown_item(text_at(one, 0), out);
            fputs(": **", out);
            markdown_text(out, text_at(one, 1));
            fprintf(out, "%s**", text_at(one, 2));
            if (*text_at(one, 3)) {
                fputs(" (", out);
                markdown_text(out, text_at(one, 3));
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
            markdown_text(out, json_text_of(one, "caption"));
            fputs("\n\n", out);
            put_table(one, false, out);
        }
    }
}
