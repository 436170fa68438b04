/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BATCH_BATCH_OUTPUTS_H
#define CLI_BATCH_BATCH_OUTPUTS_H

#include "command_line.h"

#include <jansson.h>

/* The reports of all lines so far: no two lines have the same. For one thread at a time. */
typedef struct BatchOutputs {
    json_t *lines; /* paths, however they are written, and the number of the line; NULL: none yet */
} BatchOutputs;

/*
 * Adds those of a line. -EINVAL and why, if one is that of an earlier line, or the list itself;
 * -ENOMEM and why. Then none is added.
 */
int batch_outputs_add(BatchOutputs *outputs, const Options *options, const char *list,
                      unsigned long long line, Message *why);
void batch_outputs_free(BatchOutputs *outputs);

#endif
