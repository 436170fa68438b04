/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report_internal.h"

#include "common/html/parts.h"
#include "tune/session/output.h"

#include <errno.h>
#include <string.h>

/* The title of the report, or what its only subject is called; made by the report. */
static const char *report_title(const Report *report)
{
    if (report->title)
        return report->title;
    return report->n == 1 ? report->subjects[0].title : "Encoder tuning";
}

static void put_head(const Report *report, FILE *out)
{
    /* Nothing is loaded from anywhere, and nothing could be. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n<title>",
          out);
    html_put_text(out, report_title(report));
    fputs(" \xe2\x80\x93 encoder tuning</title>\n<style>\n", out);
    fwrite(html_style_sheet, 1, html_style_sheet_size, out);
    fwrite(report_style_sheet, 1, report_style_sheet_size, out);
    fputs("</style>\n</head>\n<body>\n<header><p class=\"kind\">Encoder tuning</p>", out);
    html_put_element(out, "<h1>", report_title(report), "</h1></header>\n<main>\n");
}

/* What follows the first blank of a value is its unit. */
static void put_value(const char *value, FILE *out)
{
    const char *unit = strchr(value, ' ');
    char number[64];
    if (!unit || (size_t)(unit - value) >= sizeof(number)) {
        html_put_text(out, value);
        return;
    }
    memcpy(number, value, (size_t)(unit - value));
    number[unit - value] = '\0';
    html_put_text(out, number);
    html_put_element(out, "<span class=\"unit\">", unit + 1, "</span>");
}

static void put_numbers(const ReportSubject *subject, FILE *out)
{
    if (!subject->n_numbers)
        return;
    fputs("<div class=\"figures answers\"><ul>", out);
    for (size_t i = 0; i < subject->n_numbers; i++) {
        const ReportNumber *number = &subject->numbers[i];
        html_put_element(out, "<li><span class=\"name\">", number->name, "</span><span>");
        put_value(number->value, out);
        fputs("</span>", out);
        if (*number->note)
            html_put_element(out, "<small>", number->note, "</small>");
        fputs("</li>", out);
    }
    fputs("</ul></div>\n", out);
}

static void put_cells(const ReportSubject *subject, const ReportTable *table, const ReportRow *row,
                      FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    if (row->curve != REPORT_NO_CURVE)
        rd_plot_print_sign(&subject->curves[row->curve], out);
    html_put_text(out, row->cells[0]);
    fputs("</th>", out);
    for (size_t i = 1; i < table->n_columns; i++) {
        const bool is_text = strlen(row->cells[i]) > 24;
        fputs(is_text ? "<td class=\"text\">" : "<td>", out);
        html_put_text(out, row->cells[i]);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void put_html_table(const ReportSubject *subject, const ReportTable *table, FILE *out)
{
    if (table->is_long)
        html_put_element(out, "<details><summary>", table->caption, "</summary>");
    fputs("<div class=\"scroll\"><table class=\"numbers\">", out);
    if (!table->is_long)
        html_put_element(out, "<caption>", table->caption, "</caption>");
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < table->n_columns; i++)
        html_put_element(out, "<th scope=\"col\">", table->columns[i], "</th>");
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < table->n; i++)
        put_cells(subject, table, &table->rows[i], out);
    fputs("</tbody></table></div>", out);
    fputs(table->is_long ? "</details>\n" : "\n", out);
}

static void put_notes(const ReportSubject *subject, FILE *out)
{
    if (!subject->n_notes)
        return;
    fputs("<ul class=\"remarks\">", out);
    for (size_t i = 0; i < subject->n_notes; i++)
        html_put_element(out, "<li>", subject->notes[i], "</li>");
    fputs("</ul>\n", out);
}

static int put_html_subject(const ReportSubject *subject, size_t index, FILE *out)
{
    fprintf(out, "<section aria-labelledby=\"subject-%zu\"><h2 id=\"subject-%zu\"><small>", index,
            index);
    html_put_text(out, subject->kind);
    html_put_element(out, "</small>", subject->title, "</h2>\n");
    put_numbers(subject, out);
    const int err = rd_plot_print(subject, out);
    for (size_t i = 0; i < subject->n_tables; i++)
        if (subject->tables[i].n && !subject->tables[i].is_long)
            put_html_table(subject, &subject->tables[i], out);
    put_notes(subject, out);
    for (size_t i = 0; i < subject->n_tables; i++)
        if (subject->tables[i].n && subject->tables[i].is_long)
            put_html_table(subject, &subject->tables[i], out);
    fputs("</section>\n", out);
    return err;
}

int report_print_html(const Report *report, FILE *out)
{
    int err = 0;
    put_head(report, out);
    for (size_t i = 0; i < report->n && !err; i++)
        err = put_html_subject(&report->subjects[i], i + 1, out);
    fputs("</main>\n<footer>vmaf-tune</footer>\n</body>\n</html>\n", out);
    return !err && ferror(out) ? -EIO : err;
}

static void put_markdown_table(const ReportTable *table, FILE *out)
{
    fputc('\n', out);
    markdown_text(out, table->caption);
    fputs("\n\n", out);
    for (size_t i = 0; i < table->n_columns; i++) {
        fputs("| ", out);
        markdown_text(out, table->columns[i]);
        fputc(' ', out);
    }
    fputs("|\n|---", out);
    for (size_t i = 1; i < table->n_columns; i++)
        fputs("|---:", out);
    fputs("|\n", out);
    for (size_t r = 0; r < table->n; r++) {
        for (size_t i = 0; i < table->n_columns; i++) {
            fputs("| ", out);
            markdown_text(out, table->rows[r].cells[i]);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

static void put_markdown_subject(const ReportSubject *subject, FILE *out)
{
    fprintf(out, "\n## %s: ", subject->kind);
    markdown_text(out, subject->title);
    fputs("\n\n", out);
    for (size_t i = 0; i < subject->n_numbers; i++) {
        const ReportNumber *number = &subject->numbers[i];
        fputs("- ", out);
        markdown_text(out, number->name);
        fputs(": **", out);
        markdown_text(out, number->value);
        fputs("**", out);
        if (*number->note) {
            fputs(" (", out);
            markdown_text(out, number->note);
            fputc(')', out);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < subject->n_notes; i++) {
        fputs("- ", out);
        markdown_text(out, subject->notes[i]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < subject->n_tables; i++)
        if (subject->tables[i].n)
            put_markdown_table(&subject->tables[i], out);
}

void report_print_markdown(const Report *report, FILE *out)
{
    fputs("# ", out);
    markdown_text(out, report_title(report));
    fputc('\n', out);
    for (size_t i = 0; i < report->n; i++)
        put_markdown_subject(&report->subjects[i], out);
}
