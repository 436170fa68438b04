/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "common/messages.h"

#include <stdio.h>

/* What the program can do, for people. No line is longer than 80 characters. */

/* One line, and where to find the rest. */
void help_print_usage(FILE *out);

/* Examples, the options that most people use, and the names of all. */
void help_print(FILE *out);

/*
 * On a group of options, by its name or the beginning of it; on the group of an option, with or
 * without dashes; or, with "all", on everything. 0; -EINVAL if it is none of these, and says what
 * there is.
 */
int help_print_topic(const char *topic, FILE *out, Message *why);

#endif
