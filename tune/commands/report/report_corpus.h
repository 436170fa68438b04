/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_CORPUS_H
#define TUNE_COMMANDS_REPORT_REPORT_CORPUS_H

#include "tune/commands/report/report.h"
#include "tune/rows/row.h"

/* A subject for each source of the rows: a curve for each encoder and preset, what each needs for
 * the target, and how the curves differ on average. The report keeps nothing of the rows. */
void report_add_corpus(Report *report, const Row *rows, size_t n, double target);

#endif
