/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_REPORT_H
#define TUNE_COMMAND_REPORT_H

/* Results of subcommands as a page for people, or as a table. */

#include "tune/options/command.h"

#include <jansson.h>

typedef enum ReportForm {
    REPORT_UNKNOWN = -1,
    REPORT_MARKDOWN,
    REPORT_JSON,
    REPORT_CSV, /* the first table */
    REPORT_HTML,
    REPORT_TABLE, /* the same as CSV in Markdown */
} ReportForm;

/* What a file is called: .md, .json, .csv or .html; NULL is allowed. */
ReportForm report_form_of(const char *path);

/* Writes a result, whose reference it takes, as the page that `report` makes of it, as its table,
 * or, if the form is unknown, as JSON. NULL: there was no memory for it. A status, of what was
 * printed. */
int report_form_write(const TuneCommand *command, const char *path, ReportForm form, json_t *json);

/* The same by the name of the file: .md is the table. On standard output, path NULL, it is JSON. */
int report_file_write(const TuneCommand *command, const char *path, json_t *json);

#endif
