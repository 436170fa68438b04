/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SESSION_OUTPUT_H
#define TUNE_SESSION_OUTPUT_H

/* Cells of tables in Markdown and CSV. All print to a stream, whose errors it keeps. */

#include <stdio.h>

/* A text in one cell: | and line breaks are escaped; "—" for NULL and for an empty one. */
void markdown_text(FILE *out, const char *text);
/* By a format of one double; "—" for what is not finite. */
void markdown_number(FILE *out, const char *format, double number)
    __attribute__((format(printf, 2, 0)));

/* Quoted where it must be (RFC 4180); nothing for NULL. */
void csv_text(FILE *out, const char *text);
/* Three decimals; nothing for what is not finite. */
void csv_number(FILE *out, double number);

#endif
