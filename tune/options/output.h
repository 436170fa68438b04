/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_OPTIONS_OUTPUT_H
#define TUNE_OPTIONS_OUTPUT_H

/* What subcommands print: results as a whole, and cells of tables. */

#include "tune/options/command.h"

#include <jansson.h>
#include <stdio.h>

/* -- results -- */

/* Prints what was printed as command_print, unless `err` is an error of that. A status. */
int result_print(TextBuffer *result, const TuneCommand *command, const char *path, int err);

/* Prints a document, whose reference it takes, in lines. NULL: there was no memory for it. */
int result_print_json(const TuneCommand *command, const char *path, json_t *json);

/* -- cells of Markdown and CSV; the stream keeps errors -- */

/* A text in one cell: | and line breaks are escaped; "—" for NULL and for an empty one. */
void markdown_text(FILE *out, const char *text);

/* Quoted where it must be (RFC 4180); nothing for NULL. */
void csv_text(FILE *out, const char *text);

#endif
