/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_PRINT_H
#define TUNE_COMMANDS_REPORT_REPORT_PRINT_H

#include "tune/commands/report/report.h"

#include <stdio.h>

/* One self-contained page that loads nothing and needs no script. 0; -ENOMEM; -EIO. */
int report_print_html(const Report *report, FILE *out);

/* The same without plots. */
void report_print_markdown(const Report *report, FILE *out);

/* The title of the report, or what its only subject is called; made by the report. */
const char *report_title(const Report *report);

#endif
