/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_INPUT_H
#define TUNE_COMMANDS_REPORT_REPORT_INPUT_H

#include "common/messages.h"
#include "tune/commands/report/report.h"

typedef struct ReportTargets {
    double rows;      /* of corpora */
    double documents; /* of results that do not say theirs; NAN: none */
} ReportTargets;

/* Adds what a file holds: rows, or a result of another subcommand. 0; -EINVAL with a message if it
 * is neither; the error of reading it; -ENOMEM. */
int report_add_file(Report *report, const char *path, const ReportTargets *targets,
                    Message *message);

#endif
