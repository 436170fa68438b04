/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_REPORT_H
#define TUNE_COMMAND_REPORT_H

/* Results of subcommands as a page for people, or as a table. */

#include "tune/options/command.h"

#include <jansson.h>
#include <stdio.h>

/* True if the file is called .html; NULL is allowed. */
bool report_is_page(const char *path);

/*
 * Writes a file by its extension: .html is the page that `report` makes of the result, .md and .csv
 * are its table, all else is the result as JSON, as on standard output (path NULL). Takes the
 * reference over; NULL: there was no memory for it. A status, of what was printed.
 */
int report_file_write(const TuneCommand *command, const char *path, json_t *json);

typedef enum ReportForm {
    REPORT_BY_NAME = -1,
    REPORT_HTML,
    REPORT_MARKDOWN,
    REPORT_CSV,   /* the first table */
    REPORT_TABLE, /* the same in Markdown */
} ReportForm;

/* Prints one result, whose reference it takes; NULL: there was no memory for it. 0; -ENOMEM;
 * -EINVAL for a result that no page is made of. */
int report_document_print(json_t *json, ReportForm form, FILE *out);

#endif
