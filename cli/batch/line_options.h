/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_LINE_OPTIONS_H
#define CLI_BATCH_LINE_OPTIONS_H

#include "batch/batch_line.h"
#include "command_line.h"

/* The command line of a batch: options for all lines, and its list. */
typedef struct BatchOptions {
    int argc;
    char **argv;
    const char *list; /* a path, or "-" */
    unsigned jobs;
} BatchOptions;

/* True if there is a batch. Otherwise all is said already, and *status is the exit status. */
bool batch_options_parse(BatchOptions *batch, int argc, char **argv, int *status);

/*
 * The options of a pair: those for all lines, then those of its own. 0; -EINVAL, -ENOMEM, and why.
 * Pointers into the line and the command line are kept. Free with command_line_free in all cases.
 * For one thread at a time.
 */
int line_options_make(Options *options, const BatchOptions *batch, const BatchLine *line,
                      Message *why);

#endif
