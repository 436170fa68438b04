/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_CLI_BATCH_RUN_H
#define TESTS_CLI_BATCH_RUN_H

#include "program.h"

#include <jansson.h>

/* A batch that has ended, and its results. A test that finds something else there fails. */
typedef struct BatchRun {
    Run run;
    json_t *results; /* an array, in the order in which they came */
} BatchRun;

/* Writes the text to list.ndjson and runs `vmaf batch list.ndjson` with more arguments, up to NULL.
 */
BatchRun batch_run(const char *list, ...) __attribute__((sentinel));
void batch_run_free(BatchRun *batch);

/* Results, each with all of its members, of what a program has written. */
json_t *batch_results(const char *out);

/* The result of a line; its status; what is said of it. */
const json_t *batch_result_of(const BatchRun *batch, unsigned line);
void batch_expect(const BatchRun *batch, unsigned line, int status, const char *error);

#endif
