/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report/report_print.h"

#include "tune/commands/text_cells.h"

const char *report_title(const Report *report)
{
    if (report->title)
        return report->title;
    return report->n == 1 ? report->subjects[0].title : "Encoder tuning";
}

static void put_table(const ReportTable *table, FILE *out)
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

static void put_subject(const ReportSubject *subject, FILE *out)
{
    fprintf(out, "\n## %s: ", subject->kind);
    markdown_text(out, subject->title);
    fputs("\n\n", out);
    for (size_t i = 0; i < subject->n_figures; i++) {
        const ReportFigure *figure = &subject->figures[i];
        fputs("- ", out);
        markdown_text(out, figure->name);
        fputs(": **", out);
        markdown_text(out, figure->value);
        fputs("**", out);
        if (*figure->note) {
            fputs(" (", out);
            markdown_text(out, figure->note);
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
            put_table(&subject->tables[i], out);
}

void report_print_markdown(const Report *report, FILE *out)
{
    fputs("# ", out);
    markdown_text(out, report_title(report));
    fputc('\n', out);
    for (size_t i = 0; i < report->n; i++)
        put_subject(&report->subjects[i], out);
}
