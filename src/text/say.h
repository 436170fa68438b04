/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_SAY_H
#define TEXT_SAY_H

#include "text/message.h"

#include <stdio.h>

/*
 * Lines for people. They quote paths, names and headers of files, which can hold any bytes. Bytes
 * that a terminal would interpret as a command, or that are not UTF-8, are shown as \x1b and the
 * like, so that a line is always one line of readable text. Backslashes are not changed.
 */

/* One line on stderr, or on any stream; the line feed is added. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on what the calling thread says on stderr is also collected there, separated by "; ";
 * NULL: not any longer. */
void say_also_to(Message *message);

/* From now on lines that the calling thread says begin with that text, which is kept, and ": ";
 * what is collected does not. NULL: not any longer. */
void say_about(const char *subject);

#endif
