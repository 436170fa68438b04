/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMAND_LINE_OPTION_VALUES_H
#define TUNE_COMMAND_LINE_OPTION_VALUES_H

#include "tune/command_line/options.h"

/* Sets the option's member of the structure; `value` is NULL for flags. 0; -EINVAL or -ENOMEM, and
 * says why. */
int tune_option_set(const TuneOption *option, void *structure, const char *value, Message *why);

/* Frees what it holds, if it is a list. */
void tune_option_free(const TuneOption *option, void *structure);

#endif
