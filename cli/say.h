/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdio.h>

/*
 * Lines for people. They quote paths, names and headers of files, which can hold any bytes: what a
 * terminal would take for a command, and what is no UTF-8, is shown as \x1b and the like, so that a
 * line is always one line of readable text. A backslash stays as it is.
 */

/* One line on stderr, or on any stream; the line feed is added. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
