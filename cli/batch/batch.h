/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

/* Many pairs in one process: the lines of a list, and what each asks for. */

#include "options/options.h"
#include "platform/file.h"

#include <jansson.h>

/* vmaf batch: scores the pairs of a list, one after another or some at a time, while devices and
 * models stay open. The words behind the name; returns the exit status. */
int batch(int argc, char **argv);

/* -- the list -- */

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

/* -- a line -- */

/* A line taken apart: what it says, not what the words mean. */
typedef struct BatchLine {
    json_t *json;          /* that holds the texts */
    const char *reference; /* paths */
    const char *distorted;
    const char *output; /* NULL: there is none */
    const char **words; /* options */
    int n_words;
} BatchLine;

/* 0; -EINVAL and why: `output` is then known if it could be told. -ENOMEM and why. Free with
 * batch_line_free in all cases. */
int batch_line_parse(BatchLine *line, const char *text, size_t length, Message *why);
void batch_line_free(BatchLine *line);

/* -- options -- */

/* The command line of a batch: options for all lines, and its list. */
typedef struct BatchOptions {
    int argc;
    char **argv;
    const char *list; /* a path, or "-" */
    unsigned jobs;
} BatchOptions;

/* True if there is a batch. Otherwise all is said already, and *status is the exit status. */
bool batch_options_parse(BatchOptions *batch, int argc, char **argv, int *status);

/*
 * The options of a pair: those for all lines, then those of its own. 0; -EINVAL, -ENOMEM, and why.
 * Pointers into the line and the command line are kept. Free with command_line_free in all cases.
 * For one thread at a time.
 */
int line_options_make(Options *options, const BatchOptions *batch, const BatchLine *line,
                      Message *why);

#endif
