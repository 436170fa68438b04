/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_CLI_PROGRAM_H
#define TESTS_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "support/files.h"

/* Runs of the program named by the environment variable VMAF, in a temporary folder. */

/* Creates the folder and changes to it; removes it with everything in it. For cmocka groups. */
int program_enter_folder(void **state);
int program_leave_folder(void **state);

typedef struct Run {
    int status;          /* exit status, or 128 + signal */
    char *out, *err;     /* what it wrote to stdout and stderr */
    long peak_kilobytes; /* largest resident memory */
} Run;

/* Arguments up to NULL. Standard input is /dev/null. */
Run program_run(const char *first, ...) __attribute__((sentinel));
/* The same from an array, with a shell command whose output is the standard input. */
Run program_run_fed(const char *feeder, const char *const arguments[]);
/* On a terminal of its own: stderr is that terminal, and `err` what appeared on it. */
Run program_run_on_terminal(const char *first, ...) __attribute__((sentinel));
/* The same of stdout and `out`. */
Run program_run_into_terminal(const char *first, ...) __attribute__((sentinel));

void run_free(Run *run);

bool file_exists(const char *path);
/* How many files lie in the current folder. */
unsigned file_count(void);

/* How often `part` occurs in `text`. */
unsigned occurrences(const char *text, const char *part);

#endif
