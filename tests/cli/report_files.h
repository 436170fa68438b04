/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_CLI_REPORT_FILES_H
#define TESTS_CLI_REPORT_FILES_H

#include "program.h"

/* What a run says and writes; a test that finds another thing fails. */

/* The text of a report without its frame rate, in place; NULL stays NULL. */
char *without_rate(char *report);
/* The report in a file without its frame rate, to be freed; the file is removed. */
char *take_report(const char *path);
/* Two files hold equal reports, but for the frame rate; they are removed. */
void expect_equal_reports(const char *path, const char *expected);

/* The status of a silent run, what stderr contains ("": nothing at all). Frees the run. */
void expect_status(Run run, int status, const char *says);

#endif
