/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

/* Options of the benchmark programs: each takes a value, and some may be repeated. */

enum { ARGUMENT_MAX = 32 };

typedef struct ArgumentList {
    const char *items[ARGUMENT_MAX];
    int n;
} ArgumentList;

/* 0; -1 if the list is full. */
int argument_add(ArgumentList *list, const char *value);

/* 0; -1 if the text is no number, or one out of range. */
int argument_number(const char *text, long min, long max, long *value);

#endif
