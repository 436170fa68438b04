/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_BATCH_LINE_H
#define CLI_BATCH_BATCH_LINE_H

#include "common/messages.h"

#include <jansson.h>

#include <stddef.h>

/* A line of a list of pairs, taken apart: what it says, not what the words mean. */
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

#endif
