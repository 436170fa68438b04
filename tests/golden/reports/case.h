/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_GOLDEN_REPORTS_CASE_H
#define TESTS_GOLDEN_REPORTS_CASE_H

/* One run of the program on generated files. */

#include <stddef.h>

#include <jansson.h>

/* A folder for the files of one case; `dir` is a folder in it that only a run can make. */
typedef struct CaseFolder {
    char ref[64], dis[64], out[64], dir[64], path[64];
} CaseFolder;

/* Create it. Returns 0 or a negative errno value. */
int case_folder_make(CaseFolder *folder);

/* Remove it and its content. */
void case_folder_remove(CaseFolder *folder);

/*
 * Generate an input file, damaged as the description says. A description with a file name instead
 * of parameters means a file that does not exist. Returns 0 or a negative errno value.
 */
int case_make_input(const json_t *description, const char *path);

/*
 * Run the program with the case's arguments and `more`, discarding output and messages. Returns the
 * exit status, or a negative value if there is none (the program was killed).
 */
int case_run(const char *program, const json_t *arguments, char *const *more,
             const CaseFolder *folder);

/* A whole file as text, to be freed; NULL if it cannot be read. */
char *case_read_file(const char *path, size_t *size);

#endif
