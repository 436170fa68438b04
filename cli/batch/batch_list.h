/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_BATCH_LIST_H
#define CLI_BATCH_BATCH_LIST_H

#include "platform/file.h"

enum { BATCH_LINE_MAX = 1 << 20 }; /* bytes */

/* The lines of a file or a pipe, each as soon as it is there. */
typedef struct BatchList {
    VmafInput input;
    int64_t position; /* of the next byte to read */
    char *buffer;
    size_t begin, looked, end; /* of what is not used; in front of `looked` is no line feed */
    bool ended;
    unsigned long long line; /* number of the last one, from 1 */
} BatchList;

/* "-" is standard input. 0; negative errno. */
int batch_list_open(BatchList *list, const char *path);
void batch_list_close(BatchList *list); /* also after a failed batch_list_open */

/*
 * The next line that is not blank, without its end, until the next call. 1; 0: there is none;
 * -EMSGSIZE: it is longer than BATCH_LINE_MAX, and passed over; -ECANCELED; another negative errno:
 * the list cannot be read.
 */
int batch_list_next(BatchList *list, const char **text, size_t *length);

/* Ends waiting for a line, now or later. From any thread. */
void batch_list_interrupt(const BatchList *list);

#endif
