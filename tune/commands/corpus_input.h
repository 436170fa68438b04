/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_CORPUS_INPUT_H
#define TUNE_COMMANDS_CORPUS_INPUT_H

#include "tune/command_line/command.h"
#include "tune/rows/row_file.h"

/* The rows of a file for a subcommand. True: go on, and free the table. False: why not was said,
 * and the program ends with *status. A torn last line is said and left out. */
bool corpus_load(const TuneCommand *command, const char *path, RowTable *table, int *status);

#endif
