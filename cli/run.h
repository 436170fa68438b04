/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "command_line.h"
#include "run_host.h"

/* What a run tells its caller beside the exit status. */
typedef struct RunOutcome {
    char *pooled_metrics; /* as in a JSON report, in one line, to be freed; NULL: there are none */
    Message error;        /* what was said about what went wrong */
} RunOutcome;

/*
 * Scores one pair of files, or several distorted videos, as the options say. Returns the exit
 * status; errors are on stderr. Several threads can do that at a time. The outcome is that of one
 * pair; NULL is allowed.
 */
int run(const Options *options, const RunHost *host, RunOutcome *outcome);

#endif
