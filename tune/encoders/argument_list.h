/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ARGUMENT_LIST_H
#define TUNE_ENCODERS_ARGUMENT_LIST_H

/* Arguments of a program, its name first. */

#include <stddef.h>

/* Starts as {0}. After a failure all that follows is dropped, and `error` says why. */
typedef struct ArgumentList {
    char **items; /* n, then NULL; NULL itself while nothing was added */
    size_t n;
    size_t capacity;
    int error; /* 0, -ENOMEM */
} ArgumentList;

void arguments_add(ArgumentList *list, const char *argument);
void arguments_print(ArgumentList *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arguments_add_list(ArgumentList *list, const ArgumentList *more);
void arguments_free(ArgumentList *list);

/*
 * Merges all occurrences of a name that is the argument before a value, such as -x265-params, into
 * one where the first is: the values joined by colons in their order. A program would only obey the
 * last.
 */
void arguments_merge(ArgumentList *list, const char *name);

/* One line that a POSIX shell reads as exactly these arguments; free. NULL: out of memory. */
char *arguments_shell_line(const ArgumentList *list);

/* The same with quotes around every argument, whatever is in it. */
char *arguments_quoted_line(const ArgumentList *list);

#endif
