/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_BATCH_RESULT_H
#define CLI_BATCH_BATCH_RESULT_H

/* What became of a line of the list. */
typedef struct BatchResult {
    unsigned long long line;    /* its number */
    int status;                 /* exit status of a run of its own */
    const char *output;         /* as in the line; NULL: there is none */
    const char *pooled_metrics; /* JSON; NULL: there are none */
    const char *error;          /* NULL: all went well */
} BatchResult;

/* Prints it as a line of JSON and hands it on. 0; -EIO. */
int batch_result_print(const BatchResult *result);

#endif
