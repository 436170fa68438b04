/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "command_line.h"

/* Scores one pair of files as the options say. Returns the exit status; errors are on stderr. */
int run(const Options *options);

#endif
